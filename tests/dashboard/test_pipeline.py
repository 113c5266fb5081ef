"""What follows from a collection's counts."""

import uuid
from dataclasses import replace

import pytest

from accounts.models import User
from annotation.models import Slot
from annotation.services import Answer, presentation_of, submit_judgment
from dashboard.overview.counts import counts_of, open_jobs
from dashboard.overview.steps import CollectionCounts, next_step, steps
from jobs.models import Job, State
from notices.waiting import personal_work
from tests.support.factories import a_collection, a_query, an_open_query

NEW = CollectionCounts(admins=1)
WITH_CORPUS = CollectionCounts(admins=1, documents=100)
WITH_QUERIES = CollectionCounts(documents=100, queries=4, query_papers=3)
WITH_RUNS = CollectionCounts(documents=100, queries=4, query_papers=3, runs=2)
WITH_POOLS = CollectionCounts(
    documents=100, queries=4, query_papers=3, runs=2, pools=3, candidates=60, annotators=2
)
JUDGING = CollectionCounts(
    documents=100,
    queries=4,
    query_papers=3,
    pools=3,
    opened=4,
    finished=1,
    slots=160,
    judged_slots=50,
    annotators=2,
    adjudicators=1,
)
JUDGED = CollectionCounts(
    documents=100,
    queries=4,
    query_papers=3,
    pools=3,
    opened=4,
    finished=4,
    slots=160,
    judged_slots=160,
    cases=9,
    settled=7,
    annotators=2,
    adjudicators=1,
)
SETTLED = CollectionCounts(
    documents=100,
    queries=4,
    query_papers=3,
    pools=3,
    opened=4,
    finished=4,
    cases=9,
    settled=9,
    annotators=2,
)
MEASURED = CollectionCounts(
    documents=100,
    queries=4,
    query_papers=3,
    pools=3,
    opened=4,
    finished=4,
    cases=9,
    settled=9,
    reports=1,
)
PUBLISHED = CollectionCounts(
    documents=100,
    queries=4,
    query_papers=3,
    pools=3,
    opened=4,
    finished=4,
    cases=9,
    settled=9,
    reports=1,
    releases=1,
)


@pytest.mark.parametrize(
    ("counts", "current", "place"),
    [
        (NEW, "Corpus", "import-documents"),
        (WITH_CORPUS, "Queries", "add-query"),
        (WITH_QUERIES, "Pools", "runs"),
        (WITH_RUNS, "Pools", "plan-pools"),
        (WITH_POOLS, "Judging", "board?state=not-open"),
        (JUDGING, "Judging", "board"),
        (JUDGED, "Adjudication", "board"),
        (SETTLED, "Agreement", "agreement"),
        (MEASURED, "Release", "releases"),
        (PUBLISHED, None, "releases"),
    ],
)
def test_the_next_step_is_that_of_the_current_step(counts, current, place):
    assert [step.name for step in steps(counts) if step.current] == ([current] if current else [])
    assert next_step(counts).place == place


def test_there_are_seven_steps_in_the_order_of_the_data():
    assert [step.name for step in steps(NEW)] == [
        "Corpus",
        "Queries",
        "Pools",
        "Judging",
        "Adjudication",
        "Agreement",
        "Release",
    ]


def test_opening_is_named_with_its_number():
    assert next_step(WITH_POOLS).button == "Open queries"


@pytest.mark.parametrize(("here", "text"), [(0, "no annotator"), (1, "only one annotator")])
def test_without_two_annotators_they_come_first(here, text):
    counts = CollectionCounts(documents=1, queries=1, query_papers=1, pools=1, annotators=here)

    assert text in next_step(counts).text
    assert next_step(counts).place == "people"


def test_cases_without_an_adjudicator_come_before_more_queries():
    counts = CollectionCounts(
        documents=1, queries=2, query_papers=1, pools=1, opened=1, annotators=2, cases=3
    )

    assert next_step(counts).button == "Add an adjudicator"


def test_numbers_have_denominators():
    figures = {step.name: step.figure for step in steps(JUDGED)}

    assert figures["Judging"] == "4 of 4"
    assert figures["Adjudication"] == "7 of 9"


def test_each_step_says_what_it_passes_to_the_next():
    counts = replace(JUDGED, pairs=80, judged_pairs=80)

    assert [step.passes for step in steps(counts)] == [
        "3 query papers",
        "3 with a pool",
        "80 pairs open",
        "80 judged twice",
        "78 pairs done",
        "",
        "",
    ]


def test_queries_made_of_topics_are_called_topics():
    of_topics, of_both = replace(WITH_RUNS, topics=3), replace(WITH_RUNS, topics=1)

    assert steps(of_topics)[0].passes == "3 topics"
    assert next_step(of_topics).text == "3 topics of 3 have no pool yet."
    assert next_step(of_both).text == "3 topics and query papers of 3 have no pool yet."


def test_a_step_with_a_total_has_a_meter():
    progress = {step.name: step.progress for step in steps(JUDGED) if step.progress}

    assert progress == {"Pools": (3, 3), "Judging": (4, 4), "Adjudication": (7, 9)}
    assert not any(step.progress for step in steps(NEW))


def judge(opening, number, grades):
    slots = Slot.objects.filter(pair__query=opening.query, number=number).order_by("pair")
    for slot, grade in zip(slots, grades, strict=False):
        submit_judgment(
            slot_id=slot.pk,
            annotator=slot.annotator,
            answer=Answer(grade=grade),
            presentation_digest=presentation_of(slot.pair, 1).digest,
            key=uuid.uuid4(),
            supersedes=None,
        )


@pytest.mark.django_db
def test_counts_are_those_of_the_database():
    collection = a_collection()
    finished, begun = an_open_query(collection), an_open_query(collection)
    a_query(collection)
    judge(finished, 1, [0, 1, 2])
    judge(finished, 2, [0, 2, 3])
    judge(begun, 1, [3])

    counts = counts_of([collection])[collection.pk]

    assert counts == CollectionCounts(
        documents=12,
        queries=3,
        opened=2,
        finished=1,
        query_papers=3,
        pools=3,
        frozen_pools=2,
        candidates=9,
        pairs=6,
        judged_pairs=3,
        slots=12,
        judged_slots=7,
        cases=2,
        settled=0,
        admins=1,
        annotators=2,
        adjudicators=1,
        sample_facets=3,
    )


@pytest.mark.django_db
def test_one_judgment_of_a_pair_tells_nothing_about_cases():
    collection = a_collection()
    opening = an_open_query(collection)
    before = counts_of([collection])[collection.pk]

    judge(opening, 1, [0, 1, 2])

    after = counts_of([collection])[collection.pk]
    assert (after.cases, after.due, after.judged_pairs) == (before.cases, before.due, 0)


@pytest.mark.django_db
def test_counting_costs_the_same_for_one_collection_and_for_many(django_assert_num_queries):
    collections = [a_collection(f"c{number}") for number in range(4)]

    with django_assert_num_queries(14):
        counts_of(collections[:1])
    with django_assert_num_queries(14):
        assert len(counts_of(collections)) == 4


@pytest.mark.django_db
def test_collections_do_not_mix():
    small, other = a_collection("small"), a_collection("other")
    an_open_query(other)

    counts = counts_of([small, other])

    assert counts[small.pk].pairs == 0
    assert counts[other.pk].pairs == 3


@pytest.mark.django_db
def test_work_is_counted_for_one_person():
    collection = a_collection()
    opening = an_open_query(collection)
    judge(opening, 1, [0, 1])
    judge(opening, 2, [3, 1, 2])
    person = {user.username: user for user in User.objects.all()}

    def work(username):
        return personal_work(person[username], [collection])[collection.pk]

    assert (work("ann1").remaining, work("ann1").judged) == (1, 2)
    assert work("ann2").remaining == 0
    assert work("adju").due == 1
    assert work("ann1").due == 0  # a judge does not settle the case


@pytest.mark.django_db
def test_a_failed_job_is_open_until_it_is_tried_again():
    collection = a_collection()
    failed = Job.objects.create(collection=collection, kind="k", key="k", state=State.FAILED)

    assert list(open_jobs(collection)) == [failed]
    assert counts_of([collection])[collection.pk].failed_jobs == 1

    Job.objects.create(collection=collection, kind="k", key="k", state=State.SUCCEEDED)

    assert not open_jobs(collection)
    assert counts_of([collection])[collection.pk].failed_jobs == 0
