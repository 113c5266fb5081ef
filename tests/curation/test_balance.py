"""The exact choice against all choices of small cases, and against the order of its input."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product

import pytest

from corpus.ordering import order_key
from curation.balance import Candidate, choose_evenly
from curation.linear_program import NoSolution, TimeIsUp

FACETS = ("background", "method", "result")


def subsets(facets):
    sizes = range(1, len(facets) + 1)
    return tuple(chain.from_iterable(combinations(facets, size) for size in sizes))


def some_candidates(number, seed, pinned=0):
    draw = random.Random(seed)
    return [
        Candidate(
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


@pytest.mark.parametrize(
    ("seed", "numbers", "pinned"), [(1, (2, 2), 0), (2, (3, 1), 2), (3, (1, 1, 1), 1)]
)
def test_no_choice_is_more_even_and_ties_are_broken_by_the_seed(seed, numbers, pinned):
    candidates = some_candidates(6, seed, pinned)
    choices = choose(candidates, numbers)
    found = list(every_choice(candidates, numbers))
    least = min(map(objectives, found))
    assert objectives(choices) == least
    ties = [choice for choice in found if objectives(choice) == least]
    assert uses(choices, candidates) == max(uses(choice, candidates) for choice in ties)


def test_the_order_of_the_papers_changes_nothing_and_the_seed_decides_between_equals():
    candidates = some_candidates(30, 4)
    choices = choose(candidates, (6, 3))
    assert choose(candidates[::-1], (6, 3)) == choices
    assert choose(candidates, (6, 3), seed="other") != choices


def test_a_plan_without_solution_and_one_without_time_are_told_apart():
    candidates = [Candidate("d1", "p", "data", (("method",),), Fraction(3))]
    with pytest.raises(NoSolution):
        choose(candidates, (0, 1))
    with pytest.raises(TimeIsUp):
        choose_evenly(candidates, (1,), seed="s", seconds_left=lambda: 0)
