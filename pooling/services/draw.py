"""Drawing the pools of a plan from the stored lists."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Container, Iterator, Sequence

from accounts.models import Collection
from corpus.models import QueryPaper
from corpus.state import corpus_documents, in_batches
from pooling import strategies
from pooling.services.drafts import NewPool
from pooling.services.eligibility import Eligible
from pooling.services.plans import PoolPlan
from pooling.strategies import Rankings
from retrieval.formats import RankedList, docnos_of
from retrieval.models import Ranking, Run
from retrieval.run_names import CITED
from retrieval.services.run_files import ranked_list

BATCH_SIZE = 20  # query papers; ten lists of 500 for each of them take some 15 MB

EMPTY = RankedList((), ())


def draw_pools(
    collection: Collection, papers: list[QueryPaper], plan: PoolPlan, runs: list[Run]
) -> Iterator[NewPool]:
    """The pool of every query paper, in order; lists and documents are read in batches.

    `runs` are all runs that the plan names, forced and excluded ones included.
    """
    eligible = Eligible.for_plan(collection, plan)
    for batch in in_batches(papers, BATCH_SIZE):
        stored = stored_lists(batch, runs)
        corpus = corpus_documents(collection, cited_docnos(batch))
        pools = [draw_pool(paper, plan, stored[paper.pk], corpus, eligible) for paper in batch]
        pooled_docnos = {entry.docno for pool, _ in pools for entry in pool.entries}
        documents = corpus_documents(collection, pooled_docnos)
        for paper, (pool, contributions) in zip(batch, pools, strict=True):
            yield NewPool(
                paper.pk,
                paper.name,
                pool,
                contributions,
                {entry.docno: documents[entry.docno] for entry in pool.entries},
                is_topic=paper.is_topic,
            )


def stored_lists(papers: Group[QueryPaper], runs: Group[Run]) -> dict[int, dict[str, RankedList]]:
    """The lists of these runs, by primary key of the query paper, then run name.

    A run without a list for a query paper has an empty one.
    """
    names = {run.pk: run.name for run in runs}
    lists = {paper.pk: dict.fromkeys(names.values(), EMPTY) for paper in papers}
    rows = Ranking.objects.order_by().filter(run__in=names, query_paper__in=papers)
    for paper, run, *stored in rows.values_list("query_paper_id", "run_id", "docnos", "scores"):
        lists[paper][names[run]] = ranked_list(*stored)
    return lists


def cited_docnos(papers: Group[QueryPaper]) -> set[str]:
    """The documents that the query papers cite."""
    return {docno for paper in papers for docno in paper.references}


def draw_pool(
    paper: QueryPaper,
    plan: PoolPlan,
    lists: Rankings,
    corpus: Container[str],
    eligible: Eligible | None,
) -> tuple[strategies.DrawnPool, tuple[strategies.DrawnContribution, ...]]:
    """Draw the pool of a query paper, with the sources of its documents.

    `lists` are those of every run of the plan; `corpus` has the docnos of the corpus. `eligible`
    does not apply to forced sources.
    """
    rankings = drawable_lists(plan, lists)
    forced = {source: _known_documents(source, paper, lists, corpus) for source in plan.forced}
    excluded = docnos_to_skip(paper, plan, lists, corpus, eligible)
    seed, docno = plan.seed or paper.collection.seed, paper.name
    pool = strategies.pool(
        plan.strategy,
        plan.parameters,
        rankings,
        forced,
        seed,
        docno,
        excluded,
        is_topic=paper.is_topic,
    )
    return pool, tuple(strategies.contributions(pool, rankings, forced))


def drawable_lists(plan: PoolPlan, lists: Rankings) -> Rankings:
    """The lists without those of forced and excluded sources."""
    return {name: ranking for name, ranking in lists.items() if name not in plan.known_sources}


def docnos_to_skip(
    paper: QueryPaper,
    plan: PoolPlan,
    lists: Rankings,
    corpus: Container[str],
    eligible: Eligible | None,
) -> set[str]:
    """The documents that are not drawn: those of excluded sources, and ineligible ones."""
    docnos = {
        docno
        for source in plan.excluded
        for docno in _known_documents(source, paper, lists, corpus)
    }
    return docnos | eligible.ineligible(paper, drawable_lists(plan, lists)) if eligible else docnos


def _known_documents(
    source: str, paper: QueryPaper, lists: Rankings, corpus: Container[str]
) -> Sequence[str]:
    """The known documents of a source: those the query paper cites, or a run's whole list."""
    if source != CITED:
        return docnos_of(lists[source])
    return [docno for docno in dict.fromkeys(paper.references) if docno in corpus]
