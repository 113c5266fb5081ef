"""What the pools that are samples were drawn from, found again in the stored runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from accounts.models import Collection
from pooling.formats import RankedList, docnos_of
from pooling.models import Candidate, Pool
from pooling.services.corpus import known_documents
from pooling.services.drawing import cited_by, drawn_from, left_out, stored_lists
from pooling.services.eligible import Eligible
from pooling.services.errors import PoolingError
from pooling.services.manifest import plan_of
from pooling.strategies import Stratum, sampled_from

READ_TOGETHER = 20  # pools; ten lists of 500 for each of them take some 15 MB


class SampledPool(NamedTuple):
    """A frozen pool that is a sample of a deep pool.

    `strata` are all of the deep pool, drawn or not. Documents without text are in none: nobody
    could have judged them.
    """

    query_paper: str
    strategy: str
    parameters: Mapping[str, Any]
    strata: tuple[Stratum, ...]


class SampleLost(PoolingError):
    """The stored runs do not give the deep pool that a frozen pool was drawn from."""

    def __init__(self, query_paper: str) -> None:
        super().__init__(
            f"The pool of {query_paper} is a sample, and the stored runs no longer give what it "
            "was drawn from. Were runs changed behind the program's back, or years and fields of "
            "documents? Restore the database from a backup."
        )


def sampled_pools(collection: Collection, query_papers: Iterable[str]) -> Iterator[SampledPool]:
    """The frozen pools of these query papers that are samples, by docno.

    Runs that a frozen pool was drawn from stay as they are, so the deep pool is found again rather
    than kept. That it is the right one is checked: all that was drawn is in it, with the
    probabilities that were recorded.

    Raises:
        SampleLost: it is not.
    """
    papers = sorted(set(query_papers))
    eligible: dict[int, Eligible | None] = {}  # by build: a plan may need facts of the whole corpus
    for start in range(0, len(papers), READ_TOGETHER):
        pools = (
            Pool.objects.frozen()
            .sampled()
            .filter(
                query_paper__collection=collection,
                query_paper__document__docno__in=papers[start : start + READ_TOGETHER],
            )
        )
        pools = pools.select_related("build", "query_paper__document")
        yield from _samples(collection, list(pools), eligible)


def _samples(
    collection: Collection, pools: list[Pool], eligible: dict[int, Eligible | None]
) -> Iterator[SampledPool]:
    plans = {pool.build_id: plan_of(pool.build.manifest) for pool in pools}
    papers = [pool.query_paper for pool in pools]
    lists, drawn = _lists(pools), _drawn(pools)
    known = known_documents(collection, cited_by(papers))
    for pool in sorted(pools, key=lambda one: one.query_paper.document.docno):
        plan, paper = plans[pool.build_id], pool.query_paper
        if pool.build_id not in eligible:
            eligible[pool.build_id] = Eligible.for_plan(collection, plan)
        mine = lists[paper.pk]
        sampled = {one.docno: one.inclusion for one in drawn[pool.pk] if one.drawer in plan.runs}
        certain = {one.docno for one in drawn[pool.pk]} - sampled.keys()
        out = left_out(paper, plan, mine, known, eligible[pool.build_id])
        docnos = {name: docnos_of(one) for name, one in drawn_from(plan, mine).items()}
        docno = paper.document.docno
        strata = sampled_from(plan.strategy, plan.parameters, docnos, {docno, *certain, *out})
        _check(docno, strata, sampled)
        yield SampledPool(docno, plan.strategy, plan.parameters, _with_text(collection, strata))


def _lists(pools: list[Pool]) -> dict[int, dict[str, RankedList]]:
    """The lists of the runs that each pool's build used, by query paper and the run's name.

    By build, because two builds can have used two runs of one name.
    """
    lists: dict[int, dict[str, RankedList]] = {}
    for build in {pool.build_id: pool.build for pool in pools}.values():
        used = build.build_runs.filter(run__isnull=False).select_related("run")
        papers = [pool.query_paper for pool in pools if pool.build_id == build.pk]
        lists |= stored_lists(papers, [build_run.run for build_run in used if build_run.run])
    return lists


class _Drawn(NamedTuple):
    docno: str
    drawer: str
    inclusion: float | None


def _drawn(pools: list[Pool]) -> dict[int, list[_Drawn]]:
    """Every candidate, by pool."""
    drawn: dict[int, list[_Drawn]] = defaultdict(list)
    rows = Candidate.objects.order_by().filter(pool__in=pools, contributions__drawn=True)
    for pool, docno, source, inclusion in rows.values_list(
        "pool_id", "document__docno", "contributions__source", "inclusion"
    ):
        drawn[pool].append(_Drawn(docno, source, inclusion))
    return drawn


def _check(paper: str, strata: Iterable[Stratum], chosen: Mapping[str, float | None]) -> None:
    """Raises SampleLost unless these strata give these documents these probabilities."""
    expected: dict[str, float] = {}
    for stratum in strata:
        here = [docno for docno in stratum.docnos if docno in chosen]
        expected |= {docno: len(here) / len(stratum.docnos) for docno in here}
    if expected != chosen:
        raise SampleLost(paper)


def _with_text(collection: Collection, strata: tuple[Stratum, ...]) -> tuple[Stratum, ...]:
    known = known_documents(collection, (docno for one in strata for docno in one.docnos))
    return tuple(
        one._replace(
            docnos=tuple(docno for docno in one.docnos if docno in known and known[docno].has_text)
        )
        for one in strata
    )
