"""The command, and the pairs, systems and models that it reads from a collection."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from adjudication.models import Case
from annotation.models import Reason
from evaluation.shadow_judges.models import ShadowJudge
from planning.double_judging import reading
from planning.double_judging.predictors import model_scores, models_for_plans
from planning.double_judging.reading import NothingToCompare, finished_pairs, read_compared
from pooling.models import Candidate
from scoring.models import System, SystemKind
from tests.planning.test_choose_models import a_run
from tests.support.factories import a_collection, an_open_query
from tests.support.sittings import Answer, judge, judge_both, settle, slots_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

GRADES = [(0, 0), (1, 1), (2, 2), (3, 3), (0, 0), (3, 2)]


def docnos_of(opening) -> list[str]:
    candidates = Candidate.objects.filter(pool__query_paper=opening.query.query_paper)
    return list(candidates.order_by("position").values_list("document__docno", flat=True))


@once_a_file
def collection():
    """Two finished queries of six pairs, and a run that ranks their pools in the order drawn."""
    collection = a_collection()
    lists = {}
    for _ in range(2):
        opening = an_open_query(collection, size=6)
        slots = judge_both(opening, *GRADES)
        settle(slots[-1], collection.memberships.get(role="adjudicator").user, 3)
        lists[opening.query.query_paper.document.docno] = docnos_of(opening)
    a_run(collection, "best", lists)
    a_run(collection, "worst", {paper: docnos[::-1] for paper, docnos in lists.items()})
    return collection


def compared(*arguments: str, capsys) -> dict:
    call_command("compare_judging_plans", "small", "--format", "json", *arguments)
    return json.loads(capsys.readouterr().out)


def test_the_result_says_what_was_compared(collection, capsys):
    payload = compared("--budgets", "1,1.5", "--repetitions", "2", capsys=capsys)

    assert payload["pairs"] == 12
    assert (payload["queries"], payload["finished_queries"], payload["left_out"]) == (2, 2, 0)
    assert (payload["model"], payload["seed"], payload["seconds"]) == ("best", "seed", 12.5)
    assert payload["systems"] == ["pool:bm25_title", "worst"]
    rows = {(row["strategy"], row["budget"]): row["figures"] for row in payload["rows"]}
    assert len(rows) == 7 * 2
    assert rows["random", "1"]["once"]["mean"] == 12
    assert rows["random", "1.5"]["twice"]["mean"] == 6
    assert rows["double", "1.5"]["twice"]["mean"] == 6


def test_the_table_has_a_line_for_each_plan_and_budget_with_hours_and_costs(collection, capsys):
    call_command(
        "compare_judging_plans", "small", "--budgets=2", "--seconds=60", "--rate=30",
        "--repetitions=1",
    )  # fmt: skip

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("12 pairs of 2 queries. Model: best. Measure: NDCG%20. Systems: 2.")
    double = next(line.split() for line in lines if line.startswith("double "))
    # 24 judgments and 2 decisions of a minute each.
    assert double[:7] == ["double", "2", "12", "0", "0", "0.4", "13"]
    assert lines[-1] == "Two judges for each pair stay the default. Nothing was changed."


def test_an_unfinished_query_is_not_read_not_even_where_both_agree(collection):
    opening = an_open_query(collection, size=2)
    judge_both(opening, (1, 1))

    assert len(finished_pairs(collection).pairs) == 12

    judge(slots_of(opening, "ann1")[1], 3)

    assert len(finished_pairs(collection).pairs) == 12


def test_a_query_that_never_had_a_case_is_finished(collection):
    judge_both(an_open_query(collection, size=2), (1, 1), (2, 2))

    found = finished_pairs(collection)
    assert (found.finished, len(found.pairs)) == (3, 14)


def test_a_query_with_an_undecided_case_is_not_finished(collection):
    opening = an_open_query(collection, size=2)
    slots = judge_both(opening, (1, 1), (0, 2))
    assert finished_pairs(collection).finished == 2

    settle(slots[1], collection.memberships.get(role="adjudicator").user, 1)

    found = finished_pairs(collection)
    assert (found.finished, len(found.pairs)) == (3, 14)
    (pair,) = (pair for pair in found.pairs if pair.first != pair.second and pair.final == 1)
    assert {pair.first, pair.second} == {0, 2}


def test_a_pair_that_a_judge_could_not_judge_is_left_out_and_counted(collection):
    opening = an_open_query(collection, size=2)
    slots = judge_both(opening, (1, 1), (Answer(None, Reason.GARBLED), 2))
    assert Case.objects.cases().filter(pk=slots[1].pair_id).exists()
    settle(slots[1], collection.memberships.get(role="adjudicator").user, 2)

    found = finished_pairs(collection)

    assert (len(found.pairs), found.left_out) == (13, 1)


def test_of_many_pairs_whole_queries_are_drawn(collection, monkeypatch):
    monkeypatch.setattr(reading, "MOST_COMPARED", 11)

    found = finished_pairs(collection)

    assert (found.queries, found.finished, len(found.pairs)) == (1, 2, 6)


def test_a_model_ranks_only_the_compared_pairs(collection):
    query = collection.queries.first()
    docnos = collection.runs.get(name="best").rankings.get(query_paper=query.query_paper).docnos

    scores = model_scores(collection, "best", {query.name: docnos[1:4]})

    assert scores == {
        (query.name, docno): 1 - (place - 0.5) / 3 for place, docno in enumerate(docnos[1:4], 1)
    }


def test_a_shadow_judge_is_a_model_and_comes_first(collection):
    judge = ShadowJudge.objects.create(
        collection=collection, name="m", filename="m", labels_count=1, sha256="0" * 64
    )
    query = collection.queries.first()
    pair = query.pairs.first()
    judge.labels.create(pair=pair, grade=2)
    docno = pair.candidate.document.docno

    assert models_for_plans(collection) == ["shadow:m", "best", "worst"]
    assert model_scores(collection, "shadow:m", {query.name: [docno, "other"]}) == {
        (query.name, docno): 2 / 3,
        (query.name, "other"): 0.0,
    }
    assert read_compared(collection).ranking.systems == ["best", "pool:bm25_title", "worst"]


def test_the_source_of_a_pool_with_the_name_of_a_system_is_not_ranked_twice(collection):
    System.objects.create(
        collection=collection, name="bm25_title", kind=SystemKind.FILE, sha256="1" * 64
    )

    assert read_compared(collection).ranking.systems == ["bm25_title", "worst"]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--model", "zzz"], 'No model "zzz". There are: best, worst'),
        (["--measure", "zzz"], 'Unknown measure "zzz". Use one of: RP'),
        (["--facet", "zzz"], 'Unknown facet "zzz". Facets of this collection: background, method'),
        (["--facet", "result"], "No query of small is finished"),
        (["--budgets", "1,3"], "a budget must be above 0 and at most 2, got 3"),
        (["--repetitions", "0"], "--repetitions must be above 0"),
        (["--seconds", "-1"], "--seconds must be above 0"),
    ],
)
def test_the_command_refuses_in_words(collection, arguments, what):
    with pytest.raises(CommandError, match=what):
        call_command("compare_judging_plans", "small", *arguments)


def test_without_a_finished_query_there_is_nothing_to_compare():
    collection = a_collection()
    judge_both(an_open_query(collection, size=2), (1, 1))

    with pytest.raises(NothingToCompare):
        finished_pairs(collection)
