"""What each source of the pools contributed, on a case worked out by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from adjudication import yield_reports
from adjudication.retriever_yield import SourceCandidate, Yield, yields, yields_of
from adjudication.yield_reports import (
    compute_yields,
    request_due_yields,
    wait_after,
    yields_state,
)
from jobs import services as jobs
from jobs.models import Job, State
from pooling.models import PoolReport
from tests.support.factories import a_collection, an_open_query
from tests.support.sittings import judge_both
from tests.support.visits import address, client_of, text_of

A, B, C = ("q", "a"), ("q", "b"), ("q", "c")


def test_drawn_relevant_and_found_alone_are_counted():
    candidates = [
        SourceCandidate("one", A, drawn=True, found=True),
        SourceCandidate("two", A, drawn=False, found=True),  # so a is not found by one alone
        SourceCandidate("one", B, drawn=True, found=True),
        SourceCandidate("two", B, drawn=False, found=False),  # deeper than it had to draw
        SourceCandidate("two", C, drawn=True, found=True),
    ]
    grades = {A: [3], B: [2, 0], C: [1]}

    assert yields(candidates, grades, relevant_from=2) == [
        Yield("one", drawn=2, judged=3, relevant=2, alone=1),
        Yield("two", drawn=1, judged=1, relevant=0, alone=0),
    ]


def test_a_document_relevant_to_two_queries_counts_twice():
    (source_yield,) = yields([SourceCandidate("one", A, True, True)], {A: [2, 3]}, relevant_from=2)

    assert (source_yield.judged, source_yield.relevant, source_yield.alone) == (2, 2, 2)


def test_a_source_that_drew_nothing_is_listed_without_a_share():
    source_yield = yields(
        [SourceCandidate("one", A, drawn=False, found=True)], {A: [3]}, relevant_from=2
    )[0]

    assert (source_yield.drawn, source_yield.percent) == (0, None)


@pytest.mark.django_db
def test_nothing_is_told_before_a_pair_has_its_final_grade():
    collection = a_collection()
    an_open_query(collection)

    assert yields_of(collection) == []


@pytest.fixture
def judged():
    """A collection with one pair that both annotators rated 3."""
    yield_reports.last_look.valid_until = 0
    collection = a_collection()
    judge_both(an_open_query(collection), (3, 3))
    return collection


def pools_page():
    return client_of("admin").get(address("pools"))


@pytest.mark.django_db
def test_the_page_shows_the_stored_yields(judged):
    assert "These numbers are not counted yet." in text_of(pools_page())

    compute_yields(collection=judged)

    page = pools_page()
    (row,) = page.context["yields"].rows
    assert row == yields_of(judged)[0]
    assert (row.relevant, row.percent) == (1, 100)
    assert "have changed since" not in text_of(page)


@pytest.mark.django_db
def test_yields_before_the_latest_judgments_say_so(judged):
    compute_yields(collection=judged)
    judge_both(an_open_query(judged), (2, 2))

    page = pools_page()

    assert "Judgments, decisions or pools have changed since." in text_of(page)
    assert page.context["yields"].rows[0].relevant == 1


@pytest.mark.django_db
def test_no_report_is_due_before_both_have_judged_a_pair():
    yield_reports.last_look.valid_until = 0
    collection = a_collection()
    an_open_query(collection)

    request_due_yields()

    assert yields_state(collection) == ""
    assert not Job.objects.exists()
    assert pools_page().context["yields"] is None


@pytest.mark.django_db
def test_a_worker_counts_the_yields_once_and_then_waits(judged):
    request_due_yields()
    job = Job.objects.get()
    jobs.run(job.pk)
    assert Job.objects.get(pk=job.pk).state == State.SUCCEEDED

    judge_both(an_open_query(judged), (2, 2))
    request_due_yields()
    assert Job.objects.count() == 1

    Job.objects.update(created_at=timezone.now() - yield_reports.SHORTEST_WAIT)
    yield_reports.last_look.valid_until = 0
    request_due_yields()
    assert Job.objects.count() == 2


def test_a_report_that_takes_long_is_computed_less_often():
    assert wait_after(PoolReport(seconds=0.1)) == timedelta(minutes=1)
    assert wait_after(PoolReport(seconds=10)) == timedelta(seconds=1000)
