"""The counts that triggers keep equal a recount after any history. See docs/adr/0018-counts.md."""

from __future__ import annotations

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Collection, Role, User
from adjudication.models import Case, Recipient
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.readings import record_reading
from annotation.models import Opening, PairCount, Reason, Slot
from annotation.services import Answer, CannotReassign, postpone, reassign_seat, write_guideline
from corpus.models import Document
from tests.support.counting import kept_counts, recounted
from tests.support.factories import a_collection, an_open_query, member
from tests.support.histories import FEW_HISTORIES
from tests.support.rules import rule_suspended
from tests.support.running import at_once
from tests.support.sittings import judge, judge_both, rate, refer, settle, slots_of
from tests.support.worlds import once_a_file
from web.errors import UserFacingError

pytestmark = pytest.mark.django_db

GRADES = st.integers(0, 3)
ANSWERS = st.one_of(GRADES, st.just(Answer(reason=Reason.GARBLED)))
SLOTS = st.integers(0, 11)
ACTIONS = st.one_of(
    st.tuples(st.just("judge"), SLOTS, ANSWERS),
    st.tuples(st.just("postpone"), SLOTS),
    st.tuples(st.just("settle"), SLOTS, st.one_of(GRADES, st.none())),
    st.tuples(st.just("hand over"), st.integers(0, 1), st.integers(1, 2), st.integers(1, 4)),
    st.tuples(st.just("open"), st.integers(1, 2)),
    st.tuples(st.just("refer"), SLOTS, st.sampled_from(Recipient)),
    st.tuples(st.just("give"), st.integers(0, 1), st.booleans()),
    st.tuples(st.just("rate"), SLOTS, st.sampled_from(["adju", "adju2"]), GRADES),
    st.tuples(st.just("share"), st.sampled_from([0.0, 0.5, 1.0])),
)


@once_a_file
def opening():
    collection = a_collection()
    for name in ("ann3", "ann4"):
        member(collection, Role.ANNOTATOR, name)
    an_open_query(collection, size=3, facet="background")
    return an_open_query(collection, size=3)


def a_version_for(opening: Opening, *, judge_again: bool) -> None:
    """A new guideline, which both judges have read."""
    facet, old = opening.query.facet, opening.guideline
    new = write_guideline(facet=facet, instructions="Anew.", grades=old.grades)
    apply_guideline(
        collection=opening.query.collection,
        queries=[opening.query.name],
        guideline=new,
        reason="Clearer.",
        judge_again=judge_again,
        made_by=None,
    )
    for username in ("ann1", "ann2", "ann3", "ann4"):
        record_reading(new, User.objects.get(username=username))


def act(opening: Opening, action: tuple) -> None:
    collection = opening.query.collection
    name, *values = action
    if name == "open":
        an_open_query(collection, size=values[0])
        return
    if name == "share":
        Collection.objects.filter(pk=collection.pk).update(spot_check_share=values[0])
        return
    if name == "give":
        given = Opening.objects.order_by("pk")[values[0]]
        a_version_for(given, judge_again=values[1])
        return
    if name == "hand over":
        place, number, person = values
        chosen = Opening.objects.order_by("pk")[place]
        annotator = member(collection, Role.ANNOTATOR, f"ann{person}")
        reassign_seat(opening=chosen, number=number, annotator=annotator)
        return
    slot = Slot.objects.order_by("pk")[values[0]]
    if name == "judge":
        judge(slot, values[1])
    elif name == "rate":
        username, grade = values[1:]
        rate(slot, member(collection, Role.ADJUDICATOR, username), grade)
    elif name == "refer":
        refer(slot.pair, values[1])
    elif name == "postpone":
        postpone(slot_id=slot.pk, annotator=slot.annotator)
    else:
        adjudicator = collection.memberships.get(user__username="adju").user
        settle(slot, adjudicator, values[1])


@given(actions=st.lists(ACTIONS, min_size=1, max_size=25))
@FEW_HISTORIES
def test_kept_counts_equal_a_recount_after_any_history(opening, actions):
    with transaction.atomic():
        Collection.objects.update(spot_check_share=0.5)
        judge_both(opening, (2, 2), (3, 3), (0, 3))  # so that more can happen in a few actions
        for action in actions:
            try:
                with transaction.atomic():
                    act(opening, action)
            except (UserFacingError, Case.DoesNotExist):
                continue  # the rules refused it

        kept, counted = kept_counts(), recounted()
        transaction.set_rollback(True)

    assert kept == counted


def test_one_statement_over_both_slots_of_many_pairs_counts_each_pair_once(opening):
    judge_both(opening, (0, 3), (1, 1), (2, 0))
    judgments = dict(Slot.objects.judged().values_list("pk", "judgment"))
    revised = [slot for slot in Slot.objects.order_by("pk") if slot.pk in judgments]
    for slot in revised:
        slot.judgment = slot.judgments.create(
            sequence=2,
            annotator=slot.annotator,
            grade=1,
            presentation_digest="0" * 64,
            guideline_version=1,
            key=f"00000000-0000-0000-0000-{slot.pk:012}",
        )

    Slot.objects.bulk_update(revised, ["judgment"])

    assert kept_counts() == recounted()
    assert PairCount.objects.get(query=opening.query).disputed == 0


def test_a_revision_grows_with_every_judgment_that_counts(opening):
    revisions = [PairCount.objects.get(query=opening.query).revision]
    for grade in (1, 1, 2):
        judge(slots_of(opening, "ann1")[0], grade)
        revisions.append(PairCount.objects.get(query=opening.query).revision)

    assert revisions == [0, 1, 2, 3]


def test_removed_slots_and_pairs_are_no_longer_counted(opening):
    pair = opening.query.pairs.first()

    pair.delete()

    assert kept_counts() == recounted()
    assert PairCount.objects.get(query=opening.query).total == 2


@pytest.mark.parametrize("of", ["query paper", "candidate"])
@pytest.mark.parametrize(
    "change", [{"title": "New"}, {"sentences": ["New."]}, {"labels": ["method"]}]
)
def test_a_changed_text_marks_the_pairs_that_show_it(opening, of, change):
    pair = opening.query.pairs.first()
    shown = opening.query.query_paper.document if of == "query paper" else pair.candidate.document

    with rule_suspended("document_text_in_frozen_pool", "corpus_document"):
        Document.objects.filter(pk=shown.pk).update(**change)

    marked = set(opening.query.pairs.filter(text_changed=True))
    assert marked == (set(opening.query.pairs.all()) if of == "query paper" else {pair})


def test_other_changes_of_a_document_mark_no_pair(opening):
    Document.objects.update(year=2001, authors=["Another"])

    assert not opening.query.pairs.filter(text_changed=True).exists()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_both_slots_of_every_pair_judged_at_once_are_counted_once():
    opening = an_open_query(a_collection(), size=12)
    of_both = [slots_of(opening, name) for name in ("ann1", "ann2")]
    by_pair = [sorted(slots, key=lambda slot: slot.pair_id) for slots in of_both]

    def judge_all(slots, grade):
        for slot in slots:
            judge(slot, grade)
        for slot in slots:
            judge(slot, grade + 1)

    assert at_once([lambda: judge_all(by_pair[0], 0), lambda: judge_all(by_pair[1], 1)]) == [
        None,
        None,
    ]
    counts = PairCount.objects.get(query=opening.query)
    assert (counts.total, counts.judged, counts.disputed, counts.revision) == (12, 12, 12, 48)
    assert kept_counts() == recounted()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_both_judgments_of_a_settled_case_revised_at_once_reopen_it_once():
    opening = an_open_query(a_collection(), size=8)
    adjudicator = opening.query.collection.memberships.get(user__username="adju").user
    first = judge_both(opening, *[(0, 3)] * 8)
    for slot in first:
        settle(slot, adjudicator, 1)
    second = [Slot.objects.get(pair=slot.pair, number=2) for slot in first]

    outcomes = at_once(
        [
            lambda: [judge(slot, 1) for slot in first] and None,
            lambda: [judge(slot, 2) for slot in second] and None,
        ]
    )

    assert outcomes == [None, None]
    assert kept_counts() == recounted()


def test_a_seat_without_unjudged_slots_cannot_move_and_changes_no_count(opening):
    judge_both(opening, (0, 1), (0, 1), (0, 1))
    before = kept_counts()
    newcomer = member(opening.query.collection, Role.ANNOTATOR, "ann3")

    with pytest.raises(CannotReassign):
        reassign_seat(opening=opening, number=1, annotator=newcomer)

    assert kept_counts() == before == recounted()
