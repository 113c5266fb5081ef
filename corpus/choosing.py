"""An even choice of queries among screened papers. Pure.

CSFCube's authors chose theirs so that years, types of paper and facets are about evenly represented (Mysore et al.,
NeurIPS D&B 2021, section 3). Here a mixed-integer program finds the most even choice: the one with the smallest sum of
squared counts. For a given total it is smallest where counts are equal, and no even share has to be a whole number.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from corpus.ordering import order_key
from web.errors import BadInput

MOST_FACETS = 2  # of one paper, as in CSFCube
MOST_QUERIES = 300  # of 2,000 papers: about ten seconds, where CSFCube's 50 of 100 take half a second
SECONDS = 20  # for each of two steps; a choice that depends on the speed of a machine is none
MARGINS = ((0,), (1,), (2,))  # of period, type, facet
PAIRS = ((0, 1), (0, 2), (1, 2))


class Paper(NamedTuple):
    """`ratings` are of the facets that it may be asked under; `asked` are those that it is asked under already."""

    docno: str
    period: str
    type: str
    ratings: Mapping[str, float]
    asked: tuple[str, ...] = ()

    @property
    def options(self) -> list[tuple[str, ...]]:
        """The sets of facets under which it may be chosen."""
        facets = sorted({*self.ratings, *self.asked})
        sizes = range(max(1, len(self.asked)), max(MOST_FACETS, len(self.asked)) + 1)
        return [each for size in sizes for each in combinations(facets, size) if {*self.asked} <= {*each}]


def suggest(
    papers: Sequence[Paper], *, queries: int, from_papers: int | None = None, seed: str
) -> dict[str, tuple[str, ...]]:
    """The facets of each chosen docno: so many queries in all, and from so many papers if that is given.

    No choice has a smaller sum of the squared counts of periods, types and facets, and of those with the same sum none
    has fewer papers asked twice. Then each two of the three are combined evenly. Of papers that count alike the better
    rated come first, and else the seed decides. Raises BadInput where there is no such choice.
    """
    most = sum(len(paper.options[-1]) for paper in papers if paper.options)
    if queries > most:
        raise BadInput(f"The papers that qualify give at most {most} queries, got {queries}.")
    groups: dict[tuple[Any, ...], list[Paper]] = defaultdict(list)
    for paper in papers:
        groups[paper.period, paper.type, tuple(sorted(paper.ratings)), tuple(sorted(paper.asked))].append(paper)
    # A variable says how many papers of a group are asked under a set of facets.
    variables = [(group, facets) for group in sorted(groups) for facets in groups[group][0].options]
    sizes = {number: len(facets) for number, (_, facets) in enumerate(variables)}
    program = _Program(len(variables))
    program.constrain(sizes, queries, queries)
    if from_papers is not None:
        program.constrain(dict.fromkeys(sizes, 1), from_papers, from_papers)
    for group, members in groups.items():
        row = {number: 1 for number, (other, _) in enumerate(variables) if other == group}
        program.constrain(row, len(members) if group[-1] else 0, len(members))
    asked_twice = {number: (size - 1) / (2 * queries) for number, size in sizes.items()}  # in all less than 1
    margins = _sums(variables, MARGINS)
    solution = program.minimise(asked_twice, margins, queries)
    for row in [*margins, dict.fromkeys(sizes, 1)]:  # what was found stays
        total = sum(times * solution[number] for number, times in row.items())
        program.constrain(row, total, total)
    solution = program.minimise({}, _sums(variables, PAIRS), queries)

    left = dict(zip(variables, solution, strict=True))
    offers = [
        (
            -sum(paper.ratings.get(facet, 0) for facet in facets) / len(facets),
            order_key(seed, "choice", paper.docno, " ".join(facets)),
            paper.docno,
            (group, facets),
        )
        for group, members in groups.items()
        for paper in members
        for facets in paper.options
    ]
    chosen: dict[str, tuple[str, ...]] = {}
    for _, _, docno, variable in sorted(offers):
        if left[variable] and docno not in chosen:
            left[variable] -= 1
            chosen[docno] = variable[1]
    return chosen


def _sums(variables: list[Any], tables: Iterable[tuple[int, ...]]) -> list[dict[int, int]]:
    """For the queries of each period, each type and so on: how often each variable counts."""
    sums: dict[Any, Counter[int]] = defaultdict(Counter)
    for number, ((period, kind, *_), facets) in enumerate(variables):
        for facet in facets:
            for table in tables:
                sums[table, *((period, kind, facet)[place] for place in table)][number] += 1
    return [dict(sums[key]) for key in sorted(sums)]


class _Program:
    """Whole variables under constraints on sums of them. HiGHS solves it."""

    def __init__(self, whole: int) -> None:
        self.whole = self.size = whole
        self.entries: list[tuple[float, int, int]] = []  # coefficient, row, variable
        self.bounds: list[tuple[float, float]] = []  # of each row

    def constrain(self, row: Mapping[int, float], low: float, high: float) -> None:
        self.entries += [(times, len(self.bounds), variable) for variable, times in row.items()]
        self.bounds.append((low, high))

    def minimise(self, costs: Mapping[int, float], sums: Iterable[Mapping[int, int]], most: int) -> list[int]:
        """The variables where costs and squares of the sums, each of which is at most `most`, are smallest.

        A sum is made of units from 0 to 1, of which the j-th costs 2j - 1: n units cost at least n squared.
        """
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        costs = dict(costs)
        for row in sums:
            units = range(self.size, self.size + most)
            self.size += most
            self.constrain({**row, **dict.fromkeys(units, -1)}, 0, 0)
            costs |= {unit: 2 * place + 1 for place, unit in enumerate(units)}
        coefficients, rows, columns = zip(*self.entries, strict=True)
        matrix = csr_array((coefficients, (rows, columns)), shape=(len(self.bounds), self.size))
        is_whole = np.arange(self.size) < self.whole
        result = milp(
            [costs.get(variable, 0) for variable in range(self.size)],
            integrality=is_whole,
            bounds=Bounds(0, np.where(is_whole, np.inf, 1)),
            constraints=LinearConstraint(matrix, *np.transpose(self.bounds)),
            options={"mip_rel_gap": 0.0, "time_limit": SECONDS},
        )
        if result.status == 1:
            raise BadInput(f"The most even choice was not found within {SECONDS} seconds. Suggest fewer queries.")
        if result.x is None:
            raise BadInput(
                "There is no such choice of the papers that qualify. Change the number of queries or of papers."
            )
        return [round(value) for value in result.x[: self.whole]]
