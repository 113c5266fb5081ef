"""Adding rounds to frozen pools."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from corpus.services import create_query
from corpus.state import CorpusChanged
from jobs.context import DirectRun
from pooling.errors import PoolingError
from pooling.models import Candidate, Contribution, Pool, PoolRound
from pooling.rounds.plans import RoundPlan
from pooling.rounds.services import ChangedWhileChosen, NothingToAdd, add_round, preview_round
from pooling.tables import overlap
from tests.support.factories import DocumentFactory
from tests.support.pool_counts import check_pool_counts
from tests.support.pooling_scenes import a_listed_collection
from tests.support.rounds import (
    FIRST_ROUND,
    a_frozen_collection,
    a_round,
    added,
    late,
    rows_of_round,
)
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_frozen_collection()


def test_a_round_adds_what_the_runs_have_to_its_depth_by_best_rank():
    collection = a_frozen_collection()  # d02, d05, d01, d12, d03, d11, d04, d10
    late(collection, "one", ["d06", "d01", "d07", "d08"])
    late(collection, "two", ["d12", "d09", "d06", "d07"])

    add_round(
        collection=collection,
        plan=RoundPlan("Late.", depth=3),
        runs=added(collection, "one", "two"),
        work=DirectRun(),
    )

    assert rows_of_round(collection, 2) == [
        ("d06", 9, [("one", 1, True), ("two", 3, False)]),
        ("d09", 10, [("two", 2, True)]),
        ("d07", 11, [("one", 3, True)]),
    ]
    pool = Pool.objects.get()
    assert (pool.size, pool.to_judge) == (11, 11)


def test_the_first_round_stays_as_it_was(collection):
    late(collection, "one", ["d06", "d01"])
    before = rows_of_round(collection, 1), Pool.objects.values().get()

    add_round(
        collection=collection,
        plan=RoundPlan("Late."),
        runs=added(collection, "one"),
        work=DirectRun(),
    )

    after = Pool.objects.values().get()
    assert rows_of_round(collection, 1) == before[0]
    assert {key for key in after if after[key] != before[1][key]} == {"size", "to_judge"}


def test_a_round_that_adds_nothing_is_refused_and_writes_nothing(collection):
    late(collection, "one", FIRST_ROUND)
    with pytest.raises(NothingToAdd):
        a_round(collection, "one")
    assert not PoolRound.objects.exists()


def test_drafts_and_the_query_paper_get_nothing():
    collection = a_listed_collection()
    late(collection, "one", ["d06", "d07"])
    with pytest.raises(PoolingError, match="No pool is frozen yet"):
        a_round(collection, "one")
    frozen = a_frozen_collection("other")
    late(frozen, "own", ["q1", "d06"])
    a_round(frozen, "own")
    assert [row[0] for row in rows_of_round(frozen, 2)] == ["d06"]


def test_a_document_without_text_is_pooled_and_not_judged(collection):
    DocumentFactory(collection=collection, docno="empty", sentences=[], labels=[])
    late(collection, "one", ["empty", "d06"])
    a_round(collection, "one")
    pool = Pool.objects.get()
    assert (pool.size, pool.to_judge) == (10, 9)
    assert Candidate.objects.get(document__docno="empty").excluded == "no-text"
    check_pool_counts(collection)


def test_rounds_are_numbered_and_name_the_round_before(collection):
    for name, docno in (("one", "d06"), ("two", "d07")):
        late(collection, name, [docno])
    first, second = a_round(collection, "one"), a_round(collection, "two")
    assert (first.number, second.number) == (2, 3)
    assert first.manifest["previous"]["round"] is None
    assert second.manifest["previous"]["round"] == first.manifest["sha256"]
    build = collection.pool_builds.get()
    assert first.manifest["previous"]["builds"] == [build.manifest["sha256"]]


def test_a_preview_counts_what_the_round_then_adds(collection):
    create_query(collection=collection, docno="q1", facet_key="result")
    late(collection, "one", ["d06", "d01", "d07"])
    late(collection, "two", ["d07", "d08"])
    plan, runs = RoundPlan("Late."), added(collection, "one", "two")

    preview = preview_round(collection, plan, runs, DirectRun())
    assert not PoolRound.objects.exists()
    add_round(collection=collection, plan=plan, runs=runs, work=DirectRun())

    assert preview.documents == {"q1": 3}
    assert preview.by_run == {"one": 1, "two": 2}
    assert preview.pairs == 6  # for two queries
    assert len(rows_of_round(collection, 2)) == 3


def test_a_sample_draws_its_share_of_each_stratum_with_its_probability(collection):
    late(collection, "one", [f"d{number}" for number in ("06", "07", "08", "09", *range(13, 21))])
    strata = {"bounds": [2, 12], "rates": [1.0, 0.3]}
    a_round(collection, "one", choice="sample", depth=12, parameters=strata)
    rows = Candidate.objects.filter(round=2).values_list("document__docno", "inclusion")
    probabilities = dict(rows)
    assert {"d06", "d07"} < set(probabilities)
    assert sorted(probabilities.values()) == [0.3, 0.3, 0.3, 1, 1]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"reason": " "}, "The reason is missing"),
        ({"reason": "x" * 1001}, "Shorten the reason"),
        ({"choice": "guess"}, "Unknown choice"),
        ({"depth": 0}, "depth must be at least 1"),
        ({"choice": "decisive"}, "needs the documents"),
        ({"parameters": {"bounds": [1]}}, "has no parameters"),
        ({"choice": "sample", "depth": 5}, "must be equal"),
        ({"only": {"q9": None}}, "q9 has no frozen pool"),
    ],
)
def test_an_invalid_plan_is_refused(collection, plan, words):
    late(collection, "one", ["d06"])
    with pytest.raises(PoolingError, match=words):
        a_round(collection, "one", **plan)


class Meanwhile(DirectRun):
    """Work during which something else happens before it begins to write."""

    def __init__(self, change) -> None:
        super().__init__()
        self.change = change

    def fenced(self):
        self.change()
        return transaction.atomic()


def another_document(collection):
    DocumentFactory(collection=collection)
    type(collection).objects.filter(pk=collection.pk).update(
        corpus_version=collection.corpus_version + 1
    )


CHANGES = {
    "documents": (another_document, CorpusChanged),
    "run": (
        lambda collection: collection.runs.filter(name="one").update(sha256="1" * 64),
        ChangedWhileChosen,
    ),
    "round": (lambda collection: a_round(collection, "two"), ChangedWhileChosen),
    "seed": (
        lambda collection: type(collection).objects.update(seed="other"),
        ChangedWhileChosen,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_meanwhile_stops_the_round(collection, name):
    late(collection, "one", ["d06"])
    late(collection, "two", ["d07"])
    change, error = CHANGES[name]
    with pytest.raises(error):
        add_round(
            collection=collection,
            plan=RoundPlan("Late."),
            runs=added(collection, "one"),
            work=Meanwhile(lambda: change(collection)),
        )
    assert not Candidate.objects.filter(document__docno="d06", round__gt=1).exists()


def test_a_failure_in_the_middle_writes_nothing(collection):
    late(collection, "one", ["d06"])

    class Stopped(DirectRun):
        def check(self) -> None:
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        add_round(
            collection=collection,
            plan=RoundPlan("Late."),
            runs=added(collection, "one"),
            work=Stopped(),
        )
    assert not PoolRound.objects.exists()
    assert Pool.objects.get().size == 8
    check_pool_counts(collection)


def test_nothing_can_be_added_to_a_frozen_round(collection):
    late(collection, "one", ["d06"])
    a_round(collection, "one")
    document = collection.documents.get(docno="d07")
    with pytest.raises(IntegrityError), transaction.atomic():
        Candidate.objects.create(pool=Pool.objects.get(), document=document, position=99, round=2)
    added_row = Candidate.objects.get(round=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        Contribution.objects.create(candidate=added_row, source="x", drawn=False)


def test_the_overlap_of_sources_leaves_out_later_rounds(collection):
    """A run of a round is no source of what was pooled before, so its overlap is not known."""
    before = overlap(collection)
    late(collection, "late", ["d06", *FIRST_ROUND])

    a_round(collection, "late")

    assert before
    assert overlap(collection) == before
