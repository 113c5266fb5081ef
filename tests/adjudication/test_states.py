"""Whatever judges, adjudicators and admins do, state and label of a pair follow from the rows."""

from __future__ import annotations

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.decisions import reopen_pair
from adjudication.labels import labelled_pairs, labels_state
from adjudication.models import Decision, Reopening
from annotation.judging import state_of
from annotation.models import Pair, PairState
from tests import builders
from tests.builders import decide, judge
from web.errors import AppError

pytestmark = pytest.mark.django_db

GRADE = st.sampled_from([None, 0, 1])
ACT = st.one_of(
    st.tuples(st.just("judge"), st.sampled_from(["ann", "bob"]), GRADE),
    st.tuples(st.just("decide"), st.sampled_from(["ada", "eve", "ann"]), GRADE),
    st.tuples(st.just("reopen"), st.just("admin"), st.none()),
)


def derived(pair: Pair) -> tuple[str, int | None]:
    """From judgments, decisions and re-openings alone."""
    judgments = [slot.judgment for slot in pair.slots.order_by("number")]
    decision = Decision.objects.filter(pair=pair).order_by("pk").last()
    stands = (
        decision is not None
        and [decision.first, decision.second] == judgments
        and not Reopening.objects.filter(pair=pair, created_at__gt=decision.created_at).exists()
    )
    if stands:
        return PairState.DECIDED, decision.grade
    return state_of(judgments, referred=Reopening.objects.filter(pair=pair).exists())


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACT, min_size=3, max_size=12))
def test_states_derived_anew_equal_the_columns(query, people, eve, acts):
    who = vars(people) | {"eve": eve}
    with transaction.atomic():
        pair = query.pairs.select_related("query__collection", "document").order_by("pk").first()
        for kind, name, grade in acts:
            before, labels = labels_state(query.collection), derived(pair)
            try:
                if kind == "judge":
                    judge(pair, who[name], grade)
                elif kind == "decide":
                    decide(pair, who[name], grade, note="A note.")
                else:
                    reopen_pair(admin=who[name], pair=pair, reason="A reason.")
            except AppError:
                assert labels_state(query.collection) == before
            pair.refresh_from_db()
            assert (pair.state, pair.final) == derived(pair)
            if derived(pair) != labels:
                assert labels_state(query.collection) != before
        transaction.set_rollback(True)


def test_labels_are_of_pairs_that_both_judged(pairs, people, collection, query):
    decide(pairs["d04"], people.ada, 1, note="Between.")
    decide(pairs["d03"], people.ada, None, note="No text.")
    table = labelled_pairs(collection)
    assert list(table["docno"]) == ["d01", "d02", "d03", "d04", "d05", "d06", "d07"]  # d08 lacks bob's
    rows = table.astype(object).where(table.notna(), None).set_index("docno")
    ann, bob = str(people.ann.pk), str(people.bob.pk)
    columns = ["query", "facet", "state", "first", "second", "final", "first_judge", "second_judge", "first_reason"]
    assert list(rows.loc["d01", columns]) == [query.name, "method", "agreed", 2, 2, 2, ann, bob, ""]
    assert list(rows.loc["d02", columns]) == [query.name, "method", "case", 0, 1, None, ann, bob, ""]
    assert list(rows.loc["d03", columns]) == [query.name, "method", "decided", 0, 3, None, ann, bob, ""]
    assert list(rows.loc["d04", columns]) == [query.name, "method", "decided", None, 2, 1, ann, bob, "text"]
    assert labelled_pairs(builders.collection("other")).empty
