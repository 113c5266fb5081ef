"""Rows that break the rules of `annotation`."""

from __future__ import annotations

import uuid

from annotation.models import (
    Guideline,
    GuidelineChange,
    GuidelineReading,
    Pair,
    Qualification,
    SlotCount,
)
from tests.database.rules.world import Case, World, again, change, delete, given, judged_again


def shown_after_a_later_one(world: World) -> None:
    judged_again(world)
    change(world.slots[0], judgment=world.judgments[0])


def later_guideline(world: World) -> Guideline:
    again(world.guideline, version=9)
    return Guideline.objects.get(facet=world.facet, version=9)


def another_round(world: World, **fields) -> GuidelineChange:
    """Of a query without judgments, unless the fields have another opening."""
    opening = fields.get("opening", world.bare_opening)
    versions = {"earlier": opening.guideline, "guideline": opening.guideline}
    values = {"opening": opening, **versions, "round": 2, "reason": "Why"}
    return GuidelineChange.objects.create(**values | fields)


def shown_after_another_round(world: World) -> None:
    another_round(world, opening=world.opening)
    change(world.slots[0], judgment=world.judgments[0])


def read_twice(world: World) -> None:
    for _ in range(2):
        GuidelineReading.objects.create(guideline=world.guideline, reader=world.first)


def proposed_to(world: World, **changes) -> None:
    """A judgment after the first one, with marked steps, unless the changes say otherwise."""
    judged_again(world, **{"grade": 1, "aspects": [1], "details_alike": False} | changes)


def judged_by_an_admin(world: World) -> None:
    given(world, "admin", world.judgments[0].annotator)
    judged_again(world)


OLD_PAIR = {"pool_round": 2, "position": 1}


def repeat_of_a_later_pool_round(world: World) -> None:
    """The pair of a third round comes among those of the second."""
    again(world.pool_round, number=3, frozen_at=None)
    again(world.frozen_candidate, document=world.document, position=9, round=3)
    candidate = world.frozen.candidates.get(round=3)
    pair = Pair.objects.create(query=world.opening.query, candidate=candidate, token="third")
    slot = pair.slots.create(number=1, annotator=world.first, position=9)
    again(world.open_repeat, slot=slot, token="o", **OLD_PAIR)


def repeat_answered_again(world: World, **fields) -> None:
    again(world.repeat_judgment, **{"sequence": 9, "key": uuid.uuid4()} | fields)


def repeat_of_another_round(world: World) -> None:
    another_round(world, opening=world.opening)
    repeat_answered_again(world)


def repeat_answered_by_an_admin(world: World) -> None:
    given(world, "admin", world.first)
    repeat_answered_again(world)


def repeat_shows_an_earlier_judgment(world: World) -> None:
    repeat_answered_again(world)
    change(world.repeat, judgment=world.repeat_judgment)


def qualified(world: World, **fields) -> Qualification:
    values = {"person": world.first, "level": "judge", "basis": "override", "reason": "Why"}
    return world.collection.qualifications.create(**values | fields)


CASES = [
    Case("scale_stays_once_opened", lambda world: change(world.collection, highest_grade=4)),
    Case("scale_stays_once_opened", lambda world: change(world.collection, relevant_from=1)),
    Case("membership_with_pairs_to_judge_stays_delete", lambda world: delete(world.annotating)),
    Case(
        "membership_with_pairs_to_judge_stays_update",
        lambda world: change(world.annotating, role="adjudicator"),
    ),
    Case(
        "membership_with_pairs_to_judge_stays_update",
        lambda world: change(world.annotating, user=world.stranger),
    ),
    Case("guideline_version_once", lambda world: again(world.guideline)),
    Case("annotation_guideline_never_edited", lambda world: change(world.guideline, grades=[])),
    Case("guideline_never_deleted_once_opened", lambda world: delete(world.guideline)),
    Case("annotation_opening.query_id", lambda world: again(world.opening)),
    Case(
        "seat_number_once",
        lambda world: again(world.opening.seats.get(number=1), annotator=world.third),
    ),
    Case(
        "seat_annotator_once",
        lambda world: change(world.opening.seats.get(number=2), annotator=world.first),
    ),
    Case(
        "seat_number_is_1_or_2",
        lambda world: again(world.opening.seats.get(number=2), number=3, annotator=world.third),
    ),
    Case(
        "seat_number_is_1_or_2",
        lambda world: again(world.opening.seats.get(number=2), number=0, annotator=world.third),
    ),
    Case(
        "seat_of_an_annotator_insert",
        lambda world: again(
            world.opening.seats.get(number=2), opening=world.bare_opening, annotator=world.stranger
        ),
    ),
    Case(
        "seat_of_an_annotator_update",
        lambda world: change(world.opening.seats.get(number=2), annotator=world.stranger),
    ),
    Case(
        "seat_not_of_an_excluded_insert",
        lambda world: again(
            world.opening.seats.get(number=2),
            opening=world.bare_opening,
            annotator=world.exclusion.annotator,
        ),
    ),
    Case(
        "seat_not_of_an_excluded_update",
        lambda world: change(
            world.opening.seats.get(number=2), annotator=world.exclusion.annotator
        ),
    ),
    Case(
        "slot_never_moved_to_an_excluded",
        lambda world: change(world.open_slots[1], annotator=world.exclusion.annotator),
    ),
    Case(
        "exclusion_of_no_seat_holder",
        lambda world: again(
            world.exclusion, query_paper=world.opening.query.query_paper, annotator=world.first
        ),
    ),
    Case("exclusion_once", lambda world: again(world.exclusion)),
    Case("pair_candidate_once", lambda world: again(world.pair, token="other")),
    Case("pair_token_once", lambda world: again(world.pair, candidate=world.candidate)),
    Case("slot_count_once", lambda world: again(SlotCount.objects.order_by("pk").first())),
    Case("slot_number_once", lambda world: again(world.open_slots[0], annotator=world.stranger)),
    Case("slot_annotator_once", lambda world: change(world.open_slots[1], annotator=world.first)),
    Case(
        "slot_number_is_1_or_2",
        lambda world: again(world.open_slots[0], number=3, annotator=world.stranger),
    ),
    Case(
        "slot_number_is_1_or_2",
        lambda world: again(world.open_slots[0], number=0, annotator=world.stranger),
    ),
    Case(
        "annotation_slot.judgment_id",
        lambda world: again(world.slots[0], pair=world.bare_pair),
        behind=("slot_begins_empty",),
    ),
    Case("slot_begins_empty", lambda world: again(world.slots[0], pair=world.bare_pair, number=2)),
    Case("slot_stays_in_its_pair", lambda world: change(world.open_slots[0], pair=world.bare_pair)),
    Case("slot_stays_in_its_pair", lambda world: change(world.slots[0], number=2)),
    Case("slot_shows_its_latest_judgment", shown_after_a_later_one),
    Case("pair_never_edited", lambda world: change(world.pair, candidate=world.candidate)),
    Case("pair_never_edited", lambda world: change(world.pair, query=world.query)),
    Case(
        "opening_never_edited",
        lambda world: change(world.opening, guideline=later_guideline(world)),
    ),
    Case("query_stays_once_opened", lambda world: change(world.opening.query, name="other")),
    Case(
        "query_stays_once_opened",
        lambda world: change(world.opening.query, facet=world.other_facet),
    ),
    Case("facet_stays_once_opened", lambda world: change(world.facet, labels=["result"])),
    Case("facet_stays_once_opened", lambda world: change(world.facet, key="other")),
    Case(
        "facet_never_added_once_opened", lambda world: again(world.facet, key="other", position=9)
    ),
    Case("facet_never_deleted_once_opened", lambda world: delete(world.other_facet)),
    Case(
        "slot_judged_keeps_its_annotator",
        lambda world: change(world.slots[0], annotator=world.stranger),
    ),
    Case("slot_judged_never_deleted", lambda world: delete(world.slots[0])),
    Case(
        "judgment_sequence_once",
        lambda world: judged_again(world, sequence=world.judgments[0].sequence),
    ),
    Case("annotation_judgment.key", lambda world: judged_again(world, key=world.judgments[0].key)),
    Case("judgment_grade_or_reason", lambda world: judged_again(world, grade=None)),
    Case(
        "judgment_grade_or_reason",
        lambda world: judged_again(world, grade=5),
        behind=("judgment_grade_on_the_scale",),
    ),
    Case("judgment_grade_on_the_scale", lambda world: judged_again(world, grade=4)),
    Case("judgment_grade_or_reason", lambda world: judged_again(world, grade=1, reason="garbled")),
    Case("judgment_aspects_with_a_grade", lambda world: judged_again(world, grade=0, aspects=[2])),
    Case(
        "judgment_aspects_with_a_grade",
        lambda world: judged_again(world, grade=None, reason="garbled", aspects=[2]),
    ),
    Case(
        "judgment_proposal_with_steps",
        lambda world: proposed_to(world, grade=0, aspects=[], proposed_grade=1),
        behind=("proposal_to_a_first_judgment",),
    ),
    Case("judgment_proposal_with_steps", lambda world: judged_again(world, details_alike=True)),
    Case(
        "judgment_proposal_with_steps",
        lambda world: proposed_to(world, grade=1, aspects=[], details_alike=True),
    ),
    Case("proposal_to_a_first_judgment", lambda world: proposed_to(world, proposed_grade=2)),
    Case(
        "repeat_judgment_proposal_with_steps",
        lambda world: repeat_answered_again(world, details_alike=True),
    ),
    Case(
        "proposal_to_a_first_judgment_of_a_repeat",
        lambda world: repeat_answered_again(
            world, grade=1, aspects=[1], details_alike=False, proposed_grade=2
        ),
    ),
    Case("opening_keeps_its_lot", lambda world: change(world.opening, proposal_steps=2)),
    Case("opening_keeps_its_lot", lambda world: change(world.opening, proposal_block=1)),
    Case(
        "opening_proposal_has_two_steps",
        lambda world: change(world.opening, proposal_steps=1),
        behind=("opening_keeps_its_lot",),
    ),
    Case(
        "query_aspects_stay_once_opened",
        lambda world: change(world.opening.query, aspect_names=["speed", "memory"]),
    ),
    Case("judgment_grade_or_reason", lambda world: judged_again(world, grade=None, reason="why")),
    Case(
        "judgment_by_the_slots_annotator", lambda world: judged_again(world, annotator=world.second)
    ),
    Case("annotation_judgment_never_edited", lambda world: change(world.judgments[0], note="?")),
    Case("annotation_judgment_never_deleted", lambda world: delete(world.judgments[0])),
    Case("judgment_never_by_an_admin", judged_by_an_admin),
    Case("judgment_of_the_round", lambda world: judged_again(world, round=2)),
    Case("judgment_of_the_round", lambda world: judged_again(world, guideline_version=2)),
    Case(
        "slot_shows_a_judgment_of_the_round",
        shown_after_another_round,
        behind=("new_round_of_a_query_in_a_study",),
    ),
    Case("guideline_change_goes_on", lambda world: another_round(world, round=1)),
    Case("guideline_change_goes_on", lambda world: another_round(world, round=3)),
    Case(
        "guideline_change_goes_on",
        lambda world: another_round(world, guideline=world.other_facet.guidelines.first()),
    ),
    Case(
        "guideline_change_goes_on",
        lambda world: another_round(world, earlier=world.other_facet.guidelines.first()),
    ),
    Case(
        "guideline_change_once",
        lambda world: again(another_round(world)),
        behind=("guideline_change_goes_on",),
    ),
    Case("guideline_change_has_reason", lambda world: another_round(world, reason="")),
    Case(
        "guideline_change_never_edited", lambda world: change(another_round(world), reason="Other")
    ),
    Case("guideline_change_never_deleted", lambda world: delete(another_round(world))),
    Case("guideline_reading_once", read_twice),
    Case(
        "repeat_token_once",
        lambda world: again(world.open_repeat, slot=world.open_slots[1], annotator=world.second),
    ),
    Case("repeat_once_a_round", lambda world: again(world.open_repeat, token="other")),
    Case("repeat_of_its_slot", lambda world: again(world.open_repeat, annotator=world.second)),
    Case("repeat_of_its_slot", lambda world: again(world.open_repeat, query=world.query)),
    Case("repeat_of_its_slot", lambda world: again(world.open_repeat, round=2)),
    # Of a pair that the person judged in the other seat.
    Case(
        "repeat_of_its_slot",
        lambda world: again(
            world.repeat, annotator=world.second, judgment=None, token="o", **OLD_PAIR
        ),
    ),
    # Of a slot that nobody has judged.
    Case(
        "repeat_of_its_slot",
        lambda world: again(world.open_repeat, annotator=world.third, token="o", **OLD_PAIR),
    ),
    Case("repeat_of_an_earlier_pool_round", repeat_of_a_later_pool_round),
    Case(
        "repeat_of_a_pool_round_has_a_position",
        lambda world: change(world.open_repeat, position=1),
    ),
    Case(
        "repeat_begins_empty",
        lambda world: again(world.open_repeat, judgment=world.repeat_judgment),
    ),
    Case("repeat_never_edited", lambda world: change(world.open_repeat, token="other")),
    Case("repeat_never_edited", lambda world: change(world.open_repeat, slot=world.slots[0])),
    Case(
        "annotation_repeat.judgment_id",
        lambda world: change(world.open_repeat, judgment=world.repeat_judgment),
        behind=("repeat_shows_its_latest_judgment",),
    ),
    Case(
        "repeat_shows_its_latest_judgment",
        lambda world: change(world.open_repeat, judgment=world.repeat_judgment),
    ),
    Case("repeat_shows_its_latest_judgment", lambda world: change(world.repeat, judgment=None)),
    Case("repeat_shows_its_latest_judgment", repeat_shows_an_earlier_judgment),
    Case("repeat_judged_never_deleted", lambda world: delete(world.repeat)),
    Case("repeat_judgment_never_edited", lambda world: change(world.repeat_judgment, note="?")),
    Case("repeat_judgment_never_deleted", lambda world: delete(world.repeat_judgment)),
    Case("repeat_judgment_sequence_once", lambda world: repeat_answered_again(world, sequence=1)),
    Case(
        "annotation_repeatjudgment.key",
        lambda world: repeat_answered_again(world, key=world.repeat_judgment.key),
    ),
    Case("repeat_judgment_grade_or_reason", lambda world: repeat_answered_again(world, grade=None)),
    Case(
        "repeat_judgment_grade_or_reason",
        lambda world: repeat_answered_again(world, reason="garbled"),
    ),
    Case(
        "repeat_judgment_aspects_with_a_grade",
        lambda world: repeat_answered_again(world, grade=0, aspects=[1]),
    ),
    Case("repeat_judgment_grade_on_the_scale", lambda world: repeat_answered_again(world, grade=4)),
    Case(
        "repeat_judgment_of_its_repeat",
        lambda world: repeat_answered_again(
            world, annotator=world.second, compared=None, distance=None
        ),
    ),
    Case(
        "repeat_judgment_of_its_repeat",
        lambda world: repeat_answered_again(world, round=2, compared=None, distance=None),
    ),
    Case(
        "repeat_judgment_of_its_repeat",
        lambda world: repeat_answered_again(world, guideline_version=2),
    ),
    Case(
        "repeat_judgment_of_its_repeat",
        repeat_of_another_round,
        behind=("new_round_of_a_query_in_a_study",),
    ),
    Case("repeat_judgment_never_by_an_admin", repeat_answered_by_an_admin),
    Case(
        "repeat_judgment_compared_at_a_distance",
        lambda world: repeat_answered_again(world, distance=None),
    ),
    Case(
        "repeat_judgment_compared_at_a_distance",
        lambda world: repeat_answered_again(world, compared=None),
    ),
    Case(
        "repeat_judgment_compared_with_its_pair",
        lambda world: repeat_answered_again(world, compared=world.judgments[1]),
    ),
    Case(
        "repeat_judgment_compared_with_its_pair",
        lambda world: repeat_answered_again(world, compared=world.other_judgments[0]),
    ),
    Case("qualification_level_known", lambda world: qualified(world, level="master")),
    Case("qualification_is_measured_or_has_reason", lambda world: qualified(world, reason="")),
    Case("qualification_is_measured_or_has_reason", lambda world: qualified(world, rho=0.5)),
    Case("qualification_is_measured_or_has_reason", lambda world: qualified(world, basis="luck")),
    Case(
        "qualification_is_measured_or_has_reason",
        lambda world: qualified(world, basis="training", pairs=20),
    ),
    Case(
        "qualification_is_measured_or_has_reason",
        lambda world: qualified(world, basis="training", rho=0.5),
    ),
    Case(
        "qualification_is_measured_or_has_reason",
        lambda world: qualified(world, basis="judgments", rho=1.5, pairs=20),
    ),
    Case("qualification_never_edited", lambda world: change(qualified(world), level="senior")),
    Case("qualification_never_deleted", lambda world: delete(qualified(world))),
]
