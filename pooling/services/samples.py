"""The deep pools that sampled pools were drawn from, computed from the stored runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from accounts.models import Collection
from corpus.models import SOURCES
from corpus.state import corpus_documents
from pooling.errors import PoolingError
from pooling.models import Candidate, Pool, RoundList
from pooling.services.draw import cited_docnos, docnos_to_skip, drawable_lists, stored_lists
from pooling.services.eligibility import Eligible
from pooling.services.manifest import plan_of
from pooling.strategies import Stratum, own_docnos, sampled_from
from retrieval.formats import RankedList, docnos_of

BATCH_SIZE = 20  # pools; ten lists of 500 for each of them take some 15 MB


class StratifiedPool(NamedTuple):
    """A frozen pool that is a sample of a deep pool.

    `strata` hold the deep pool, drawn documents and others. Documents without text are left out,
    because they cannot be judged.
    """

    query_paper: str
    strategy: str
    parameters: Mapping[str, Any]
    strata: tuple[Stratum, ...]


class SampleLost(PoolingError):
    """The deep pool of a frozen pool cannot be computed from the stored runs."""

    def __init__(self, query_paper: str) -> None:
        super().__init__(
            f"The pool of {query_paper} is a sample, and the stored runs no longer give the "
            "documents it was drawn from. Runs, or years or fields of documents, were changed "
            "in the database. Restore the database from a backup."
        )


def sampled_pools(collection: Collection, query_papers: Iterable[str]) -> Iterator[StratifiedPool]:
    """The frozen pools of these query papers that are samples, by docno.

    The runs of a frozen pool never change, so the deep pool is computed instead of stored. It is
    checked: it must contain the drawn documents with their recorded probabilities.

    Raises:
        SampleLost: the check failed.
    """
    papers = sorted(set(query_papers))
    eligible: dict[int, Eligible | None] = {}  # by build, because a plan may need the whole corpus
    for start in range(0, len(papers), BATCH_SIZE):
        pools = (
            Pool.objects.frozen()
            .sampled()
            .filter(
                query_paper__collection=collection,
                query_paper__name__in=papers[start : start + BATCH_SIZE],
            )
        )
        pools = pools.select_related("build", *SOURCES)
        yield from _samples(collection, list(pools), eligible)


def _samples(
    collection: Collection, pools: list[Pool], eligible: dict[int, Eligible | None]
) -> Iterator[StratifiedPool]:
    plans = {pool.build_id: plan_of(pool.build.manifest) for pool in pools}
    papers = [pool.query_paper for pool in pools]
    lists, candidates = _lists(pools), _drawn_candidates(pools)
    corpus = corpus_documents(collection, cited_docnos(papers))
    certain = _in_lists_of_rounds(collection, [paper.name for paper in papers])
    for pool in sorted(pools, key=lambda pool: pool.query_paper.name):
        plan, paper = plans[pool.build_id], pool.query_paper
        if pool.build_id not in eligible:
            eligible[pool.build_id] = Eligible.for_plan(collection, plan)
        rankings = lists[paper.pk]
        sampled = {
            candidate.docno: candidate.inclusion
            for candidate in candidates[pool.pk]
            if candidate.drawer in plan.runs
        }
        forced = {candidate.docno for candidate in candidates[pool.pk]} - sampled.keys()
        skipped_docnos = docnos_to_skip(paper, plan, rankings, corpus, eligible[pool.build_id])
        docnos = {
            name: docnos_of(ranking) for name, ranking in drawable_lists(plan, rankings).items()
        }
        docno, own = paper.name, own_docnos(paper.name, is_topic=paper.is_topic)
        strata = sampled_from(
            plan.strategy, plan.parameters, docnos, {*own, *forced, *skipped_docnos}
        )
        _check(docno, strata, sampled)
        strata = _without(strata, certain.get(docno, frozenset()))
        yield StratifiedPool(docno, plan.strategy, plan.parameters, _with_text(collection, strata))


def _lists(pools: list[Pool]) -> dict[int, dict[str, RankedList]]:
    """The lists of each pool's runs, by primary key of the query paper and run name.

    They are read per build, because two builds can have used two runs of one name.
    """
    lists: dict[int, dict[str, RankedList]] = {}
    for build in {pool.build_id: pool.build for pool in pools}.values():
        build_runs = build.build_runs.filter(run__isnull=False).select_related("run")
        papers = [pool.query_paper for pool in pools if pool.build_id == build.pk]
        lists |= stored_lists(papers, [build_run.run for build_run in build_runs if build_run.run])
    return lists


class _DrawnCandidate(NamedTuple):
    docno: str
    drawer: str
    inclusion: float | None


def _drawn_candidates(pools: list[Pool]) -> dict[int, list[_DrawnCandidate]]:
    """Every candidate of the builds and its drawer, by pool. Later rounds are no part of them."""
    candidates: dict[int, list[_DrawnCandidate]] = defaultdict(list)
    rows = Candidate.objects.order_by().filter(pool__in=pools, round=1, contributions__drawn=True)
    for pool, docno, source, inclusion in rows.values_list(
        "pool_id", "document__docno", "contributions__source", "inclusion"
    ):
        candidates[pool].append(_DrawnCandidate(docno, source, inclusion))
    return candidates


def _check(paper: str, strata: Iterable[Stratum], sampled: Mapping[str, float | None]) -> None:
    """Raises SampleLost unless the strata give the sampled documents their probabilities."""
    expected: dict[str, float] = {}
    for stratum in strata:
        sample = [docno for docno in stratum.docnos if docno in sampled]
        expected |= {docno: len(sample) / len(stratum.docnos) for docno in sample}
    if expected != sampled:
        raise SampleLost(paper)


def _in_lists_of_rounds(collection: Collection, papers: list[str]) -> dict[str, set[str]]:
    """The documents that later pool rounds have added, or found pooled, by query paper.

    A round of a sampled pool adds all documents of its lists, so all of them are in the pool for
    certain, whether the sample drew them or not. The sample is a random one of the other documents.
    """
    lists = RoundList.objects.filter(pool_round__collection=collection, query_paper__in=papers)
    found: dict[str, set[str]] = defaultdict(set)
    for paper, docnos in lists.order_by().values_list("query_paper", "docnos"):
        found[paper].update(docnos)
    return found


def _without(strata: tuple[Stratum, ...], docnos: Group[str]) -> tuple[Stratum, ...]:
    return tuple(
        stratum._replace(docnos=tuple(docno for docno in stratum.docnos if docno not in docnos))
        for stratum in strata
    )


def _with_text(collection: Collection, strata: tuple[Stratum, ...]) -> tuple[Stratum, ...]:
    corpus = corpus_documents(collection, (docno for stratum in strata for docno in stratum.docnos))
    return tuple(
        stratum._replace(
            docnos=tuple(
                docno for docno in stratum.docnos if docno in corpus and corpus[docno].has_text
            )
        )
        for stratum in strata
    )
