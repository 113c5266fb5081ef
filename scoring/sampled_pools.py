"""The sampled pools of a collection, with the strata that inferred measures need."""

from __future__ import annotations

from collections import defaultdict

from accounts.models import Collection
from pooling.models import Candidate, Pool
from pooling.services.samples import SampleLost, sampled_pools
from scoring.measures.judged_ranks import Qrels
from scoring.measures.sampled import SampledPools

CERTAIN = 0  # the stratum of what was in the pool for certain, as in the release's sampleval files


def sampled_pools_of(
    collection: Collection, qrels: Qrels, relevant_from: int
) -> tuple[SampledPools | None, str]:
    """The labelled queries whose pool is a sample, or the reason why their strata are unknown.

    (None, "") if no labelled query has such a pool. The deep pools are computed from the stored
    runs, and are those of the release's `sampleval` files: documents without text are left out,
    and a drawn document without a label counts as not drawn.
    """
    pools = Pool.objects.frozen().sampled().filter(query_paper__collection=collection)
    rows = collection.queries.order_by().filter(query_paper__in=pools.values("query_paper"))
    queries = {
        query: paper
        for query, paper in rows.values_list("name", "query_paper__name")
        if query in qrels
    }
    if not queries:
        return None, ""
    certain: dict[str, dict[str, int]] = defaultdict(dict)
    candidates = Candidate.objects.to_judge().filter(pool__in=pools).order_by()
    for paper, docno in candidates.values_list("pool__query_paper__name", "document__docno"):
        certain[paper][docno] = CERTAIN
    try:
        samples = {
            sample.query_paper: {
                docno: number
                for number, stratum in enumerate(sample.strata, start=1)
                for docno in stratum.docnos
            }
            for sample in sampled_pools(collection, queries.values())
        }
    except SampleLost as error:
        return None, str(error)
    strata = {query: certain[paper] | samples[paper] for query, paper in queries.items()}
    return SampledPools(strata, qrels, relevant_from), ""
