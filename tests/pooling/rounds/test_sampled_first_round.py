"""A round of pools that are samples: its documents are certain, the sample is one of the others."""

from __future__ import annotations

from statistics import mean, stdev

import pytest

from accounts.models import Collection
from pooling.errors import PoolingError
from pooling.models import Candidate
from pooling.services import freeze_pools
from pooling.services.samples import sampled_pools
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, built
from tests.support.rounds import a_round, late

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
RELEVANT = {"d01", "d03", "d04", "d08", "d09", "d11", "d12"}
LATE = ["d04", "d09", "d10", "d12", "d02", "d06"]
SEEDS = 60


def a_sampled_collection(seed: str) -> Collection:
    """A third of twelve documents is drawn."""
    collection = a_listed_collection(f"s{seed}", cited=())
    parameters = {"bounds": [12], "rates": [0.34]}
    built(collection, strategy="stratified", parameters=parameters, seed=seed, forced=(), depth=12)
    freeze_pools(collection=collection)
    return collection


def estimate(collection: Collection) -> float:
    """The number of relevant documents: those known for certain, and N/n times those drawn."""
    (sample,) = sampled_pools(collection, ["q1"])
    pooled = set(
        Candidate.objects.filter(pool__query_paper__collection=collection).values_list(
            "document__docno", flat=True
        )
    )
    (stratum,) = sample.strata
    drawn = [docno for docno in stratum.docnos if docno in pooled]
    certain = (pooled - set(stratum.docnos)) & RELEVANT
    return len(certain) + len(stratum.docnos) * mean(docno in RELEVANT for docno in drawn)


@pytest.mark.by_day(2)
def test_the_estimate_stays_unbiased():
    estimates = []
    for seed in map(str, range(SEEDS)):
        collection = a_sampled_collection(seed)
        late(collection, "late", LATE)
        a_round(collection, "late")
        (sample,) = sampled_pools(collection, ["q1"])
        assert {docno for stratum in sample.strata for docno in stratum.docnos} == (
            set(DOCNOS) - set(LATE)
        )
        if not Candidate.objects.filter(
            pool__query_paper__collection=collection,
            document__docno__in=sample.strata[0].docnos,
        ).exists():
            continue  # nothing of the others was drawn, so nothing can be said of them
        estimates.append(estimate(collection))
    error = stdev(estimates) / len(estimates) ** 0.5
    assert abs(mean(estimates) - len(RELEVANT)) < 3 * error
    assert len(estimates) > SEEDS - 5


@pytest.mark.parametrize(
    "plan",
    [
        {"choice": "sample", "depth": 4, "parameters": {"bounds": [4], "rates": [0.5]}},
        {"choice": "decisive", "only": {"q1": ["d10"]}},
        {"only": {"q1": ["d10"]}},
    ],
)
def test_a_choice_of_some_documents_is_refused(plan):
    collection = a_sampled_collection("1")
    late(collection, "late", LATE)
    with pytest.raises(PoolingError, match="Some pools are samples"):
        a_round(collection, "late", **plan)
