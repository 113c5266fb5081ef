"""The documents that a pool round adds to one pool. Pure.

Every list is read to the round's depth k. A document's place is its best rank, and the run that
has it there. Documents that are pooled already, and the query paper's own, are never added.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from corpus.ordering import shuffled
from pooling.strategies import DrawnContribution, DrawnPool, Entry
from pooling.strategies.sampling import stratum_size
from retrieval.formats import RankedList


class TopicList(NamedTuple):
    """A run's list for a topic: the query paper, or one of its queries."""

    run: str
    topic: str
    ranking: RankedList


class ListedPlace(NamedTuple):
    """A document in a run: its best rank over the run's lists, from 1, and the score there."""

    rank: int
    run: str
    docno: str
    score: float


def places_by_run(lists: Sequence[TopicList], depth: int) -> dict[str, dict[str, ListedPlace]]:
    """The places to this depth by run, sorted by name, and docno.

    At equal ranks under two topics, the score is that of the first topic by name.
    """
    places: dict[str, dict[str, ListedPlace]] = {
        run: {} for run in sorted({each.run for each in lists})
    }
    for run, _, ranking in sorted(lists, key=lambda each: (each.run, each.topic)):
        own = places[run]
        for rank, (docno, score) in enumerate(ranking[:depth], start=1):
            if docno not in own or rank < own[docno].rank:
                own[docno] = ListedPlace(rank, run, docno, score)
    return places


def best_places(
    places: Mapping[str, Mapping[str, ListedPlace]], skipped_docnos: Collection[str]
) -> list[ListedPlace]:
    """The best place of each document that is not skipped, by rank, run and docno."""
    best: dict[str, ListedPlace] = {}
    for place in sorted(place for own in places.values() for place in own.values()):
        if place.docno not in skipped_docnos:
            best.setdefault(place.docno, place)
    return list(best.values())


def sampled_places(
    places: Sequence[ListedPlace],
    bounds: Sequence[int],
    rates: Sequence[float],
    *,
    seed: str,
    number: int,
    query_paper: str,
) -> tuple[list[ListedPlace], dict[str, float]]:
    """A sample from each stratum of best ranks, and each document's inclusion probability.

    As the strategy `stratified` draws: of N documents in a stratum ⌈rate·N⌉, by stratum, then by
    hash. The number of the round is in the hash, so that two rounds are two samples.
    """
    strata: list[dict[str, ListedPlace]] = [{} for _ in bounds]
    for place in places:
        strata[bisect_left(bounds, place.rank)][place.docno] = place
    drawn: list[ListedPlace] = []
    inclusion: dict[str, float] = {}
    for position, (stratum, rate) in enumerate(zip(strata, rates, strict=True), start=1):
        purpose = f"round-{number}-stratum-{position}"
        docnos = shuffled(stratum, seed=seed, purpose=purpose, query=query_paper)
        docnos = docnos[: stratum_size(rate, len(stratum))]
        drawn += [stratum[docno] for docno in docnos]
        inclusion |= {docno: len(docnos) / len(stratum) for docno in docnos}
    return drawn, inclusion


def added_pool(
    places: Mapping[str, Mapping[str, ListedPlace]],
    added: Sequence[ListedPlace],
    inclusion: dict[str, float] | None,
    *,
    pooled: int,
) -> DrawnPool:
    """The added documents as a pool whose positions follow those of `pooled` documents."""
    depth = dict.fromkeys(places, 0)
    entries = []
    for sequence, place in enumerate(added, start=pooled + 1):
        entries.append(Entry(place.docno, place.run, sequence, place.rank))
        depth[place.run] = max(depth[place.run], place.rank)
    return DrawnPool(tuple(places), tuple(entries), {}, depth, inclusion)


def added_contributions(
    pool: DrawnPool, places: Mapping[str, Mapping[str, ListedPlace]]
) -> Iterator[DrawnContribution]:
    """Every run that has an added document to the round's depth; by sequence, then run."""
    for docno, drawer, sequence, _ in pool.entries:
        for run, own in places.items():
            if docno in own:
                place = own[docno]
                yield DrawnContribution(
                    docno, run, place.rank, place.score, run == drawer, sequence
                )
