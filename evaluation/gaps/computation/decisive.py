"""The documents whose labels could change a conclusion. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

import numpy as np

from evaluation.gaps.computation.bounds import BoundedMeasure, ScoreRange
from evaluation.gaps.computation.conclusions import Conclusion, Differences, holds
from evaluation.gaps.computation.queries import OpenQuery

Pair = tuple[str, str]  # query paper, docno


def decisive(
    queries: Sequence[OpenQuery],
    measures: Mapping[str, BoundedMeasure],
    conclusions: Sequence[Conclusion],
) -> dict[str, list[str]]:
    """The open documents to judge, by query paper, so that the rest changes no conclusion.

    While the documents of the answer stay unjudged, no grades of all other open documents can
    change a conclusion: this is certain, for every combination of grades. That a document is in the
    answer does not mean that it can change one: a smaller answer might do, too.

    The guarantee is about the present labels. Once documents of the answer are judged, others may
    become decisive: ask again.

    For each conclusion that is not safe yet, the documents are added in the order of what each can
    change alone, and as few of them as make it safe. `conclusions` name measures of `measures`, and
    systems that have a view in every query.
    """
    chosen: set[Pair] = set()
    for conclusion in conclusions:
        chosen |= _needed(queries, measures[conclusion.measure], conclusion, chosen)
    papers: dict[str, list[str]] = defaultdict(list)
    for paper, docno in sorted(chosen):
        papers[paper].append(docno)
    return dict(papers)


def _needed(
    queries: Sequence[OpenQuery],
    measure: BoundedMeasure,
    conclusion: Conclusion,
    chosen: Set[Pair],
) -> set[Pair]:
    """The documents that must be added to the chosen ones for this conclusion."""
    pair = _PairOfSystems(queries, measure, conclusion)
    if pair.is_safe_from_others(chosen):
        return set()
    ordered = pair.by_effect(chosen)
    # With more documents chosen, the bounds only become narrower.
    too_few, enough = 0, len(ordered)
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if pair.is_safe_from_others(chosen | set(ordered[:middle])):
            enough = middle
        else:
            too_few = middle
    return set(ordered[:enough])


class _PairOfSystems:
    """The two systems of a conclusion on all queries. Bounds of a query are computed once for each
    set of its documents."""

    def __init__(
        self, queries: Sequence[OpenQuery], measure: BoundedMeasure, conclusion: Conclusion
    ) -> None:
        self.queries, self.measure, self.conclusion = queries, measure, conclusion
        self._bounds: dict[tuple[int, tuple[int, ...]], ScoreRange | None] = {}

    def is_safe_from_others(self, chosen: Set[Pair]) -> bool:
        ranges = [
            self._difference(
                number,
                tuple(
                    place
                    for place, docno in enumerate(query.docnos)
                    if (query.paper, docno) not in chosen
                ),
            )
            for number, query in enumerate(self.queries)
        ]
        return holds(self.conclusion.kind, Differences.of(ranges))

    def by_effect(self, chosen: Set[Pair]) -> list[Pair]:
        """The other documents; first those that alone can move the difference most in a query."""
        effects: dict[Pair, float] = {}
        systems = (self.conclusion.first, self.conclusion.second)
        for query in self.queries:
            if not query.docnos:
                continue
            rows = query.differences_by_document(self.measure, *systems)
            # 0 is possible where the query may have no value.
            optional = np.where(rows[:, 3] > 0, rows[:, 0], 0.0)
            reach = np.maximum(rows[:, 2], optional) - np.minimum(rows[:, 0], optional)
            for docno, effect in zip(query.docnos, np.nan_to_num(reach).tolist(), strict=True):
                key = (query.paper, docno)
                if key not in chosen:
                    effects[key] = max(effects.get(key, 0.0), effect)
        return sorted(effects, key=lambda key: (-effects[key], key))

    def _difference(self, number: int, places: tuple[int, ...]) -> ScoreRange | None:
        if (number, places) not in self._bounds:
            systems = (self.conclusion.first, self.conclusion.second)
            found = self.queries[number].difference(self.measure, *systems, places)
            self._bounds[number, places] = found
        return self._bounds[number, places]
