"""The counts that stand for the judgments: equal counts, equal report."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Role
from adjudication.labels import labelled_pairs
from adjudication.models import Case, Decision
from agreement import tasks
from agreement.revision import Revision, revision_of
from agreement.services import AgreementReport, state_of
from agreement.summary import STATISTICS_VERSION
from annotation.models import Reason, Slot
from annotation.services import Answer, reassign_seat
from corpus.models import Document, Facet, Query
from reports.services import compute_report
from tests.support.factories import a_collection, an_open_query, member
from tests.support.histories import FEW_HISTORIES
from tests.support.sittings import judge, judge_both, settle, slots_of
from tests.support.worlds import once_a_file
from web.errors import UserFacingError

pytestmark = pytest.mark.django_db

ANSWERS = st.one_of(st.integers(0, 3), st.just(Answer(reason=Reason.GARBLED)))
SLOTS = st.integers(0, 7)
ACTIONS = st.one_of(
    st.tuples(st.just("judge"), SLOTS, ANSWERS),
    st.tuples(st.just("settle"), SLOTS, st.one_of(st.integers(0, 3), st.none())),
    st.tuples(st.just("hand over"), st.integers(1, 2), st.integers(1, 4)),
)


@once_a_file
def opening():
    """Of two queries with two pairs each, in a collection with four annotators."""
    collection = a_collection()
    for name in ("ann3", "ann4"):
        member(collection, Role.ANNOTATOR, name)
    an_open_query(collection, size=2, facet="background")
    return an_open_query(collection, size=2)


def act(opening, name, *values):
    collection = opening.query.collection
    if name == "hand over":
        number, person = values
        annotator = member(collection, Role.ANNOTATOR, f"ann{person}")
        reassign_seat(opening=opening, number=number, annotator=annotator)
        return
    slot = Slot.objects.order_by("pk")[values[0]]
    if name == "judge":
        judge(slot, values[1])
    else:
        settle(slot, collection.memberships.get(user__username="adju").user, values[1])


def state(opening):
    return state_of(labelled_pairs(opening.query.collection))


def finished_queries():
    """The fully judged queries by all their slots, judgments and decisions."""
    finished = set()
    for query in Query.objects.all():
        slots = list(Slot.objects.filter(pair__query=query).order_by("pk"))
        if not slots or any(slot.judgment_id is None for slot in slots):
            continue
        due = Case.objects.due().filter(query=query).exists()
        decisions = Decision.objects.filter(pair__query=query).order_by("pk")
        finished.add(
            (
                query.pk,
                tuple(slot.judgment_id for slot in slots),
                () if due else tuple(decisions.values_list("pk", flat=True)),
            )
        )
    return frozenset(finished)


def reason_for_a_report():
    return frozenset(reason for _, reason in tasks.due_reports())


@given(actions=st.lists(ACTIONS, min_size=5, max_size=30))
@FEW_HISTORIES
@pytest.mark.by_day(2)
def test_after_any_history_the_same_counts_mean_the_same_report(opening, actions):
    states, finished = {}, {}
    with transaction.atomic():
        for action in actions:
            try:
                with transaction.atomic():
                    act(opening, *action)
            except (UserFacingError, Case.DoesNotExist):
                continue  # the rules refused it
            revision = revision_of(opening.query.collection)
            assert states.setdefault(revision, state(opening)) == state(opening)
            # A report is due for the same reason exactly while the same queries are finished.
            reason = reason_for_a_report()
            assert finished.setdefault(reason, finished_queries()) == finished_queries()
        transaction.set_rollback(True)
    assert len(set(finished.values())) == len(finished)


def test_every_second_judgment_revision_and_decision_is_another_revision(opening):
    collection = opening.query.collection
    adjudicator = collection.memberships.get(user__username="adju").user
    revisions = [revision_of(collection)]
    slot, _ = judge_both(opening, (0, 3), (1, 1))
    revisions.append(revision_of(collection))
    settle(slot, adjudicator, 1)
    revisions.append(revision_of(collection))
    judge(slot, 2)
    revisions.append(revision_of(collection))

    assert revisions == [
        Revision(0, 0, 0),
        Revision(2, 0, 0),
        Revision(2, 0, 1),
        Revision(2, 1, 1),
    ]
    assert str(revisions[-1]) == f"{STATISTICS_VERSION}:2:1:1"


def test_the_first_judgment_of_a_pair_changes_nothing(opening):
    judge_both(opening, (0, 3))
    before = revision_of(opening.query.collection)

    judge(slots_of(opening, "ann1")[1], 2)

    assert revision_of(opening.query.collection) == before


def test_another_collection_has_counts_of_its_own(opening):
    judge_both(opening, (0, 3))

    assert revision_of(a_collection("other")) == Revision(0, 0, 0)


@pytest.mark.parametrize(
    ("rule", "model", "change"),
    [
        ("query_stays_once_opened", Query, {"name": "another"}),
        ("facet_stays_once_opened", Facet, {"key": "another"}),
        ("document_text_in_frozen_pool", Document, {"docno": "another"}),
        ("slot_shows_its_own_judgment", Slot, {"judgment": None}),
    ],
)
def test_what_a_report_names_cannot_change_behind_the_counts(opening, rule, model, change):
    judge_both(opening, (0, 3))
    query = opening.query
    row = {
        Query: query,
        Facet: query.facet,
        Document: query.pairs.first().candidate.document,
        Slot: slots_of(opening, "ann1")[0],
    }[model]

    with pytest.raises(IntegrityError, match=rule), transaction.atomic():
        model.objects.filter(pk=row.pk).update(**change)


def test_a_facet_that_is_moved_changes_no_report(opening):
    judge_both(opening, (0, 3))
    collection = opening.query.collection
    report = compute_report(AgreementReport("zero"), collection=collection)
    before = revision_of(collection), state(opening)

    collection.facets.filter(key="method").update(position=10)

    assert (revision_of(collection), state(opening)) == before
    assert compute_report(AgreementReport("zero"), collection=collection) == report
