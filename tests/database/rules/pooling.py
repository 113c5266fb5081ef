"""Rows that break the rules of `pooling`."""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from tests.database.rules.world import Case, World, again, change, delete


def a_round(world: World, **changes) -> None:
    again(world.pool_round, **{"number": 3, "frozen_at": None} | changes)


CASES = [
    Case(
        "ranking_of_frozen_pool_update", lambda world: change(world.frozen_ranking, docnos=["d000"])
    ),
    Case(
        "ranking_of_frozen_pool_update",
        lambda world: change(world.ranking, run=world.frozen_ranking.run),
    ),
    Case(
        "ranking_of_frozen_pool_insert",
        lambda world: again(world.frozen_ranking, query_paper=world.query_paper),
    ),
    Case("pooling_drawnlist_never_edited", lambda world: change(world.drawn_list, documents=["d"])),
    Case("drawn_list_of_frozen_pool_delete", lambda world: delete(world.frozen_drawn_list)),
    Case(
        "query_paper_of_frozen_pool",
        lambda world: change(
            world.frozen.query_paper, document=world.document, name=world.document.docno
        ),
    ),
    Case("ranking_of_frozen_pool_delete", lambda world: delete(world.frozen_ranking)),
    Case("drawn_list_once", lambda world: again(world.drawn_list)),
    Case("build_run_once", lambda world: again(world.build_run)),
    Case("build_run_use_known", lambda world: again(world.build_run, name="other", use="guess")),
    Case("build_run_of_frozen_pool_update", lambda world: change(world.frozen_build_run, run=None)),
    Case(
        "build_run_of_frozen_pool_update",
        lambda world: change(world.build_run, build=world.frozen.build, name="other"),
    ),
    Case(
        "build_run_of_frozen_pool_insert", lambda world: again(world.frozen_build_run, name="other")
    ),
    Case("build_run_of_frozen_pool_delete", lambda world: delete(world.frozen_build_run)),
    Case(
        "pool_frozen_with_its_runs",
        lambda world: change(world.draft_without_run, frozen_at=timezone.now()),
    ),
    Case("pooling_pool.query_paper_id", lambda world: again(world.draft)),
    Case("pooling_lastplan.collection_id", lambda world: again(world.last_plan)),
    Case("saved_plan_name_once", lambda world: again(world.saved_plan)),
    Case("saved_plan_has_name", lambda world: again(world.saved_plan, name="")),
    Case("candidate_document_once", lambda world: again(world.candidate, position=9)),
    Case("candidate_position_once", lambda world: again(world.candidate, document=world.document)),
    Case("contribution_source_once", lambda world: again(world.contribution, drawn=False)),
    Case("contribution_drawn_once", lambda world: again(world.contribution, source="other")),
    Case(
        "candidate_exclusion_is_a_code_insert",
        lambda world: again(
            world.candidate, document=world.document, position=9, excluded="no text"
        ),
    ),
    Case(
        "candidate_exclusion_is_a_code_update",
        lambda world: change(world.candidate, excluded="no text"),
    ),
    Case(
        "candidate_of_frozen_pool_insert",
        lambda world: again(world.frozen_candidate, document=world.document, position=9),
    ),
    Case(
        "candidate_of_frozen_pool_insert",
        lambda world: again(world.frozen_candidate, document=world.document, position=9, round=2),
    ),
    Case(
        "candidate_of_draft_is_of_first_round",
        lambda world: again(world.candidate, document=world.document, position=9, round=2),
    ),
    Case(
        "candidate_round_from_1",
        lambda world: again(world.candidate, document=world.document, position=9, round=0),
        behind=("candidate_of_draft_is_of_first_round",),
    ),
    Case("pool_size_stays_frozen", lambda world: change(world.frozen, size=F("size") + 1)),
    Case("pool_size_stays_frozen", lambda world: change(world.frozen, to_judge=0)),
    Case("pool_round_begins_unfrozen", lambda world: a_round(world, frozen_at=timezone.now())),
    Case("pool_round_follows_the_last", lambda world: a_round(world, number=4)),
    Case(
        "pool_round_follows_the_last",
        lambda world: [a_round(world, number=number) for number in (3, 4)],
    ),
    Case(
        "pool_round_number_once",
        lambda world: a_round(world, number=2),
        behind=("pool_round_follows_the_last",),
    ),
    Case(
        "pool_round_from_2",
        lambda world: a_round(world, number=1),
        behind=("pool_round_follows_the_last",),
    ),
    Case("pool_round_choice_known", lambda world: a_round(world, choice="guess")),
    Case("pool_round_has_reason", lambda world: a_round(world, reason="")),
    Case("pool_round_depth_from_1", lambda world: a_round(world, depth=0)),
    Case("pool_round_stays_frozen", lambda world: change(world.pool_round, reason="Other.")),
    Case("pool_round_stays_frozen", lambda world: change(world.pool_round, frozen_at=None)),
    Case("pool_round_frozen_never_deleted", lambda world: delete(world.pool_round)),
    Case("list_of_frozen_round_insert", lambda world: again(world.round_list, topic="d001")),
    Case("list_of_frozen_round_update", lambda world: change(world.round_list, docnos=["d"])),
    Case("list_of_frozen_round_delete", lambda world: delete(world.round_list)),
    Case(
        "round_list_once",
        lambda world: again(world.round_list),
        behind=("list_of_frozen_round_insert",),
    ),
    Case(
        "candidate_of_frozen_pool_update", lambda world: change(world.frozen_candidate, position=9)
    ),
    Case(
        "candidate_of_frozen_pool_update",
        lambda world: change(world.candidate, pool=world.frozen, position=9),
    ),
    Case("candidate_of_frozen_pool_delete", lambda world: delete(world.frozen_candidate)),
    Case(
        "contribution_of_frozen_pool_insert",
        lambda world: again(world.frozen_contribution, source="other", drawn=False),
    ),
    Case(
        "contribution_of_frozen_pool_update",
        lambda world: change(world.frozen_contribution, rank=9),
    ),
    Case(
        "contribution_of_frozen_pool_update",
        lambda world: change(
            world.contribution, candidate=world.frozen_candidate, source="other", drawn=False
        ),
    ),
    Case("contribution_of_frozen_pool_delete", lambda world: delete(world.frozen_contribution)),
    Case("pool_stays_frozen", lambda world: change(world.frozen, frozen_at=None)),
    Case("pool_stays_frozen", lambda world: change(world.frozen, shortfall={"cited": 1})),
    Case(
        "pool_frozen_is_not_hidden",
        lambda world: again(world.draft, query_paper=None, frozen_at=timezone.now()),
    ),
    Case("pool_frozen_never_deleted", lambda world: delete(world.frozen)),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, digest="0" * 64),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, docno="other"),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, title="Other"),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, sentences=["Other."]),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, labels=["method"]),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen.query_paper.document, digest="0" * 64),
    ),
    Case("topic_text_in_frozen_pool", lambda world: change(world.frozen_topic, title="Other")),
    Case("topic_text_in_frozen_pool", lambda world: change(world.frozen_topic, narrative="Other")),
    Case("topic_text_in_frozen_pool", lambda world: change(world.frozen_topic, sentences=["O."])),
    Case(
        "topic_text_in_frozen_pool",
        lambda world: change(world.frozen_topic, narrative_is_shown=False),
    ),
    Case(
        "query_paper_of_frozen_pool",
        lambda world: change(
            world.frozen_topic.query_paper,
            topic=None,
            document=world.document,
            name=world.document.docno,
        ),
    ),
]
