"""Two pool plans side by side: their pools, and how many known relevant documents each holds.

Writes nothing. All pools are drawn in memory, from the lists that are stored.
"""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from annotation.models import Pair, PairCount
from pooling.plan_form import PoolPlanForm
from pooling.services import Estimate, PoolPlan, draw_sample, estimate_pools, sample_for
from retrieval.models import Ranking, Run

Documents = Mapping[str, Group[str]]  # docnos of each pool, by query paper
# By query paper and docno: True for a relevant document.
Labels = Mapping[str, Mapping[str, bool]]


class SharedDocuments(NamedTuple):
    """The numbers of documents in the pools of both plans, or of only one.

    `papers` is the number of query papers. A document in the pools of two counts twice.
    """

    papers: int
    both: int
    only_first: int
    only_second: int

    @property
    def percent(self) -> float | None:
        """The Jaccard index, in percent; None if both plans have no document."""
        either = self.both + self.only_first + self.only_second
        return 100 * self.both / either if either else None


class KnownDocuments(NamedTuple):
    """Documents of a plan's pools, counted by label; `known` counts all known relevant ones."""

    found: int
    known: int
    not_relevant: int
    without_label: int

    @property
    def percent(self) -> float | None:
        """The percentage of known relevant documents in the pools; None if none is known."""
        return 100 * self.found / self.known if self.known else None


@dataclass(frozen=True)
class KnownRelevant:
    """The known relevant documents in the pools of both plans.

    For `papers` of `of_papers` query papers with labels. `missing` are retrievers without a list
    for some of them, which draw nothing here.
    """

    papers: int
    of_papers: int
    plans: tuple[KnownDocuments, KnownDocuments]
    missing: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """The known relevant documents of these query papers."""
        return self.plans[0].known


@dataclass(frozen=True)
class PlanComparison:
    """`shared` is None if no query paper is in both plans, `known` if no document has a label."""

    estimates: tuple[Estimate, Estimate]
    shared: SharedDocuments | None
    known: KnownRelevant | None


def comparison_of(
    collection: Collection, first: PoolPlanForm, second: PoolPlanForm
) -> PlanComparison:
    """The pools of two valid forms."""
    forms = (first, second)
    estimates = (_estimate(collection, first), _estimate(collection, second))
    plans = (first.plan(), second.plan())
    papers = [form.chosen_papers() for form in forms]
    docnos = sample_for(collection=collection, plans=plans, docnos=papers[0] & papers[1])
    pools = [
        _documents(collection, plan, estimate, docnos)
        for plan, estimate in zip(plans, estimates, strict=True)
    ]
    shared = shared_documents(*pools) if docnos else None
    return PlanComparison(estimates, shared, known_relevant(collection, plans))


def shared_documents(first: Documents, second: Documents) -> SharedDocuments:
    """Of the same query papers."""
    pairs = [(set(first[paper]), set(second[paper])) for paper in first]
    return SharedDocuments(
        papers=len(pairs),
        both=sum(len(mine & other) for mine, other in pairs),
        only_first=sum(len(mine - other) for mine, other in pairs),
        only_second=sum(len(other - mine) for mine, other in pairs),
    )


def count_known(pools: Documents, labels: Labels) -> KnownDocuments:
    """The labels of the pooled documents; a document without one may be relevant or not."""
    pooled = [labels[paper].get(docno) for paper, docnos in pools.items() for docno in docnos]
    return KnownDocuments(
        found=pooled.count(True),
        known=sum(label for paper in pools for label in labels[paper].values()),
        not_relevant=pooled.count(False),
        without_label=pooled.count(None),
    )


def known_relevant(
    collection: Collection, plans: tuple[PoolPlan, PoolPlan]
) -> KnownRelevant | None:
    """Count the known relevant documents that the plans' pools would hold; None without labels.

    The pools are drawn for a sample of the query papers with labels. Most of these have a frozen
    pool, which no plan changes: what a plan would have found there shows what to expect elsewhere.
    """
    judgment_runs = [run for run in collection.runs.all() if run.holds_judgments]
    papers = _papers_with_labels(collection, judgment_runs)
    if not papers:
        return None
    docnos = sample_for(collection=collection, plans=plans, docnos=papers)
    labels = known_labels(collection, docnos, judgment_runs)
    samples = [draw_sample(collection=collection, plan=plan, docnos=docnos) for plan in plans]
    first, second = (
        count_known({pool.query_paper: pool.docnos for pool in sample.pools}, labels)
        for sample in samples
    )
    missing = sorted({name for sample in samples for name in sample.missing})
    return KnownRelevant(len(docnos), len(papers), (first, second), tuple(missing))


def known_labels(
    collection: Collection, papers: Sequence[str], judgment_runs: Sequence[Run]
) -> Labels:
    """For these query papers, return whether each document with a label is relevant.

    A document is relevant if a final label of one of the query paper's queries is a relevant grade.
    Without a final label, it is relevant if an imported run of judgments lists it. A pair that
    only one of two annotators has judged is left out.
    """
    labels: dict[str, dict[str, bool]] = {paper: {} for paper in papers}
    lists = Ranking.objects.order_by().filter(run__in=judgment_runs, query_paper__name__in=papers)
    for paper, docnos in lists.values_list("query_paper__name", "docnos"):
        labels[paper].update(dict.fromkeys(docnos, True))
    queries = collection.queries.filter(query_paper__name__in=papers)
    paper_of_query = dict(queries.values_list("name", "query_paper__name"))
    finals: dict[tuple[str, str], int] = {}
    for pair in labelled_pairs(collection, Pair.objects.filter(query__in=queries.order_by())):
        if pair.final is not None:
            key = paper_of_query[pair.query], pair.docno
            finals[key] = max(pair.final, finals.get(key, 0))
    for (paper, docno), grade in finals.items():
        labels[paper][docno] = grade >= collection.relevant_from
    return labels


def _papers_with_labels(collection: Collection, judgment_runs: Sequence[Run]) -> set[str]:
    """The query papers with a judged pair, which triggers count, or with imported judgments."""
    counts = PairCount.objects.filter(query__collection=collection, judged__gt=0)
    lists = Ranking.objects.order_by().filter(run__in=judgment_runs)
    return {
        *counts.values_list("query__query_paper__name", flat=True),
        *lists.values_list("query_paper__name", flat=True),
    }


def _estimate(collection: Collection, form: PoolPlanForm) -> Estimate:
    return estimate_pools(
        collection=collection,
        plan=form.plan(),
        docnos=form.docnos,
        without_pool=form.without_pool,
    )


def _documents(
    collection: Collection, plan: PoolPlan, estimate: Estimate, docnos: Sequence[str]
) -> Documents:
    """The pools of these query papers, drawn again only if the estimate has not drawn them all."""
    pools = {pool.query_paper: pool.docnos for pool in estimate.pools}
    if pools.keys() >= set(docnos):
        return {paper: pools[paper] for paper in docnos}
    sample = draw_sample(collection=collection, plan=plan, docnos=docnos)
    return {pool.query_paper: pool.docnos for pool in sample.pools}
