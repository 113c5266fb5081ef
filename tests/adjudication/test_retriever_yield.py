"""What each source of the pools contributed, on a case worked out by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from adjudication.retriever_yield import SourceCandidate, Yield, is_found, yields, yields_of
from annotation.models import Slot
from annotation.services import open_query
from evaluation.pool_bias.services import PoolBiasReport
from jobs import services as jobs
from jobs.models import Job, State
from planning.yields import report as yield_reports
from planning.yields.report import (
    YieldReport,
    request_due_yields,
)
from pooling.models import Contribution
from pooling.services import freeze_pools
from reports.models import StoredReport
from reports.services import compute_report
from tests.support.factories import a_collection, a_pool, an_open_query, annotators
from tests.support.pooling_scenes import a_listed_collection
from tests.support.sittings import judge_at_once, judge_both
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

    one, two = yields(candidates, grades, relevant_from=2)
    assert one == Yield("one", drawn=2, judged=3, relevant=2, alone=1)
    assert two == Yield("two", drawn=1, judged=1, relevant=0, alone=0)
    assert one.percent == pytest.approx(200 / 3)


def test_a_document_relevant_to_two_queries_counts_twice():
    (source_yield,) = yields([SourceCandidate("one", A, True, True)], {A: [2, 3]}, relevant_from=2)

    assert (source_yield.judged, source_yield.relevant, source_yield.alone) == (2, 2, 2)


def test_a_source_that_drew_nothing_is_listed_without_a_share():
    source_yield = yields(
        [SourceCandidate("one", A, drawn=False, found=True)], {A: [3]}, relevant_from=2
    )[0]

    assert (source_yield.drawn, source_yield.percent) == (0, None)


@pytest.mark.parametrize(
    ("drawn", "rank", "depth", "found"),
    [
        (True, 9, 2, True),
        (False, 2, 2, True),
        (False, 3, 2, False),
        (False, 1, None, False),  # it drew nothing, so no document would have been its draw
        (False, None, None, True),  # imported pools have no ranks
    ],
)
def test_a_source_found_what_it_lists_down_to_the_depth_it_drew_from(drawn, rank, depth, found):
    assert is_found(drawn, rank, depth) == found


def test_the_source_with_the_most_relevant_documents_is_first():
    candidates = [SourceCandidate(name, (name, "d"), True, True) for name in ("b", "a", "c")]
    grades = {("b", "d"): [3], ("a", "d"): [3], ("c", "d"): [3, 3]}
    rows = yields(candidates, grades, relevant_from=3)
    assert [row.source for row in rows] == ["c", "a", "b"]
    assert [row.relevant for row in yields(candidates, grades, relevant_from=4)] == [0, 0, 0]


@pytest.mark.django_db
def test_yields_of_a_collection_count_finders_by_depth_and_leave_the_query_paper_out():
    collection = a_listed_collection()
    a_query_paper = collection.query_papers.get(name="q1")
    documents = {row.docno: row for row in collection.documents.all()}
    pool = a_pool(a_query_paper, [documents[docno] for docno in ("d01", "d02", "q1")], "up")
    pool.depth = {"up": 3, "down": 2}
    pool.save()
    rows = [(candidate, rank) for rank, candidate in enumerate(pool.candidates.all(), start=2)]
    Contribution.objects.bulk_create(
        Contribution(candidate=candidate, source="down", rank=rank, drawn=False)
        for candidate, rank in rows
    )
    freeze_pools(collection=collection)
    other = a_listed_collection("other")
    a_pool(other.query_papers.get(name="q1"), [other.documents.get(docno="d01")], "elsewhere")
    query = collection.queries.get(name="q1_method")
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    judge_at_once((slot, 3) for slot in Slot.objects.of(collection))

    # `down` has d01 at 2, within its depth, and d02 at 3, which is deeper.
    assert yields_of(collection) == [
        Yield("up", drawn=3, judged=2, relevant=2, alone=1),
        Yield("down", drawn=0, judged=0, relevant=0, alone=0),
    ]
    assert [row._asdict() for row in yields_of(collection)] == compute_report(
        PoolBiasReport(), collection=collection
    ).payload["sources"]


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

    compute_report(YieldReport(), collection=judged)

    page = pools_page()
    (row,) = page.context["yields"].rows
    assert row == yields_of(judged)[0]
    assert (row.relevant, row.percent) == (1, 100)
    assert "have changed since" not in text_of(page)


@pytest.mark.django_db
def test_yields_before_the_latest_judgments_say_so(judged):
    compute_report(YieldReport(), collection=judged)
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
    assert YieldReport().wait_after(StoredReport(seconds=0.1)) == timedelta(minutes=1)
    assert YieldReport().wait_after(StoredReport(seconds=10)) == timedelta(seconds=1000)
