"""The final labels of the same document under two facets of a query paper. Pure.

CSFCube's paper shows in its figure 2 that a facet is not predicted by another one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from operator import attrgetter
from typing import Any

from adjudication.standing import LabelledPair


class FacetPairCounts:
    """The number of documents with grade a under one facet and b under another.

    `papers` has the query paper of each query whose paper is a query under several facets. The
    labels of a paper are kept only until all of its queries are read.
    """

    def __init__(self, papers: Mapping[str, int]) -> None:
        self._papers = papers
        self._left = Counter(papers.values())
        self._labels: dict[int, dict[str, dict[str, int]]] = defaultdict(dict)
        self._counts: dict[tuple[str, str], Counter[tuple[int, int]]] = defaultdict(Counter)

    def reading(self, pairs: Iterable[LabelledPair]) -> Iterator[LabelledPair]:
        """The same pairs, while they are counted. Those of a query follow each other."""
        for query, members in groupby(pairs, key=attrgetter("query")):
            paper = self._papers.get(query)
            for pair in members:
                if paper is not None and pair.final is not None:
                    self._labels[paper].setdefault(pair.docno, {})[pair.facet] = pair.final
                yield pair
            if paper is not None:
                self._left[paper] -= 1
                if not self._left[paper]:
                    self._count(paper)

    def _count(self, paper: int) -> None:
        for labels in self._labels.pop(paper, {}).values():
            for (one, grade), (other, other_grade) in combinations(sorted(labels.items()), 2):
                self._counts[one, other][grade, other_grade] += 1

    def as_json(self, facets: Sequence[str], grades: Sequence[int]) -> list[dict[str, Any]]:
        """A row for each two facets with a document under both, in the order of `facets`.

        `counts` has the grades under `first` in its rows and those under `second` in its columns.
        """
        for paper in list(self._labels):  # queries without a pool were never read
            self._count(paper)
        rows = []
        for first, second in combinations(facets, 2):
            one, other = sorted((first, second))
            counts = self._counts.get((one, other))
            if counts:
                turned = one != first
                matrix = [[counts[(b, a) if turned else (a, b)] for b in grades] for a in grades]
                rows.append({"first": first, "second": second, "counts": matrix})
        return rows
