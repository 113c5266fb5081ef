"""A query's pool, drawn from the stored lists or read back from its rows: the two must be equal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from typing import Any, NamedTuple

from corpus.models import Query
from corpus.ordering import shuffled
from pooling import mdcr
from pooling.models import Candidate, Contribution, Pool
from pooling.strategies import Shortfall, draw
from retrieval.citations import CITED, cited_docnos
from retrieval.lists import ranked_lists
from retrieval.models import RankedList, Run


class PooledDocument(NamedTuple):
    """`ranks` are (run, rank, score) of every run that ranks it, whether or not it drew it, by the run's name.

    Rank and score are None in published pools, which name their sources only.
    """

    docno: str
    source: str
    ranks: Sequence[tuple[str, int | None, float | None]]

    def __str__(self) -> str:
        ranks = ", ".join(f"{run} {rank} {score!r}" for run, rank, score in self.ranks)
        return f"{self.docno} from {self.source}{f' ({ranks})' if ranks else ''}"


@dataclass
class DrawnPool:
    """`order` is the query's order of sources; `shortfall` has only sources that are short."""

    order: list[str]
    shortfall: Shortfall
    documents: list[PooledDocument]

    def difference(self, other: DrawnPool) -> str:
        """The first place where the other pool is not this one, in words; "" where they are equal."""
        for position, (expected, got) in enumerate(zip_longest(self.documents, other.documents), 1):
            if expected != got:
                return f"position {position}: expected {expected or 'nothing'}, got {got or 'nothing'}"
        for what in ("order", "shortfall"):
            if (expected := getattr(self, what)) != (got := getattr(other, what)):
                return f"{what}: expected {expected}, got {got}"
        return ""


def lists_of(query: Query, runs: Sequence[Run]) -> dict[str, RankedList]:
    """The query's list in each run, an empty one where a run lacks the query."""
    return {run.name: RankedList(docnos=[], scores=[]) for run in runs} | ranked_lists(query, runs)


def forced_docnos(query: Query, plan: Mapping[str, Any]) -> dict[str, list[str]]:
    return {CITED: cited_docnos(query)} if CITED in plan["forced"] else {}


def pooled_before(query: Query, round_number: int) -> list[str]:
    """What the query's frozen pools of earlier rounds have, in the order drawn."""
    earlier = Candidate.objects.filter(
        pool__query=query, pool__pool_set__frozen_at__isnull=False, pool__pool_set__round__lt=round_number
    )
    return list(earlier.order_by("pool__pool_set__round", "position").values_list("document__docno", flat=True))


def citations_for(plan: Mapping[str, Any], queries: Sequence[Query]) -> mdcr.Candidates | None:
    """What `draw_pool` needs beside the lists; read once for all queries."""
    return mdcr.Candidates(queries) if plan["strategy"] == mdcr.STRATEGY and queries else None


def draw_pool(
    query: Query,
    plan: Mapping[str, Any],
    lists: Mapping[str, RankedList],
    seed: str,
    citations: mdcr.Candidates | None = None,
    before: Collection[str] = (),
) -> DrawnPool:
    """`plan` is that of a draft, or the manifest of a frozen pool. Queries of one paper have one order of sources.

    What earlier rounds pooled, `before`, is not drawn again.
    """
    docnos: dict[str, list[str]] = {name: each.docnos for name, each in lists.items()}
    forced, excluded = forced_docnos(query, plan), set(before)
    if citations is not None:
        docnos, forced[mdcr.TRUE], excluded = citations.candidates(query, docnos, seed)
    order = shuffled(docnos, seed=seed, purpose="retriever-order", query=query.own_docno or query.name)
    drawn, shortfall = draw(
        plan["strategy"],
        docnos,
        plan["depths"].get(query.name, plan["n"]),
        order=order,
        forced=forced,
        own=query.own_docno,
        excluded=excluded,
    )
    if citations is not None and (missing := mdcr.POSITIVES - len(forced[mdcr.TRUE])):
        shortfall[mdcr.TRUE] = missing
    ranks = defaultdict(list)
    for name in sorted(lists):
        wanted = {each.docno for each in drawn}
        for rank, (docno, score) in enumerate(zip(lists[name].docnos, lists[name].scores, strict=True), 1):
            if docno in wanted:
                wanted.remove(docno)  # of a document that is twice in a list, the first rank counts
                ranks[docno].append((name, rank, float(score)))
    return DrawnPool(order, shortfall, [PooledDocument(each.docno, each.source, ranks[each.docno]) for each in drawn])


def stored_pool(pool: Pool) -> DrawnPool:
    ranks = defaultdict(list)
    contributions = Contribution.objects.filter(candidate__pool=pool)
    for candidate, run, rank, score in contributions.values_list("candidate", "run__name", "rank", "score"):
        ranks[candidate].append((run, rank, score))
    rows = pool.candidates.order_by("position").values_list("pk", "document__docno", "source")
    documents = [PooledDocument(docno, source, sorted(ranks[pk], key=itemgetter(0))) for pk, docno, source in rows]
    return DrawnPool(pool.source_order, pool.shortfall, documents)
