"""The judged queries as a random sample."""

from __future__ import annotations

import pytest

from annotation.models import Opening
from annotation.services import open_queries
from evaluation.prediction_powered.limits import FEWEST
from evaluation.prediction_powered.sample import human_sample, random_order
from tests.support.factories import a_collection, a_query, annotators

ORDER = [f"q{number}" for number in range(40)]


def test_the_first_queries_of_the_random_order_are_a_sample():
    sample = human_sample(ORDER, set(ORDER[:20]))
    assert (sample.judged, sample.reason, sample.is_whole) == (20, "", False)


def test_all_queries_are_no_sample_and_need_no_reason():
    few = ORDER[:5]
    for order in (ORDER, few):
        sample = human_sample(order, set(order))
        assert (sample.judged, sample.reason, sample.is_whole) == (len(order), "", True)


def test_a_gap_is_refused_and_named_with_what_to_finish():
    sample = human_sample(ORDER, {*ORDER[:20], "q22", "q23"})
    assert sample.reason == (
        "The queries that people judged are not a random sample. q20 is number 21 of the random "
        "order and is not finished, but q22, q23 behind it are. Finish the queries in their "
        "order: q20, q21."
    )


def test_queries_that_were_chosen_by_hand_are_refused():
    sample = human_sample(ORDER, set(ORDER[10:30]))
    assert "not a random sample. q0 is number 1 of the random order" in sample.reason


def test_too_few_queries_are_refused_and_the_next_ones_named():
    sample = human_sample(ORDER, set(ORDER[: FEWEST - 2]))
    assert f"People judged {FEWEST - 2} queries whole" in sample.reason
    assert sample.reason.endswith(f"random order: q{FEWEST - 2}, q{FEWEST - 1}.")
    assert human_sample(ORDER, set(ORDER[:FEWEST])).reason == ""
    assert human_sample(ORDER, set()).reason.startswith("People judged 0 queries whole")


@pytest.mark.django_db
def test_the_order_is_that_in_which_queries_are_opened():
    collection = a_collection()
    queries = [a_query(collection, size=1) for _ in range(8)]
    open_queries(queries=queries, annotators=annotators(collection), opened_by=None)
    opened = list(Opening.objects.order_by("pk").values_list("query__name", flat=True))
    names = [query.name for query in queries]
    assert random_order(names, collection.seed) == opened != names
