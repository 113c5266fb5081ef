"""The exact choice against all choices of small cases, and against the order of its input."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product

import pytest

from corpus.ordering import order_key
from curation.choice import balance
from curation.choice.balance import ChosenPaper, EligiblePaper, choose_evenly, unevenness
from curation.choice.linear_program import LinearProgram, NoSolution, TimeIsUp

FACETS = ("background", "method", "result")


def subsets(facets):
    sizes = range(1, len(facets) + 1)
    return tuple(chain.from_iterable(combinations(facets, size) for size in sizes))


def some_candidates(number, seed, pinned=0):
    draw = random.Random(seed)
    return [
        EligiblePaper(
            docno=f"d{row}",
            period=f"p{draw.randrange(3)}",
            paper_type=draw.choice(["data", "theory"]),
            options=subsets(draw.sample(FACETS, draw.choice([1, 2, 2, 3]))),
            rating=Fraction(draw.choice([6, 7, 8]), 2),
            is_pinned=row < pinned,
        )
        for row in range(number)
    ]


def choose(candidates, numbers, seed="s"):
    return choose_evenly(candidates, numbers, seed=seed, seconds_left=lambda: 600)


def objectives(choices):
    """Written apart from `unevenness`: squares of counts, by level, then the ratings."""
    queries = [(c.period, c.paper_type, facet) for c, facets in choices for facet in facets]
    papers = [(c.period, c.paper_type) for c, _ in choices]

    def squares(rows, *columns):
        return sum(
            count**2
            for chosen in columns
            for count in Counter(tuple(row[at] for at in chosen) for row in rows).values()
        )

    return (
        squares(queries, [0], [1], [2]),
        squares(papers, [0], [1]),
        squares(queries, [0, 1], [0, 2], [1, 2]),
        squares(queries, [0, 1, 2]),
        -sum(candidate.rating for candidate, _ in choices),
    )


def every_choice(candidates, numbers):
    """All choices with these numbers and all pinned papers."""
    for papers in combinations(candidates, sum(numbers)):
        if sum(paper.is_pinned for paper in papers) < sum(c.is_pinned for c in candidates):
            continue
        for facets in product(*(paper.options for paper in papers)):
            sizes = Counter(map(len, facets))
            if sizes == Counter({n: k for n, k in enumerate(numbers, 1) if k}):
                yield list(zip(papers, facets, strict=True))


def uses(choices, candidates):
    """How many papers of each group of alike papers are under each set, in the order of ties."""

    def group(candidate):
        own = candidate.docno if candidate.is_pinned else ""
        return candidate.period, candidate.paper_type, candidate.options, own

    best = {}
    for candidate in sorted(
        candidates, key=lambda c: (-c.rating, order_key("s", "balance papers", "", c.docno))
    ):
        best.setdefault(group(candidate), candidate.docno)
    keys = sorted(
        ((name, facets) for of, name in best.items() for facets in of[2]),
        key=lambda use: order_key("s", "balance ties", "", f"{use[0]} {'+'.join(use[1])}"),
    )
    counts = Counter((best[group(candidate)], facets) for candidate, facets in choices)
    return [counts[key] for key in keys]


def check_against_all(candidates, numbers, seed="s"):
    """Compare with every choice; return whether there was one."""
    found = list(every_choice(candidates, numbers))
    if not found:
        with pytest.raises(NoSolution):
            choose(candidates, numbers, seed)
        return False
    choices = choose(candidates, numbers, seed)
    least = min(map(objectives, found))
    assert objectives(choices) == least
    ties = [choice for choice in found if objectives(choice) == least]
    assert uses(choices, candidates) == max(uses(choice, candidates) for choice in ties)
    assert [(c.period, c.paper_type, c.docno) for c, _ in choices] == sorted(
        (c.period, c.paper_type, c.docno) for c, _ in choices
    )
    return True


@pytest.mark.parametrize(
    ("seed", "numbers", "pinned"), [(1, (2, 2), 0), (2, (3, 1), 2), (3, (1, 1, 1), 1)]
)
def test_no_choice_is_more_even_and_ties_are_broken_by_the_seed(seed, numbers, pinned):
    assert check_against_all(some_candidates(6, seed, pinned), numbers)


@pytest.mark.parametrize("start", range(0, 200, 50))
@pytest.mark.by_day(4)
def test_in_hundreds_of_small_cases_no_choice_is_more_even(start):
    outcomes = Counter()
    for seed in range(start, start + 50):
        draw = random.Random(seed)
        numbers = draw.choice([(2,), (1, 1), (2, 1), (0, 2), (1, 0, 1), (3, 0), (0, 1, 1)])
        size = draw.randint(sum(numbers), 5)
        pinned = draw.choice([0, 0, 1, 2])
        outcomes[check_against_all(some_candidates(size, seed, pinned), numbers)] += 1
    assert outcomes[True] > 25
    assert outcomes[False]


@pytest.mark.by_day(2)
def test_among_alike_papers_the_best_are_chosen_once_each():
    """Few groups with many papers, against every choice."""
    for seed in range(60):
        draw = random.Random(seed)
        candidates = [
            EligiblePaper(
                docno=f"d{row}",
                period="p",
                paper_type=draw.choice(["data", "theory"]),
                options=draw.choice([(("method",), ("result",)), (("method",),)]),
                rating=Fraction(draw.choice([1, 2, 5, 9])),
                is_pinned=row == 0 and seed % 5 == 0,
            )
            for row in range(6)
        ]
        check_against_all(candidates, draw.choice([(2,), (3,), (4,)]))


def test_counts_are_those_of_the_squares():
    """The sums that the page shows, against squares counted one by one."""
    for seed in range(20):
        choices = [
            ChosenPaper(candidate, random.Random(seed).choice(candidate.options))
            for candidate in some_candidates(6, seed)
        ]
        assert tuple(unevenness(choices)) == objectives(choices)[:4]


def test_the_units_of_a_count_cost_its_square():
    level = balance._Level(9, [[[1, 2, 3], [4]], [[5, 6]]])

    assert level.costs == {1: 1, 2: 3, 3: 5, 4: 1, 5: 1, 6: 3}


def test_many_uses_are_told_apart_in_several_steps(monkeypatch):
    """With a smaller limit, ties are broken use by use, to the same choice."""
    candidates = some_candidates(12, 5)
    choices = choose(candidates, (3, 2))
    for limit in (1, 2, 9, 10, 100):
        monkeypatch.setattr(balance, "TIE_LIMIT", limit)
        assert choose(candidates, (3, 2)) == choices


def test_a_step_has_as_many_uses_as_the_limit_lets_it_tell_apart(monkeypatch):
    monkeypatch.setattr(balance, "TIE_LIMIT", 12)
    steps = balance._tie_steps({1: 3, 2: 4, 3: 2, 4: 7, 5: 13, 6: 1, 7: 12})
    assert steps == [{1: 3, 2: 4}, {3: 2}, {4: 7}, {5: 13}, {6: 1, 7: 12}]


def test_units_are_fixed_for_speed_alone(monkeypatch):
    """Without it the choice is the same, and with it most units are fixed."""
    candidates = some_candidates(9, 6, 1)
    fixed = []
    fix = LinearProgram.fix

    def counted(program, variable, value):
        fixed.append((variable, value))
        fix(program, variable, value)

    monkeypatch.setattr(LinearProgram, "fix", counted)
    choices = choose(candidates, (3, 2))
    with_units = len(fixed)
    fixed.clear()
    monkeypatch.setattr(balance, "_narrow", lambda *_: None)
    assert choose(candidates, (3, 2)) == choices
    assert with_units > len(fixed) + 20


def test_narrowing_keeps_every_count_that_the_sum_of_squares_allows():
    """Of all counts with a total and a sum of squares, those that occur stay possible, no more."""
    for total, cells, most in ((4, 3, 4), (5, 2, 5), (6, 4, 3), (3, 1, 3)):
        every = [
            counts for counts in product(range(most + 1), repeat=cells) if sum(counts) == total
        ]
        for squares in {sum(n * n for n in counts) for counts in every}:
            program = LinearProgram()
            units = [[program.variable(1) for _ in range(most)] for _ in range(cells)]
            balance._narrow(program, balance._Level(total, [units]), squares)
            for cell in range(cells):
                allowed = [
                    counts[cell] for counts in every if sum(n * n for n in counts) == squares
                ]
                values = [(program.lows[unit], program.limits[unit]) for unit in units[cell]]
                low = sum(lower for lower, _ in values)
                high = sum(upper for _, upper in values)
                assert low <= min(allowed)
                assert high >= max(allowed)
                mean, spare = Fraction(total, cells), squares - Fraction(total**2, cells)
                fits = [
                    n
                    for n in range(most + 1)
                    if (n - mean) ** 2 + ((n - mean) ** 2 / (cells - 1) if cells > 1 else 0)
                    <= spare
                ]
                assert (low, high) == (fits[0], fits[-1])
                assert values == sorted(values, reverse=True)


def test_the_order_of_the_papers_changes_nothing_and_the_seed_decides_between_equals():
    candidates = some_candidates(30, 4)
    choices = choose(candidates, (6, 3))
    assert choose(candidates[::-1], (6, 3)) == choices
    assert choose(candidates, (6, 3), seed="other") != choices


def test_a_plan_without_solution_and_one_without_time_are_told_apart():
    candidates = [EligiblePaper("d1", "p", "data", (("method",),), Fraction(3))]
    with pytest.raises(NoSolution):
        choose(candidates, (0, 1))
    with pytest.raises(NoSolution):
        choose([], (1,))
    with pytest.raises(TimeIsUp):
        choose_evenly(candidates, (1,), seed="s", seconds_left=lambda: 0)
