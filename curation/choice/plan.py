"""The plan of a choice: the papers that it may take, and its errors. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, takewhile
from typing import Any, NamedTuple, TypedDict

from curation.choice.balance import EligiblePaper, Facets
from web.errors import UserFacingError
from web.words import count_noun, listed

MOST_PAPERS = 500
LISTED = 5  # docnos in a message
# CSFCube's numbers, as a start.
PAPERS, TWO_FACETS = 34, 16


class ChoiceError(UserFacingError):
    """A choice that cannot be made or applied. The message is shown to the person."""


class RatedPaper(NamedTuple):
    """A screened paper of a sample, with the facets that it is a query under already."""

    docno: str
    title: str
    year: int | None
    period: str
    paper_type: str
    is_excluded: bool  # by its type
    facets: Facets
    rating: Fraction
    screeners: int
    used_facets: Facets = ()


class ChosenRow(TypedDict):
    """A paper of a choice, as it is stored. `chosen` is "query", "pinned" or "balanced"."""

    docno: str
    title: str
    year: int | None
    period: str
    type: str
    rating: str
    screeners: int
    facets: list[str]
    chosen: str


class ChoiceResult(TypedDict):
    """A choice, as it is stored. `candidates` is a count."""

    papers: list[ChosenRow]
    candidates: int
    periods: list[str]
    types: list[str]
    facets: list[str]
    unevenness: list[int]


@dataclass(frozen=True)
class ChoicePlan:
    """The plan of a choice. `numbers` are the papers under one facet, under two, and so on.

    `pins` are docnos with the facets to put them under, or none if any will do.
    """

    sample: str
    numbers: tuple[int, ...]
    least_rating: int
    seed: str
    pins: Mapping[str, Facets] = field(default_factory=dict)
    bars: tuple[str, ...] = ()

    @property
    def papers(self) -> int:
        return sum(self.numbers)

    @property
    def queries(self) -> int:
        return sum(size * number for size, number in enumerate(self.numbers, start=1))

    def as_json(self) -> Mapping[str, object]:
        return {
            "sample": self.sample,
            "numbers": list(self.numbers),
            "least_rating": self.least_rating,
            "seed": self.seed,
            "pins": {docno: list(facets) for docno, facets in sorted(self.pins.items())},
            "bars": sorted(self.bars),
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ChoicePlan:
        return cls(
            sample=values["sample"],
            numbers=tuple(values["numbers"]),
            least_rating=values["least_rating"],
            seed=values["seed"],
            pins={docno: tuple(facets) for docno, facets in values["pins"].items()},
            bars=tuple(values["bars"]),
        )


def numbers_of(papers: int, several: Sequence[int]) -> tuple[int, ...]:
    """The papers under one facet, under two …, from all papers and those under two, three …

    Raises:
        ChoiceError: more papers under several facets than papers.
    """
    under_one = papers - sum(several)
    if under_one < 0:
        raise ChoiceError(
            f"{sum(several)} papers under several facets are more than the {papers} papers to "
            "choose. Choose more papers, or fewer under several facets."
        )
    numbers = [under_one, *several]
    most_facets = max((size for size, number in enumerate(numbers, start=1) if number), default=1)
    return tuple(numbers[:most_facets])


def read_pins(text: str, facets: Collection[str]) -> dict[str, Facets]:
    """A docno on each line, with facets behind it if wanted, as in "123 method result".

    A docno may contain spaces: only words at the end that are keys of facets count as facets.
    """
    pins: dict[str, Facets] = {}
    for line in text.splitlines():
        words = line.split()
        named = list(takewhile(lambda word: word in facets, reversed(words[1:])))
        if docno := " ".join(words[: len(words) - len(named)]):
            pins[docno] = tuple(key for key in facets if key in named)
    return pins


def write_pins(pins: Mapping[str, Facets]) -> str:
    return "\n".join(" ".join((docno, *facets)) for docno, facets in pins.items())


def first_numbers(papers: Sequence[RatedPaper], least_rating: int) -> tuple[int, int]:
    """A start for a form: papers, and how many of them under two facets.

    They are CSFCube's numbers, or all suitable papers with its share under two facets if they are
    fewer. Papers are at least 1.
    """
    plan = ChoicePlan(sample="", numbers=(1,), least_rating=least_rating, seed="")
    suitable = [paper for paper in papers if paper.used_facets or not _fault(paper, plan)]
    able = sum(len({*paper.facets, *paper.used_facets}) > 1 for paper in suitable)
    number = max(1, min(PAPERS, len(suitable)))
    return number, min(number * TWO_FACETS // PAPERS, able)


def candidates_of(papers: Sequence[RatedPaper], plan: ChoicePlan) -> list[EligiblePaper]:
    """The papers that can be chosen. Those that are queries already are pinned.

    Raises:
        ChoiceError: the plan names an unknown or unsuitable paper, or too few papers are left.
    """
    if not 1 <= plan.papers <= MOST_PAPERS or min(plan.numbers) < 0:
        raise ChoiceError(
            f"{plan.papers} papers cannot be chosen. Choose from 1 to {MOST_PAPERS} papers."
        )
    _check_named(papers, plan)
    candidates = [
        EligiblePaper(
            docno=paper.docno,
            period=paper.period,
            paper_type=paper.paper_type,
            options=_options(paper, plan),
            rating=paper.rating,
            is_pinned=paper.docno in plan.pins or bool(paper.used_facets),
        )
        for paper in papers
        if paper.used_facets or (paper.docno not in plan.bars and not _fault(paper, plan))
    ]
    _check_numbers(candidates, papers, plan)
    return candidates


def _options(paper: RatedPaper, plan: ChoicePlan) -> tuple[Facets, ...]:
    """Every set of facets for the paper, in the order of the facets."""
    if wanted := plan.pins.get(paper.docno):
        return (wanted,)
    possible = tuple(dict.fromkeys((*paper.facets, *paper.used_facets)))
    return tuple(
        facets
        for size in range(1, len(plan.numbers) + 1)
        for facets in combinations(possible, size)
        if {*paper.used_facets} <= {*facets}
    )


def _fault(paper: RatedPaper, plan: ChoicePlan) -> str:
    """The reason why the paper cannot be chosen, or ""."""
    if paper.is_excluded:
        return f"has the type {paper.paper_type}, which is excluded"
    if paper.rating < plan.least_rating:
        return f"is rated {float(paper.rating):.3g}, below {plan.least_rating}"
    if not paper.facets:
        return "has substantial content in no facet"
    return ""


def _check_named(papers: Sequence[RatedPaper], plan: ChoicePlan) -> None:
    by_docno = {paper.docno: paper for paper in papers}
    if unknown := [docno for docno in (*plan.pins, *plan.bars) if docno not in by_docno]:
        raise ChoiceError(
            f"Not a screened paper of the sample {plan.sample}: {listed(unknown, LISTED)}. "
            "Remove it from the pinned or barred papers, or screen it first."
        )
    if both := [docno for docno in plan.pins if docno in plan.bars]:
        raise ChoiceError(
            f"Pinned and barred: {listed(both, LISTED)}. Remove it from one of the two lists."
        )
    if queries := [docno for docno in plan.bars if by_docno[docno].used_facets]:
        raise ChoiceError(
            f"A query paper cannot be barred: {listed(queries, LISTED)}. Remove its queries first."
        )
    for docno, wanted in plan.pins.items():
        paper = by_docno[docno]
        if not paper.used_facets and (fault := _fault(paper, plan)):
            raise ChoiceError(f"{docno} {fault}, so it cannot be pinned. Remove the pin.")
        possible = {*paper.facets, *paper.used_facets}
        if not {*wanted} <= possible:
            raise ChoiceError(
                f"{docno} cannot be pinned under {' and '.join(wanted)}. It has substantial "
                f"content in {' and '.join(sorted(possible))}."
            )
        if wanted and not {*paper.used_facets} <= {*wanted}:
            raise ChoiceError(
                f"{docno} is a query under {' and '.join(paper.used_facets)} already. Pin it under "
                "these facets too, or remove its queries."
            )


def _check_numbers(
    candidates: Sequence[EligiblePaper], papers: Sequence[RatedPaper], plan: ChoicePlan
) -> None:
    if len(candidates) < plan.papers:
        raise ChoiceError(
            f"{count_noun(len(candidates), 'paper')} can be chosen, but the plan needs "
            f"{plan.papers}. {_left_out(papers, plan)} Choose fewer papers, lower the least "
            "rating, or screen more papers."
        )
    pinned = [candidate for candidate in candidates if candidate.is_pinned]
    if len(pinned) > plan.papers:
        raise ChoiceError(
            f"{len(pinned)} papers are pinned or queries already, but the plan has only "
            f"{plan.papers} papers. Remove pins, or choose more papers."
        )
    for candidate in pinned:
        if not candidate.options:
            raise ChoiceError(
                f"{candidate.docno} is a query under more than {len(plan.numbers)} facets, but no "
                "paper of the plan is. Plan papers under more facets, or remove its queries."
            )
    for size in range(2, len(plan.numbers) + 1):
        _check_size(size, candidates, plan)


def _check_size(size: int, candidates: Iterable[EligiblePaper], plan: ChoicePlan) -> None:
    needed = sum(plan.numbers[size - 1 :])
    able = sum(any(len(facets) >= size for facets in candidate.options) for candidate in candidates)
    if able < needed:
        raise ChoiceError(
            f"{count_noun(able, 'paper')} can be put under {size} or more facets, but the plan "
            f"needs {needed}. Plan fewer papers under {size} facets, lower the least rating, or "
            "screen more papers."
        )


def _left_out(papers: Sequence[RatedPaper], plan: ChoicePlan) -> str:
    """The number of screened papers that each restriction leaves out. A paper is counted once."""
    free = [paper for paper in papers if not paper.used_facets]
    barred = sum(paper.docno in plan.bars for paper in free)
    others = [paper for paper in free if paper.docno not in plan.bars]
    excluded = sum(paper.is_excluded for paper in others)
    suitable = [paper for paper in others if not paper.is_excluded]
    low = sum(paper.rating < plan.least_rating for paper in suitable)
    bare = sum(paper.rating >= plan.least_rating and not paper.facets for paper in suitable)
    reasons = [
        (low, f"rated below {plan.least_rating}"),
        (excluded, "of an excluded type"),
        (bare, "without substantial content in a facet"),
        (barred, "barred"),
    ]
    parts = [f"{number} {reason}" for number, reason in reasons if number]
    text = f"Of {count_noun(len(papers), 'screened paper')}, "
    return f"{text}{', '.join(parts) or 'none'} cannot be chosen."


def infeasible(candidates: Sequence[EligiblePaper], plan: ChoicePlan) -> ChoiceError:
    """For a plan that passes every check and still has no choice."""
    numbers = ", ".join(
        f"{number} under {size}" for size, number in enumerate(plan.numbers, start=1)
    )
    pinned = sum(candidate.is_pinned for candidate in candidates)
    able = ", ".join(
        f"{sum(any(len(facets) == size for facets in each.options) for each in candidates)} "
        f"under {size}"
        for size in range(1, len(plan.numbers) + 1)
    )
    return ChoiceError(
        f"No choice fulfils the whole plan. It needs papers by number of facets: {numbers}. "
        f"Possible are {able}, and {pinned} papers are pinned or queries already. Change the "
        "numbers, or remove pins and bars."
    )
