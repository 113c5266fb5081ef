"""The choice of papers and facets that is as even as can be. Pure, exact and reproducible.

docs/choosing_queries.md has the objective as formulas, docs/adr/0030-balanced-choice.md the
reasons.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from corpus.ordering import order_key
from curation.choice.linear_program import LinearProgram

Facets = tuple[str, ...]
Cell = tuple[str, ...]

# The parts of (period, type, facet) counted together. A level is more important than the next.
MARGINS: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,))
PAPER_MARGINS: tuple[tuple[int, ...], ...] = ((0,), (1,))
PAIRS: tuple[tuple[int, ...], ...] = ((0, 1), (0, 2), (1, 2))
CELLS: tuple[tuple[int, ...], ...] = ((0, 1, 2),)

# The number of combinations of values that one step of breaking ties tells apart. HiGHS takes
# 0.999999 for 1, so the largest weight times this error must stay below the smallest weight.
TIE_LIMIT = 100_000


class EligiblePaper(NamedTuple):
    """A paper that can be chosen. `options` are the sets of facets that it can be put under."""

    docno: str
    period: str
    paper_type: str
    options: tuple[Facets, ...]
    rating: Fraction
    is_pinned: bool = False


class ChosenPaper(NamedTuple):
    candidate: EligiblePaper
    facets: Facets


class Unevenness(NamedTuple):
    """Sums of squared counts, of which smaller ones are more even. Earlier ones decide first."""

    margins: int
    paper_margins: int
    pairs: int
    cells: int


class _Level(NamedTuple):
    """The units of each cell in each view. The counts of a view add up to `total`."""

    total: int
    views: list[list[list[int]]]

    @property
    def costs(self) -> dict[int, int]:
        """Their minimum is the sum of the squares of all counts."""
        return {
            unit: 2 * number - 1
            for view in self.views
            for units in view
            for number, unit in enumerate(units, start=1)
        }


class _Group(NamedTuple):
    """Candidates that differ in their ratings only, the best first."""

    period: str
    paper_type: str
    members: tuple[EligiblePaper, ...]


class _Use(NamedTuple):
    """The number of papers of a group under a set of facets: a whole-number variable."""

    group: _Group
    facets: Facets


def unevenness(choices: Iterable[ChosenPaper]) -> Unevenness:
    """For each level, the sum of the squares of all counts of queries or papers."""
    places: Counter[Cell] = Counter()
    papers: Counter[Cell] = Counter()
    for (_, period, paper_type, *_), facets in choices:
        papers[period, paper_type] += 1
        for facet in facets:
            places[period, paper_type, facet] += 1

    def squares(counts: Counter[Cell], views: Sequence[tuple[int, ...]]) -> int:
        sums: Counter[tuple[tuple[int, ...], Cell]] = Counter()
        for place, count in counts.items():
            for view in views:
                sums[view, _seen(place, view)] += count
        return sum(count * count for count in sums.values())

    return Unevenness(
        squares(places, MARGINS),
        squares(papers, PAPER_MARGINS),
        squares(places, PAIRS),
        squares(places, CELLS),
    )


def _seen(place: Cell, view: tuple[int, ...]) -> Cell:
    return tuple(place[axis] for axis in view)


def choose_evenly(
    candidates: Sequence[EligiblePaper],
    numbers: Sequence[int],
    *,
    seed: str,
    seconds_left: Callable[[], float],
) -> list[ChosenPaper]:
    """Choose papers with the smallest unevenness, then the largest sum of ratings.

    `numbers` says how many papers are put under one facet, under two, and so on. Among equal
    choices, the hash of seed and papers decides, not the order of the candidates. The result is
    sorted by period, type and docno.

    Raises:
        NoSolution: no choice has these numbers and every pinned paper.
        TimeIsUp: `seconds_left()` came to 0 before the choice was proved to be the best.
    """
    groups = _groups(candidates, seed)
    program = LinearProgram()
    uses = _add_uses(program, groups, numbers)
    by_group = _require_numbers(program, uses, groups, numbers)
    for level in _levels(program, uses, numbers):
        smallest, _ = program.minimise(level.costs, seconds_left)
        _narrow(program, level, smallest)
    program.minimise(_ratings(program, by_group), seconds_left)
    counts = _break_ties(program, uses, seed, seconds_left)
    return sorted(
        (choice for group in groups for choice in _papers_of(group, counts, seed)),
        key=lambda choice: (choice.candidate[1:3], choice.candidate.docno),
    )


def _groups(candidates: Sequence[EligiblePaper], seed: str) -> list[_Group]:
    """Papers that count alike. There are far fewer groups than papers of a large sample."""
    members: dict[tuple[object, ...], list[EligiblePaper]] = defaultdict(list)
    for candidate in candidates:
        own = candidate.docno if candidate.is_pinned else ""
        key = candidate.period, candidate.paper_type, candidate.options, own
        members[key].append(candidate)
    groups = []
    for alike in members.values():
        alike.sort(key=lambda member: _best_first(member, seed))
        groups.append(_Group(alike[0].period, alike[0].paper_type, tuple(alike)))
    return sorted(groups, key=lambda group: group.members[0].docno)


def _best_first(candidate: EligiblePaper, seed: str) -> tuple[Fraction, str, str]:
    docno = candidate.docno
    return -candidate.rating, order_key(seed, "balance papers", "", docno), docno


def _add_uses(
    program: LinearProgram, groups: Iterable[_Group], numbers: Sequence[int]
) -> dict[int, _Use]:
    uses = {}
    for group in groups:
        for facets in sorted(group.members[0].options):
            if 1 <= len(facets) <= len(numbers):
                limit = min(len(group.members), numbers[len(facets) - 1])
                uses[program.variable(limit, is_whole=True)] = _Use(group, facets)
    return uses


def _require_numbers(
    program: LinearProgram,
    uses: dict[int, _Use],
    groups: Iterable[_Group],
    numbers: Sequence[int],
) -> dict[_Group, dict[int, int]]:
    """Constrain the sizes; returns the variables of each group."""
    for size, number in enumerate(numbers, start=1):
        of_size = [variable for variable, use in uses.items() if len(use.facets) == size]
        # A variable that is always 0, because a row without variables would be no constraint.
        of_size.append(program.variable(0))
        program.constrain(dict.fromkeys(of_size, 1), number, number)
    by_group: dict[_Group, dict[int, int]] = {group: {} for group in groups}
    for variable, use in uses.items():
        by_group[use.group][variable] = 1
    for group, row in by_group.items():
        pinned = sum(member.is_pinned for member in group.members)
        row = row or {program.variable(0): 1}
        program.constrain(row, pinned, len(group.members))
    return by_group


def _levels(
    program: LinearProgram, uses: dict[int, _Use], numbers: Sequence[int]
) -> Iterator[_Level]:
    queries: dict[Cell, dict[int, int]] = defaultdict(dict)
    papers: dict[Cell, dict[int, int]] = defaultdict(dict)
    for variable, (group, facets) in uses.items():
        papers[group.period, group.paper_type][variable] = 1
        for facet in facets:
            queries[group.period, group.paper_type, facet][variable] = 1

    def level(
        counts: dict[Cell, dict[int, int]], views: Sequence[tuple[int, ...]], total: int
    ) -> _Level:
        cells: list[list[list[int]]] = []
        for view in views:
            rows: dict[Cell, Counter[int]] = defaultdict(Counter)
            for place, row in counts.items():
                rows[_seen(place, view)].update(row)
            cells.append([program.count(row) for row in rows.values()])
        return _Level(total, cells)

    total_queries = sum(size * number for size, number in enumerate(numbers, start=1))
    yield level(queries, MARGINS, total_queries)
    yield level(papers, PAPER_MARGINS, sum(numbers))
    yield level(queries, PAIRS, total_queries)
    yield level(queries, CELLS, total_queries)


def _narrow(program: LinearProgram, level: _Level, smallest: int) -> None:
    """Fix units that the smallest sum of squares leaves no choice about, for speed alone.

    With n counts of the mean m in a view, the squares add up to n m² plus the squared distances
    from m. A count at the distance d takes d² n / (n − 1) at least, as the others make up for it.
    """
    spare = smallest - sum(Fraction(level.total**2, len(view)) for view in level.views)
    for view in level.views:
        mean, others = Fraction(level.total, len(view)), len(view) - 1
        for units in view:
            possible = [
                count
                for count in range(len(units) + 1)
                if (count - mean) ** 2 * (others + 1) <= spare * others
            ]
            for number, unit in enumerate(units, start=1):
                if number <= possible[0] or number > possible[-1]:
                    program.fix(unit, int(number <= possible[0]))


def _ratings(program: LinearProgram, by_group: dict[_Group, dict[int, int]]) -> dict[int, int]:
    """Less cost for better papers. A group gives its best papers first, as they cost least."""
    ratings = [member.rating for group in by_group for member in group.members]
    denominator = math.lcm(*(rating.denominator for rating in ratings))
    costs: dict[int, int] = {}
    for group, row in by_group.items():
        members = {program.variable(1): member for member in group.members}
        program.constrain({**row, **dict.fromkeys(members, -1)}, 0, 0)
        costs |= {
            variable: -int(member.rating * denominator) for variable, member in members.items()
        }
    return costs


def _break_ties(
    program: LinearProgram,
    uses: dict[int, _Use],
    seed: str,
    seconds_left: Callable[[], float],
) -> dict[_Use, int]:
    """The number of papers of each use: in a random order of the uses, each as large as it can be.

    Only one solution is left then, so it does not depend on how HiGHS searches.
    """
    ordered = sorted(uses, key=lambda variable: _order_of(uses[variable], seed))
    counts: dict[_Use, int] = {}
    for step in _tie_steps({variable: program.limits[variable] + 1 for variable in ordered}):
        combinations = math.prod(step.values())
        costs = {}
        for variable, values in step.items():
            combinations //= values
            costs[variable] = -combinations
        _, solution = program.minimise(costs, seconds_left)
        for variable in costs:
            counts[uses[variable]] = round(solution[variable])
            program.fix(variable, round(solution[variable]))
    return counts


def _tie_steps(values: dict[int, int]) -> list[dict[int, int]]:
    """Variables with their numbers of values: as many in a step as TIE_LIMIT lets it tell apart."""
    steps: list[dict[int, int]] = []
    for variable, number in values.items():
        if not steps or math.prod(steps[-1].values()) * number > TIE_LIMIT:
            steps.append({})
        steps[-1][variable] = number
    return steps


def _order_of(use: _Use, seed: str) -> str:
    # A paper is in one group only, so its best paper names it.
    item = f"{use.group.members[0].docno} {'+'.join(use.facets)}"
    return order_key(seed, "balance ties", "", item)


def _papers_of(group: _Group, counts: dict[_Use, int], seed: str) -> list[ChosenPaper]:
    """The best papers of the group. Which of them gets which facets is random."""
    sets = [
        facets
        for facets in sorted(group.members[0].options)
        for _ in range(counts.get(_Use(group, facets), 0))
    ]
    members = sorted(
        group.members[: len(sets)],
        key=lambda member: order_key(seed, "balance facets", "", member.docno),
    )
    return [ChosenPaper(*pair) for pair in zip(members, sets, strict=True)]
