"""The data that checks of a release share: its records, each file read once and kept small. Pure.

Half a million judgments take about 100 MB: texts that repeat are kept once, and of a judgment only
its grade and its person.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from bundle.interchange import InterchangedPaper, InterchangedQuery
from bundle.names import QRELS
from bundle.reading.collection_files import read_docnos, read_query_papers
from bundle.reading.csv_rows import read_adjudications, read_ratings
from bundle.reading.manifest import Manifest, read_manifest
from bundle.reading.opened import OpenedBundle
from bundle.reading.pools import read_pools
from bundle.reading.trec import read_qrels
from bundle.verification.failures import Failure

Labels = dict[str, dict[str, int]]  # grade by query, then docno


Grades = tuple[int | None, int | None]


class JudgmentLine(NamedTuple):
    """A judgment: its slot, its person, the grade, None for a missing one, and the guideline."""

    slot: int
    annotator: str
    grade: int | None
    guideline: int
    pool_round: int = 1


class JudgedLines(NamedTuple):
    """The judgments of a pair, and the line of the last of them."""

    line: int
    judgments: tuple[JudgmentLine, ...]

    @property
    def grades(self) -> Grades | None:
        """Both grades; None unless there is one judgment in each slot."""
        if sorted(judgment.slot for judgment in self.judgments) != [1, 2]:
            return None
        first, second = sorted(self.judgments, key=attrgetter("slot"))
        return first.grade, second.grade


class Decided(NamedTuple):
    """A decision: its line, its person and the grade, None for a pair that is set aside."""

    line: int
    adjudicator: str
    grade: int | None
    overruled: bool


class PooledLine(NamedTuple):
    line: int
    is_excluded: bool
    sources: tuple[str, ...]
    round: int = 1


FIRST = PooledLine(0, is_excluded=False, sources=())


class ReleaseData:
    """The records of an open release. Reading them may raise BundleError."""

    def __init__(self, bundle: OpenedBundle) -> None:
        self.bundle = bundle
        self._texts: dict[str, str] = {}

    def once(self, text: str) -> str:
        """The same text, which all records share."""
        return self._texts.setdefault(text, text)

    @cached_property
    def manifest(self) -> Manifest:
        return read_manifest(self.bundle)

    @cached_property
    def papers(self) -> dict[str, InterchangedPaper]:
        return {paper.name: paper for paper in read_query_papers(self.bundle)}

    @cached_property
    def queries(self) -> dict[str, InterchangedQuery]:
        return {
            self.once(query.name): query
            for paper in self.papers.values()
            for query in paper.queries
        }

    @cached_property
    def paper_of(self) -> dict[str, str]:
        return {
            self.once(query.name): self.once(paper.name)
            for paper in self.papers.values()
            for query in paper.queries
        }

    @cached_property
    def docnos(self) -> set[str]:
        """Every document of the release."""
        return set(map(self.once, read_docnos(self.bundle)))

    @cached_property
    def repeated_labels(self) -> list[Failure]:
        self.labels  # noqa: B018 - reading them finds the repeated ones
        return self._repeated_labels

    @cached_property
    def labels(self) -> Labels:
        """Those of the qrels."""
        labels: Labels = {}
        self._repeated_labels: list[Failure] = []
        for line, label in read_qrels(self.bundle):
            of_query = labels.setdefault(self.once(label.query), {})
            docno = self.once(label.docno)
            if docno in of_query:
                reason = f"{label.query} {docno} has a second label."
                self._repeated_labels.append(Failure(QRELS, line, reason))
            of_query[docno] = label.grade
        return labels

    @cached_property
    def ratings(self) -> dict[str, dict[str, JudgedLines]]:
        """The judged pairs by query, then docno. Equal judgments of pairs are kept once."""
        kept: dict[tuple[JudgmentLine, ...], tuple[JudgmentLine, ...]] = {}
        ratings: dict[str, dict[str, JudgedLines]] = {}
        for line, rating in read_ratings(self.bundle):
            of_query = ratings.setdefault(self.once(rating.query), {})
            docno = self.once(rating.docno)
            before = of_query[docno].judgments if docno in of_query else ()
            annotator = self.once(rating.annotator)
            judgment = JudgmentLine(
                rating.slot, annotator, rating.grade, rating.guideline, rating.pool_round
            )
            judgments = (*before, judgment)
            of_query[docno] = JudgedLines(line, kept.setdefault(judgments, judgments))
        return ratings

    @cached_property
    def referred(self) -> dict[str, set[str]]:
        """The documents of pairs for the adjudicator whatever their judgments are, by query."""
        return {
            name: {pair.docno for pair in query.referred}
            for name, query in self.queries.items()
            if query.referred
        }

    def is_agreed(self, query: str, docno: str, grades: Grades) -> bool:
        """Both grades are the same, and that is the pair's label."""
        same = grades[0] is not None and grades[0] == grades[1]
        return same and docno not in self.referred.get(query, ())

    def grades_of(self, query: str, docno: str) -> Grades | None:
        """Both grades of a pair that has two judgments."""
        pair = self.ratings.get(query, {}).get(docno)
        return None if pair is None else pair.grades

    def grades(self) -> Iterator[tuple[str, str, Grades]]:
        """Query, docno and both grades of every pair that has two judgments."""
        for query, pairs in self.ratings.items():
            for docno, pair in pairs.items():
                if (grades := pair.grades) is not None:
                    yield query, docno, grades

    @cached_property
    def decisions(self) -> dict[str, dict[str, Decided]]:
        """The last decision on each pair by query, then docno."""
        decisions: dict[str, dict[str, Decided]] = {}
        for line, row in read_adjudications(self.bundle):
            decisions.setdefault(self.once(row.query), {})[self.once(row.docno)] = Decided(
                line, self.once(row.adjudicator), row.grade, row.overruled
            )
        return decisions

    @cached_property
    def pools(self) -> dict[str, dict[str, PooledLine]]:
        """The candidates by query paper, then docno, in their order."""
        kept: dict[tuple[str, ...], tuple[str, ...]] = {}
        pools: dict[str, dict[str, PooledLine]] = {}
        for line, pooled in read_pools(self.bundle):
            names = tuple(self.once(source.source) for source in pooled.sources)
            sources = kept.setdefault(names, names)
            pools.setdefault(self.once(pooled.query_paper), {})[self.once(pooled.docno)] = (
                PooledLine(line, bool(pooled.excluded), sources, pooled.round)
            )
        return pools

    def facet_of(self, query: str) -> str:
        return self.queries[query].facet if query in self.queries else ""
