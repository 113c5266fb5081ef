"""Agreement of all annotators of a round: together, of every two, and per facet. Pure.

A round can have 20 annotators, who make 190 couples. The coefficients of all couples are computed
at once, by `agreement.consistency.stacked_tables`; the registry's own functions say why one is
undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from agreement.coefficients import (
    COEFFICIENTS,
    CrossTable,
    Result,
    alpha_of_units,
    mean_of,
)
from agreement.consistency.stacked_tables import COEFFICIENTS_OF_TABLES
from corpus.scale import Scale

Results = Mapping[str, Result]  # by the key of a coefficient
MISSING = -1


@dataclass(frozen=True, slots=True)
class GradedPair:
    """A pair of a round. `grades` has an entry for each annotator who gave it a grade."""

    facet: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Couple:
    """Two annotators, the pairs that both graded, and their coefficients."""

    first: str
    second: str
    pairs: int
    results: Results


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """The agreement of all annotators on the pairs of one facet, or of all (`facet` None).

    `pairs` have two grades or more. `alpha` is Krippendorff's, ordinal, of all annotators at once.
    `means` are those over the couples for whom a coefficient is defined, of which there are
    `defined`.
    """

    facet: str | None
    pairs: int
    alpha: Result
    means: Results
    defined: Mapping[str, int]
    couples: int


@dataclass(frozen=True, slots=True)
class RoundAgreement:
    """`groups` begin with all pairs; the facets follow if there are several."""

    groups: Sequence[GroupAgreement]
    couples: Sequence[Couple]


def round_agreement(
    pairs: Sequence[GradedPair],
    annotators: Sequence[str],
    scale: Scale,
    *,
    by_facet: bool = True,
) -> RoundAgreement:
    """The agreement of the annotators on these pairs. The order of pairs changes no digit."""
    grades = np.full((len(pairs), len(annotators)), MISSING)
    places = {name: place for place, name in enumerate(annotators)}
    for row, pair in enumerate(pairs):
        for name, grade in pair.grades.items():
            grades[row, places[name]] = grade
    facets = np.array([pair.facet for pair in pairs], dtype=object)
    names = list(dict.fromkeys(facets)) if by_facet else []
    couples = _couples(grades, annotators, scale)
    groups = [_group(None, grades, couples)]
    if len(names) > 1:
        groups += [
            _group(name, part, _couples(part, annotators, scale))
            for name in names
            for part in [grades[facets == name]]
        ]
    return RoundAgreement(groups, couples)


def _group(
    facet: str | None, grades: npt.NDArray[np.int64], couples: Sequence[Couple]
) -> GroupAgreement:
    units = [[int(grade) for grade in row if grade != MISSING] for row in grades]
    results = {each.key: [couple.results[each.key] for couple in couples] for each in COEFFICIENTS}
    return GroupAgreement(
        facet=facet,
        pairs=sum(len(unit) > 1 for unit in units),
        alpha=alpha_of_units(units, "ordinal"),
        means={key: mean_of(of_couples) for key, of_couples in results.items()},
        defined={
            key: sum(result.value is not None for result in of_couples)
            for key, of_couples in results.items()
        },
        couples=len(couples),
    )


def _couples(
    grades: npt.NDArray[np.int64], annotators: Sequence[str], scale: Scale
) -> list[Couple]:
    size = len(scale.grades)
    places = list(combinations(range(len(annotators)), 2))
    tables = np.array([_table(grades[:, [i, j]], size) for i, j in places]).reshape(-1, size, size)
    numbers = tables.sum(axis=(1, 2))
    results = {each.key: _results(tables, each.key, each.function, scale) for each in COEFFICIENTS}
    return [
        Couple(
            annotators[i],
            annotators[j],
            int(numbers[place]),
            {key: of_couples[place] for key, of_couples in results.items()},
        )
        for place, (i, j) in enumerate(places)
    ]


def _table(grades: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """The number of times that each two grades were given, shape (size, size)."""
    both = grades[(grades != MISSING).all(axis=1)]
    counts = np.bincount(both[:, 0] * size + both[:, 1], minlength=size * size)
    return counts.reshape(size, size)


def _results(
    tables: npt.NDArray[np.int64],
    key: str,
    function: Callable[[CrossTable], Result],
    scale: Scale,
) -> list[Result]:
    values = np.full(len(tables), np.nan)
    filled = tables.sum(axis=(1, 2)) > 0
    values[filled] = COEFFICIENTS_OF_TABLES[key](tables[filled].astype(np.float64), scale)
    return [
        Result(float(value)) if np.isfinite(value) else function(_cross_table(table, scale))
        for table, value in zip(tables, values, strict=True)
    ]


def _cross_table(table: npt.NDArray[np.int64], scale: Scale) -> CrossTable:
    cells = np.ndenumerate(table)
    return CrossTable((((a, b), int(number)) for (a, b), number in cells if number), scale)
