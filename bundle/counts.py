"""The numbers of a release, as the manifest has them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from adjudication.standing import LabelledPair, Standing
from bundle.citation_labels import CitationCounts, count_citations
from bundle.snapshot import Snapshot


class FacetCounts(NamedTuple):
    """The numbers of a facet, those of judging 0 if labels are citations.

    `candidates` are the numbers of pairs of its queries. The manifest does not have them.
    """

    queries: int
    labels: int
    labels_by_grade: Mapping[str, int]
    pairs: int
    queries_opened: int = 0
    pairs_judged: int = 0
    unjudged: int = 0
    agreed: int = 0
    adjudicated: int = 0
    overruled: int = 0
    set_aside: int = 0
    due: int = 0
    candidates: Sequence[int] = ()

    @property
    def candidates_per_query(self) -> list[str]:
        """The least, the mean and the most; "–" without a query that has a pair."""
        if not self.candidates:
            return ["–"] * len(PER_QUERY)
        sizes = self.candidates
        return [f"{min(sizes):,}", f"{fmean(sizes):,.1f}", f"{max(sizes):,}"]

    def as_json(self) -> dict[str, Any]:
        counts = self._asdict()
        del counts["candidates"]
        return counts


PER_QUERY = ("candidates a query, min", "mean", "max")


class RoundCounts(NamedTuple):
    """The labels of the documents that a pool round added, and how many have each grade."""

    labels: int
    labels_by_grade: Mapping[str, int]


class ReleaseCounts(NamedTuple):
    """The numbers in all and per facet; `citations` only if labels are citations.

    `rounds` are by the number of the pool round, and empty if there is only the first.
    """

    query_papers: int
    queries: int
    queries_labelled: int
    pooled_documents: int
    annotators: int
    adjudicators: int
    labels: int
    facets: Mapping[str, FacetCounts]
    citations: CitationCounts | None = None
    rounds: Mapping[str, RoundCounts] = {}

    def as_json(self) -> dict[str, Any]:
        counts = self._asdict() | {
            "facets": {key: numbers.as_json() for key, numbers in self.facets.items()}
        }
        citations = counts.pop("citations")
        rounds = {number: row._asdict() for number, row in counts.pop("rounds").items()}
        return (
            counts
            | ({"citations": citations._asdict()} if citations else {})
            | ({"rounds": rounds} if rounds else {})
        )


def count(snapshot: Snapshot) -> ReleaseCounts:
    """Count all records. Pairs and ratings are read once."""
    facets = {facet.key: _Facet() for facet in snapshot.collection.facets}
    labelled = set()
    for pair in snapshot.pairs:
        facets[pair.facet].add(pair)
        if pair.final is not None:
            labelled.add(pair.query)
    return ReleaseCounts(
        query_papers=len({query.query_paper for query in snapshot.queries}),
        queries=len(snapshot.queries),
        queries_labelled=len(labelled),
        pooled_documents=len(snapshot.pools),
        annotators=len({rating.annotator for rating in snapshot.ratings}),
        adjudicators=len({decision.adjudicator for decision in snapshot.adjudications}),
        labels=sum(facet.grades.total() for facet in facets.values()),
        facets={key: facet.counts(snapshot, key) for key, facet in facets.items()},
        citations=count_citations(snapshot.pools, snapshot.builds)
        if snapshot.of_citations
        else None,
        rounds=_rounds(snapshot),
    )


def _rounds(snapshot: Snapshot) -> Mapping[str, RoundCounts]:
    if not snapshot.rounds:
        return {}
    papers = {query.name: query.query_paper for query in snapshot.queries}
    later = {
        (document.query_paper, document.docno): document.round
        for document in snapshot.pools
        if document.round > 1
    }
    graded = (
        (later.get((papers[label.query], label.docno), 1), label.grade) for label in snapshot.labels
    )
    return count_rounds(graded, 1 + len(snapshot.rounds), snapshot.collection.highest_grade)


def count_rounds(
    graded: Iterable[tuple[int, int]], rounds: int, highest_grade: int
) -> dict[str, RoundCounts]:
    """The counts of each round. `graded` has the round and the grade of each label."""
    grades: dict[int, Counter[int]] = {number: Counter() for number in range(1, rounds + 1)}
    for number, grade in graded:
        grades[number][grade] += 1
    return {
        str(number): RoundCounts(
            some.total(), {str(grade): some[grade] for grade in range(highest_grade + 1)}
        )
        for number, some in grades.items()
    }


class _Facet:
    """The pairs of a facet by standing and by final grade."""

    def __init__(self) -> None:
        self.standings: Counter[Standing] = Counter()
        self.grades: Counter[int] = Counter()
        self.candidates: Counter[str] = Counter()
        self.overruled = 0

    def add(self, pair: LabelledPair) -> None:
        self.standings[pair.standing] += 1
        self.candidates[pair.query] += 1
        self.overruled += pair.overruled
        if pair.final is not None:
            self.grades[pair.final] += 1

    def counts(self, snapshot: Snapshot, key: str) -> FacetCounts:
        queries = [query for query in snapshot.queries if query.facet == key]
        pairs, unjudged = self.standings.total(), self.standings[Standing.UNJUDGED]
        return FacetCounts(
            queries=len(queries),
            labels=self.grades.total(),
            labels_by_grade={
                str(grade): self.grades[grade] for grade in snapshot.collection.grades
            },
            pairs=pairs,
            queries_opened=sum(query.opened for query in queries),
            pairs_judged=pairs - unjudged - self.standings[Standing.CITATION],
            unjudged=unjudged,
            agreed=self.standings[Standing.AGREED],
            adjudicated=self.standings[Standing.ADJUDICATED],
            overruled=self.overruled,
            set_aside=self.standings[Standing.SET_ASIDE],
            due=self.standings[Standing.DUE],
            candidates=sorted(self.candidates.values()),
        )
