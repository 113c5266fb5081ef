"""Drawing the pools of a plan: which lists count for what, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Collection as Group

from accounts.models import Collection
from corpus.models import QueryPaper
from pooling import strategies
from pooling.formats import RankedList, Scored, docnos_of
from pooling.models import Ranking, Run
from pooling.services.corpus import in_batches, known_documents
from pooling.services.eligible import Eligible
from pooling.services.keeping import Drawing
from pooling.services.plan import PoolPlan
from pooling.services.run_files import ranked_list
from pooling.services.runs import CITED

DRAWN_TOGETHER = 20  # query papers; ten lists of 500 for each of them take some 15 MB

EMPTY = RankedList((), ())

Lists = Mapping[str, Sequence[Scored]]  # of one query paper, by run


def drawn_pools(
    collection: Collection, papers: list[QueryPaper], plan: PoolPlan, runs: list[Run]
) -> Iterator[Drawing]:
    """The pool of every query paper, in order; lists and documents are read for many at a time.

    `runs` are all that the plan names, the known ones among them.
    """
    eligible = Eligible.for_plan(collection, plan)
    for batch in in_batches(papers, DRAWN_TOGETHER):
        stored = stored_lists(batch, runs)
        known = known_documents(collection, cited_by(batch))
        pools = [draw_pool(paper, plan, stored[paper.pk], known, eligible) for paper in batch]
        pooled = {entry.docno for pool, _ in pools for entry in pool.entries}
        documents = known_documents(collection, pooled)
        for paper, (pool, contributions) in zip(batch, pools, strict=True):
            yield Drawing(
                paper.pk,
                paper.document.docno,
                pool,
                contributions,
                {entry.docno: documents[entry.docno] for entry in pool.entries},
            )


def stored_lists(papers: Group[QueryPaper], runs: Group[Run]) -> dict[int, dict[str, RankedList]]:
    """What these runs have for the query papers, by its pk and the run's name; empty for none."""
    names = {run.pk: run.name for run in runs}
    lists = {paper.pk: dict.fromkeys(names.values(), EMPTY) for paper in papers}
    rows = Ranking.objects.order_by().filter(run__in=names, query_paper__in=papers)
    for paper, run, *stored in rows.values_list("query_paper_id", "run_id", "docnos", "scores"):
        lists[paper][names[run]] = ranked_list(*stored)
    return lists


def cited_by(papers: Group[QueryPaper]) -> set[str]:
    return {docno for paper in papers for docno in paper.document.references}


def draw_pool(
    paper: QueryPaper,
    plan: PoolPlan,
    lists: Lists,
    known: Container[str],
    eligible: Eligible | None,
    pool: Callable[..., strategies.Drawn] = strategies.pool,
) -> tuple[strategies.Drawn, tuple[strategies.Contribution, ...]]:
    """One query paper's pool and who has its documents.

    `lists` are those of every run of the plan; `known` the docnos of the corpus. Forced sources
    are taken as they are. `pool` draws; older manifests need older rules.
    """
    rankings = drawn_from(plan, lists)
    forced = {source: _known_to(source, paper, lists, known) for source in plan.forced}
    excluded = left_out(paper, plan, lists, known, eligible)
    seed, docno = plan.seed or paper.collection.seed, paper.document.docno
    drawn = pool(plan.strategy, plan.parameters, rankings, forced, seed, docno, excluded)
    return drawn, tuple(strategies.contributions(drawn, rankings, forced))


def drawn_from(plan: PoolPlan, lists: Lists) -> Lists:
    """The lists without those of the sources that are known beforehand."""
    return {name: ranking for name, ranking in lists.items() if name not in plan.known}


def left_out(
    paper: QueryPaper,
    plan: PoolPlan,
    lists: Lists,
    known: Container[str],
    eligible: Eligible | None,
) -> set[str]:
    """What is passed over in the lists: known positives, and documents that are not eligible."""
    docnos = {docno for source in plan.excluded for docno in _known_to(source, paper, lists, known)}
    return docnos | eligible.others(paper, drawn_from(plan, lists)) if eligible else docnos


def _known_to(source: str, paper: QueryPaper, lists: Lists, known: Container[str]) -> Sequence[str]:
    """The known documents of a source: what the query paper cites, or a run's whole list."""
    if source != CITED:
        return docnos_of(lists[source])
    return [docno for docno in dict.fromkeys(paper.document.references) if docno in known]
