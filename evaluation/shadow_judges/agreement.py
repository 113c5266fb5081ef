"""Agreement of a model's labels with two judges and the final labels. Pure.

Every comparison is over the same pairs: those that the model labelled and both judges graded. So
the agreement of the two judges stands beside that of the model, on the same pairs. A comparison
with final labels also needs the pair's final label.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from agreement.coefficients import COEFFICIENTS, Coefficient, CrossTable, Result, confusion_of
from agreement.intervals import MedianIntervals

MODEL, FIRST, SECOND, FINAL = "model", "first", "second", "final"


class ComparedPair(NamedTuple):
    """The four labels of a pair. `first` and `second` are those of both slots.

    None is a missing grade, and `final` is None while there is no final label. `set_aside` says
    that the adjudicator decided that the pair cannot be judged. `model` is None where the model
    has no label.
    """

    query: str
    facet: str
    model: int | None
    first: int | None
    second: int | None
    final: int | None
    set_aside: bool = False


class RaterComparison(NamedTuple):
    """A comparison of two raters: `rows` and `columns` name them in a confusion matrix."""

    key: str
    rows: str
    columns: str

    @property
    def needs_final(self) -> bool:
        return FINAL in (self.rows, self.columns)


COMPARISONS = (
    RaterComparison("judges", FIRST, SECOND),
    RaterComparison("model-first", MODEL, FIRST),
    RaterComparison("model-second", MODEL, SECOND),
    RaterComparison("model-final", MODEL, FINAL),
    RaterComparison("first-final", FIRST, FINAL),
    RaterComparison("second-final", SECOND, FINAL),
)

Grades = tuple[int, int, int, int | None]  # model, first, second, final
PLACES = {MODEL: 0, FIRST: 1, SECOND: 2, FINAL: 3}


@dataclass
class QueryCounts:
    """The number of a query's compared pairs with the same four labels."""

    facet: str
    counts: Counter[Grades] = field(default_factory=Counter)
    undecided: int = 0  # pairs that wait for the adjudicator
    _results: dict[RaterComparison, dict[str, Result]] = field(default_factory=dict)

    def add(self, other: QueryCounts) -> None:
        self.counts.update(other.counts)
        self.undecided += other.undecided

    def table(self, comparison: RaterComparison) -> CrossTable:
        row, column = PLACES[comparison.rows], PLACES[comparison.columns]
        return CrossTable(
            ((grades[row], grades[column]), number) for grades, number in self.counts.items()
        )

    def results(self, comparison: RaterComparison) -> Mapping[str, Result]:
        """Each coefficient by its key. Kept, because three tables need those of a query."""
        if comparison not in self._results:
            table = self.table(comparison)
            self._results[comparison] = {
                coefficient.key: self._result(coefficient, comparison, table)
                for coefficient in COEFFICIENTS
            }
        return self._results[comparison]

    def _result(
        self, coefficient: Coefficient, comparison: RaterComparison, table: CrossTable
    ) -> Result:
        # Pairs on which the judges agree have a final label at once, and the others wait. The
        # labelled part alone would begin with perfect agreement.
        if comparison.needs_final and self.undecided:
            total = self.counts.total()
            reason = f"unfinished: {self.undecided} of {total} pairs have no final label"
            return Result(None, reason)
        return coefficient.function(table)


def compare(
    pairs: Iterable[ComparedPair], *, facets: Sequence[str], grades: Sequence[int], seed: str
) -> dict[str, object]:
    """The agreement as JSON types, by facet and over all queries; undefined numbers are None.

    `pairs` are the completely judged pairs, in any order. `facets` gives the order of the facets.
    Per coefficient and comparison there are the median over the queries with its bootstrap interval
    by `seed`, how many queries have a value, and the value over all pairs together. `by_grade` is
    the specific agreement on a grade, 2·n(g, g) / (n(g, ·) + n(·, g)), from 0 to 1: of the labels g
    that either rater gave, the share that the other gave too. Source: Cicchetti and Feinstein
    (1990), High agreement but low kappa: II.
    """
    queries: dict[str, QueryCounts] = {}
    left_out = Counter({"no_model_label": 0, "missing_judgment": 0})
    for pair in pairs:
        counts = queries.setdefault(pair.query, QueryCounts(pair.facet))
        if pair.model is None:
            left_out["no_model_label"] += 1
        elif pair.first is None or pair.second is None:
            left_out["missing_judgment"] += 1
        else:
            counts.counts[pair.model, pair.first, pair.second, pair.final] += 1
            counts.undecided += pair.final is None and not pair.set_aside
    compared = {name: counts for name, counts in sorted(queries.items()) if counts.counts}
    by_facet: dict[str, list[QueryCounts]] = defaultdict(list)
    for counts in compared.values():
        by_facet[counts.facet].append(counts)
    intervals = MedianIntervals(seed)
    groups = [(facet, by_facet[facet]) for facet in facets if facet in by_facet]
    if any(facets):
        groups.append(("all", list(compared.values())))
    rows = [_row(facet, members, grades, intervals) for facet, members in groups]
    return {
        "left_out": dict(left_out),
        "facets": rows,
        "queries": [_query_row(name, counts) for name, counts in compared.items()],
    }


def _row(
    facet: str,
    queries: Sequence[QueryCounts],
    grades: Sequence[int],
    intervals: MedianIntervals,
) -> dict[str, object]:
    together = QueryCounts(facet)
    for counts in queries:
        together.add(counts)
    return {
        "facet": facet,
        "queries": len(queries),
        "pairs": together.counts.total(),
        "undecided": together.undecided,
        "comparisons": {
            comparison.key: _comparison(comparison, queries, together, grades, intervals)
            for comparison in COMPARISONS
        },
    }


def _comparison(
    comparison: RaterComparison,
    queries: Sequence[QueryCounts],
    together: QueryCounts,
    grades: Sequence[int],
    intervals: MedianIntervals,
) -> dict[str, object]:
    table = together.table(comparison)
    return {
        "coefficients": {
            coefficient.key: _values(coefficient.key, comparison, queries, together, intervals)
            for coefficient in COEFFICIENTS
        },
        "confusion": [list(row) for row in confusion_of(table, grades)],
        "by_grade": [_specific_agreement(table, grade) for grade in grades],
    }


def _values(
    key: str,
    comparison: RaterComparison,
    queries: Sequence[QueryCounts],
    together: QueryCounts,
    intervals: MedianIntervals,
) -> dict[str, object]:
    results = [counts.results(comparison)[key] for counts in queries]
    values = [result.value for result in results if result.value is not None]
    pooled = together.results(comparison)[key]
    return {
        "median": median(values) if values else None,
        "interval": intervals.of(values),
        "defined": len(values),
        "pooled": pooled.value,
        "undefined": pooled.undefined or "",
    }


def _specific_agreement(table: CrossTable, grade: int) -> float | None:
    given = table.by_first[grade] + table.by_second[grade]
    return 2 * table.counts.get((grade, grade), 0) / given if given else None


def _query_row(name: str, counts: QueryCounts) -> dict[str, object]:
    results: Mapping[str, Any] = {
        comparison.key: {key: result.value for key, result in counts.results(comparison).items()}
        for comparison in COMPARISONS
    }
    return {"query": name, "facet": counts.facet, "pairs": counts.counts.total(), **results}
