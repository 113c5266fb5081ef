"""The number of relevant documents that each source of the pools found, once they are judged.

A query paper in its own pool does not count; `scoring.labels` leaves it out too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from pooling.models import Contribution

Pair = tuple[str, str]  # query paper's docno, candidate's docno


class SourceCandidate(NamedTuple):
    """A candidate in a source's list; `found` if it is no deeper than the source was drawn."""

    source: str
    pair: Pair
    drawn: bool
    found: bool


class Yield(NamedTuple):
    """The yield of a source. A document counts once for every query that it is relevant to.

    `drawn` counts documents in pools, `judged` the pairs of those it drew that have a final
    grade, `relevant` those whose grade counts as relevant in the collection, `alone` the relevant
    ones that no other source found, drawn by it.
    """

    source: str
    drawn: int
    judged: int
    relevant: int
    alone: int

    @property
    def percent(self) -> float | None:
        """Of the judged pairs, how many are relevant; None before anything is judged."""
        return 100 * self.relevant / self.judged if self.judged else None


def is_found(drawn: bool, rank: int | None, depth: int | None) -> bool:
    """Return whether a source found a document that it drew, or that it lists at this rank.

    `depth` is the deepest rank that the source drew from in the pool; None if it drew nothing. A
    document that it lists down there would have been its own draw if no other source had it. A
    source without ranks, as in imported pools, found what it lists.
    """
    return drawn or rank is None or rank <= (depth or 0)


def yields(
    candidates: Iterable[SourceCandidate],
    grades: Mapping[Pair, list[int]],
    *,
    relevant_from: int,
) -> list[Yield]:
    """Every source's yield, most relevant first; `grades` are the final ones of all queries.

    Grades from `relevant_from` on count as relevant.
    """
    drawn: dict[str, list[Pair]] = defaultdict(list)
    finders: Counter[Pair] = Counter()
    for candidate in candidates:
        finders[candidate.pair] += candidate.found
        if candidate.drawn:
            drawn[candidate.source].append(candidate.pair)
        else:
            drawn.setdefault(candidate.source, [])
    rows = (
        _yield(source, pairs, finders, grades, relevant_from) for source, pairs in drawn.items()
    )
    return sorted(rows, key=lambda row: (-row.relevant, row.source))


def _yield(
    source: str,
    pairs: list[Pair],
    finders: Mapping[Pair, int],
    grades: Mapping[Pair, list[int]],
    relevant_from: int,
) -> Yield:
    relevant = {
        pair: sum(grade >= relevant_from for grade in grades.get(pair, ())) for pair in pairs
    }
    return Yield(
        source=source,
        drawn=len(pairs),
        judged=sum(len(grades.get(pair, ())) for pair in pairs),
        relevant=sum(relevant.values()),
        alone=sum(number for pair, number in relevant.items() if finders[pair] == 1),
    )


def yields_of(collection: Collection) -> list[Yield]:
    """The yields so far, in two queries; empty until a pair has its final grade.

    Pairs that are not judged by both stay out, and so does what one of the two has said of them.
    """
    grades: dict[Pair, list[int]] = defaultdict(list)
    columns = ("name", "query_paper__name", "query_paper__document__docno")
    papers = {query: (paper, own) for query, paper, own in collection.queries.values_list(*columns)}
    for pair in labelled_pairs(collection):
        paper, own = papers[pair.query]
        if pair.final is not None and pair.docno != own:
            grades[paper, pair.docno].append(pair.final)
    if not grades:
        return []
    candidates = _source_candidates(collection)
    return yields(candidates, grades, relevant_from=collection.relevant_from)


def _source_candidates(collection: Collection) -> Iterable[SourceCandidate]:
    rows = Contribution.objects.order_by().filter(
        candidate__pool__query_paper__collection=collection
    )
    depths = dict(collection.query_papers.values_list("name", "pool__depth"))
    for source, paper, docno, drawn, rank in rows.values_list(
        "source",
        "candidate__pool__query_paper__name",
        "candidate__document__docno",
        "drawn",
        "rank",
    ).iterator():
        found = is_found(drawn, rank, depths[paper].get(source))
        yield SourceCandidate(source, (paper, docno), drawn, found)
