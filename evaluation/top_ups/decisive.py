"""The documents of a round that can change a conclusion about its systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accounts.models import Collection
from corpus.digests import json_digest
from evaluation.gaps.computation.bounds import UnboundedMeasure
from evaluation.gaps.computation.conclusions import Conclusion
from evaluation.gaps.services import all_conclusions, decisive_documents
from jobs.context import JobContext
from pooling.errors import PoolingError
from pooling.models import Pool
from pooling.rounds.plans import RoundPlan
from scoring.labels import qrels_of

MEASURE = "nDCG@20"


def limited_to_decisive(
    collection: Collection,
    plan: RoundPlan,
    runs: Sequence[str],
    measure: str,
    work: JobContext,
) -> RoundPlan:
    """The plan, limited to documents of these runs whose labels can change a conclusion.

    The conclusions are on each of the runs against every system: which of the two has the higher
    mean of the measure, and whether the difference is significant. The plan names the labels that
    this depends on by a digest.

    Raises PoolingError for a run that is no system yet, and a measure without bounds.
    """
    documents = decisive_documents_of(collection, runs, measure or MEASURE, plan.depth, work)
    pooled = Pool.objects.frozen().filter(query_paper__collection=collection)
    names = set(pooled.values_list("query_paper__name", flat=True))
    only = {paper: docnos for paper, docnos in documents.items() if paper in names}
    labels = json_digest({name: dict(own) for name, own in qrels_of(collection).items()})
    return replace(plan, only=only, labels_sha256=labels)


def decisive_documents_of(
    collection: Collection, runs: Sequence[str], measure: str, depth: int, work: JobContext
) -> dict[str, list[str]]:
    systems = list(collection.systems.order_by("name").values_list("name", flat=True))
    if unscored := sorted(set(runs) - set(systems)):
        raise PoolingError(
            f"{unscored[0]} has not been scored yet, so no conclusion is drawn from it. Score it "
            "on the leaderboard, or with score_systems, first."
        )
    conclusions: list[Conclusion] = [
        each for each in all_conclusions(systems, measure) if {*each[:2]} & set(runs)
    ]
    try:
        return decisive_documents(
            collection, conclusions, depth=depth, gaps_of=sorted(set(runs)), work=work
        )
    except UnboundedMeasure as error:
        raise PoolingError(str(error)) from error
