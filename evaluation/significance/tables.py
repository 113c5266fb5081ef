"""The tables of significance of the page *Compare*, of its downloads and of `compute_significance`.

Files have numbers at full precision. A page has them rounded, with the exact value for a pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoring.statistics.comparison import AllPairs, ComparedSystem, SystemComparison, Versus
from scoring.statistics.multiple import SystemPair
from scoring.statistics.paired import ALPHA, POWER, IntervalEstimate
from web.figures import percent_text
from web.tables.columns import Column, Table
from web.words import count_noun

MOST_SYSTEMS = 40  # with a matrix on the page; the file has the pairs of more
HIGHER, LOWER, SAME = "higher", "lower", "not significant"

Value = float | int | str | None


def verdict(versus: Versus) -> str:
    """The verdict of the randomization test at 5 %, after Holm's adjustment."""
    if versus.flips_adjusted >= ALPHA or versus.difference.value is None:
        return SAME
    return HIGHER if versus.difference.value > 0 else LOWER


def system_fields(row: ComparedSystem) -> dict[str, Value]:
    """The row of a file, in the order of its columns; the baseline has no comparison."""
    return {name: field(row) for name, field in SYSTEM_FIELDS.items()}


def _of(value: Callable[[Versus], Value]) -> Callable[[ComparedSystem], Value]:
    return lambda row: value(row.versus) if row.versus else None


SYSTEM_FIELDS: dict[str, Callable[[ComparedSystem], Value]] = {
    "system": lambda row: row.system,
    "mean": lambda row: row.mean.value,
    "mean_low": lambda row: row.mean.low,
    "mean_high": lambda row: row.mean.high,
    "difference": _of(lambda versus: versus.difference.value),
    "difference_low": _of(lambda versus: versus.difference.low),
    "difference_high": _of(lambda versus: versus.difference.high),
    "wins": _of(lambda versus: versus.counts.wins),
    "ties": _of(lambda versus: versus.counts.ties),
    "losses": _of(lambda versus: versus.counts.losses),
    "t_p": _of(lambda versus: versus.t.value),
    "t_p_holm": _of(lambda versus: versus.t_adjusted),
    "randomization_p": _of(lambda versus: versus.flips),
    "randomization_p_holm": _of(lambda versus: versus.flips_adjusted),
    "significance": _of(verdict),
    "effect_size": _of(lambda versus: versus.effect.value),
    "effect_size_low": _of(lambda versus: versus.effect.low),
    "effect_size_high": _of(lambda versus: versus.effect.high),
    "detectable_difference": _of(lambda versus: versus.detectable.value),
    "undefined": _of(lambda versus: versus.t.undefined),
}
SYSTEMS = Table("significance", [Column("all", "All", SYSTEM_FIELDS)])


class StatisticCell(NamedTuple):
    """A number as the page shows it, and its exact value; or the reason why there is none."""

    text: str
    title: str = ""
    interval: str = ""


class PageRow(NamedTuple):
    """A row of the page. `cells` are empty for the baseline."""

    system: str
    mean: StatisticCell
    cells: Sequence[StatisticCell]
    verdict: str


def page_rows(comparison: SystemComparison) -> list[PageRow]:
    return [
        PageRow(
            row.system,
            _estimate(row.mean, percent_text),
            _cells(row.versus) if row.versus else (),
            verdict(row.versus) if row.versus else "",
        )
        for row in comparison.rows
    ]


def _cells(versus: Versus) -> list[StatisticCell]:
    difference, effect, counts = versus.difference, versus.effect, versus.counts
    return [
        _estimate(difference, points),
        StatisticCell(f"{counts.wins:,}/{counts.ties:,}/{counts.losses:,}"),
        _cell(versus.t.value, p_text, versus.t.undefined),
        _cell(versus.t_adjusted, p_text, versus.t.undefined),
        _cell(versus.flips, p_text),
        _cell(versus.flips_adjusted, p_text),
        _estimate(effect, signed),
    ]


def _cell(
    value: float | None, text: Callable[[float], str], reason: str | None = None
) -> StatisticCell:
    if value is None:
        return StatisticCell("undefined", reason or "")
    return StatisticCell(text(value), repr(value))


def _estimate(estimate: IntervalEstimate, text: Callable[[float], str]) -> StatisticCell:
    cell = _cell(estimate.value, text, estimate.undefined)
    if estimate.low is None or estimate.high is None:
        return cell
    return cell._replace(interval=f"{text(estimate.low)} to {text(estimate.high)}")


def points(value: float) -> str:
    """A difference of two fractions, in percentage points."""
    return signed(100 * value)


def signed(value: float) -> str:
    """With its sign, unless it rounds to 0: equal systems differ by neither +0.00 nor −0.00."""
    text = f"{value:+.2f}".replace("-", "−")
    return text[1:] if text.endswith("0.00") and len(text) == 5 else text


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


class PairLine(NamedTuple):
    """A pair of systems by their names; the first has the higher mean."""

    first: str
    second: str
    pair: SystemPair


def pair_lines(table: AllPairs) -> list[PairLine]:
    names = table.systems
    return [PairLine(names[pair.first], names[pair.second], pair) for pair in table.pairs]


PAIR_FIELDS: dict[str, Callable[[PairLine], Value]] = {
    "first": lambda line: line.first,
    "second": lambda line: line.second,
    "difference": lambda line: line.pair.difference,
    "tukey_p": lambda line: line.pair.p,
    "effect_size": lambda line: line.pair.effect.value,
    "effect_size_low": lambda line: line.pair.effect.low,
    "effect_size_high": lambda line: line.pair.effect.high,
}
PAIRS = Table("all-pairs", [Column("all", "All", PAIR_FIELDS)])


class DifferenceRow(NamedTuple):
    """A system and its pair with each system; None for the system itself."""

    system: str
    cells: Sequence[DifferenceCell | None]


class DifferenceCell(NamedTuple):
    """The row's system minus the column's, Tukey's p, and a sentence for a pointer."""

    difference: str
    p: str
    is_significant: bool
    title: str


class DifferenceMatrix(NamedTuple):
    rows: Sequence[DifferenceRow]
    undefined: str | None
    significant: int
    pairs: int


def matrix_of(table: AllPairs) -> DifferenceMatrix:
    rows = [
        DifferenceRow(
            name, [_matrix_cell(table, row, column) for column in range(len(table.systems))]
        )
        for row, name in enumerate(table.systems)
    ]
    significant = sum(pair.p < ALPHA for pair in table.pairs)
    return DifferenceMatrix(rows, table.undefined, significant, len(table.pairs))


def _matrix_cell(table: AllPairs, row: int, column: int) -> DifferenceCell | None:
    pair = table.pair(row, column)
    if pair is None:
        return None
    sign = 1 if row < column else -1
    difference, effect = sign * pair.difference, sign * (pair.effect.value or 0.0)
    names = f"{table.systems[row]} − {table.systems[column]}"
    title = f"{names}: {points(difference)}, p {p_text(pair.p)}, effect size {signed(effect)}"
    return DifferenceCell(points(difference), p_text(pair.p), pair.p < ALPHA, title)


def difference_sentence(comparison: SystemComparison, measure: str) -> str:
    """A sentence on the detectable differences, for the page and the README of a release."""
    middle, found = comparison.detectable_median, comparison.detectable
    queries = count_noun(comparison.queries, "query", "queries")
    if middle is None:
        return f"The smallest detectable difference is undefined for {queries}: no variance."
    spread = (
        f", from {percent_text(found[0])} to {percent_text(found[-1])} by system"
        if found[1:]
        else ""
    )
    return (
        f"With {queries}, a paired t test at {100 * ALPHA:g} % finds a true difference in "
        f"{measure} of {percent_text(middle)} percentage points with probability {POWER:g} "
        f"(the median over the comparisons{spread})."
    )
