"""The figures of the page *Compare*: systems against a baseline, and two values for each query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from evaluation.significance.tables import HIGHER, LOWER, points, verdict
from scoring.statistics.comparison import ComparedSystem, SystemComparison, Versus
from scoring.statistics.paired import mean_interval, wins_ties_losses
from web.figure_panels import BeforeAfter, Interval, gutter_for, intervals, moves, ranked_bars
from web.figures import Figure, Key, Panel, number_text
from web.words import Noun, count_noun

ROWS = 40  # in a panel
MOST_ROWS = 120  # drawn as rows; of more queries, only the differences are drawn
TOPS = (25.0, 50.0, 100.0)  # percent

Row = TypeVar("Row")

QUERIES = Noun("query", "queries")
PAPERS = Noun("query paper", "query papers")
SYSTEMS = Noun("system", "systems")


class ValuePair(NamedTuple):
    """The two values of a query, or of a query paper: fractions. `url` is of what the row shows."""

    name: str
    first: float
    second: float
    url: str = ""

    @property
    def difference(self) -> float:
        return self.second - self.first


class Sides(NamedTuple):
    """The names of the two values: "bm25" and "specter", or two facets."""

    first: str
    second: str


def by_difference(values: Sequence[ValuePair]) -> list[ValuePair]:
    """The largest difference, second minus first, is first; ties are in the order of the names."""
    return sorted(values, key=lambda row: (-round(row.difference, 9), row.name))


def finding_of(values: Sequence[ValuePair], sides: Sides, measure: str, noun: Noun) -> str:
    """The finding of the figure in words: the mean difference, the counts and the extremes."""
    differences = [row.difference for row in values]
    mean = mean_interval(differences).value
    assert mean is not None, "a figure needs at least one query"
    wins, ties, losses = wins_ties_losses(differences)
    ranked = by_difference(values)
    return (
        f"{measure} over {noun.phrase(len(values))}: the mean of {sides.second} minus "
        f"{sides.first} is {_signed(mean)} percentage points. "
        f"{sides.second} is higher on {wins:,}, equal on {ties:,} and lower on {losses:,}. "
        f"The differences range from {_signed(ranked[-1].difference)} "
        f"({ranked[-1].name}) to {_signed(ranked[0].difference)} ({ranked[0].name})."
    )


def comparison_figure(
    values: Sequence[ValuePair],
    sides: Sides,
    measure: str,
    *,
    name: str,
    title: str,
    noun: Noun,
    left_out: str = "",
    same_table: str = "",
) -> Figure:
    """Two dots for each query, sorted by their difference; bars of the differences for many.

    `left_out` is a sentence for the note.
    """
    ranked = by_difference(values)
    finding = finding_of(ranked, sides, measure, noun)
    many = len(ranked) > MOST_ROWS
    drawn = f"A bar is the difference of a {noun.one}" if many else f"A row is a {noun.one}"
    order = f"the largest difference, {sides.second} minus {sides.first}, is first"
    note = f"{drawn}; {order}. Values are in percent."
    points = [100 * row.difference for row in ranked]
    return Figure(
        name=name,
        title=title,
        note=f"{note} {left_out}".strip(),
        panels=[ranked_bars(f"Difference in {measure}", finding, points)]
        if many
        else _rows(ranked, finding, sides, noun),
        head=(noun.one, *(f"score, {side} (%)" for side in sides), "difference (points)"),
        rows=[
            (row.name, *(100 * number for number in (row.first, row.second, row.difference)))
            for row in ranked
        ],
        same_table=same_table,
        urls=[row.url for row in ranked],
        keys=()
        if many
        else (
            Key("dot-before", sides.first, is_dot=True),
            Key("dot-after", sides.second, is_dot=True),
        ),
    )


def _rows(ranked: Sequence[ValuePair], finding: str, sides: Sides, noun: Noun) -> list[Panel]:
    numbers = [100 * number for row in ranked for number in (row.first, row.second)]
    low, high = min(0.0, *numbers), max(numbers)
    high = next((top for top in TOPS if high <= top), high)
    gutter = gutter_for(row.name for row in ranked)
    rows = [
        BeforeAfter(row.name, round(100 * row.first, 2), round(100 * row.second, 2), row.url)
        for row in ranked
    ]
    return _in_panels(
        rows,
        finding,
        noun,
        lambda title, words, part: moves(
            title, words, part, low, high, stages=sides, gutter=gutter
        ),
    )


def _in_panels(
    rows: Sequence[Row],
    finding: str,
    noun: Noun,
    panel: Callable[[str, str, Sequence[Row]], Panel],
) -> list[Panel]:
    """Panels of at most ROWS rows. The first says the finding."""
    panels = []
    for start in range(0, len(rows), ROWS):
        part = rows[start : start + ROWS]
        title = f"{noun.many.capitalize()} {start + 1} to {start + len(part)}"
        if len(part) == len(rows):
            title = noun.phrase(len(rows))
        panels.append(panel(title, f"{title}." if start else finding, part))
    return panels


def _signed(value: float) -> str:
    """A difference in percentage points."""
    rounded = round(100 * value, 2)
    return f"{'+' if rounded > 0 else ''}{number_text(rounded)}"


def verdict_sentence(row: ComparedSystem, baseline: str) -> str:
    """The result of the test of a system against the baseline; "" without one."""
    versus = row.versus
    if versus is None or versus.difference.value is None:
        return ""
    p = "< 0.001" if versus.flips_adjusted < 0.001 else f"= {versus.flips_adjusted:.3f}"
    words = {HIGHER: "higher", LOWER: "lower"}.get(verdict(versus))
    if words is None:
        return f"The difference is not significant at 5 % (adjusted p {p})."
    return f"{row.system} is significantly {words} than {baseline} at 5 % (adjusted p {p})."


def baseline_finding(comparison: SystemComparison, measure: str) -> str:
    """The number of systems that differ from the baseline, and the one that differs most."""
    others = [(row.system, row.versus) for row in comparison.rows if row.versus]
    if not others:
        return "A second system with a value for the same queries is needed for a comparison."
    verdicts = [verdict(versus) for _, versus in others]
    name, most = max(others, key=lambda pair: abs(pair[1].difference.value or 0))
    return (
        f"{measure} over {QUERIES.phrase(comparison.queries)}: of "
        f"{count_noun(len(others), 'other system')}, {verdicts.count(HIGHER):,} "
        f"{'is' if verdicts.count(HIGHER) == 1 else 'are'} significantly higher than "
        f"{comparison.baseline} and {verdicts.count(LOWER):,} lower at 5 %. "
        f"{name} differs most, by {points(most.difference.value or 0)} percentage points."
    )


def baseline_figure(
    comparison: SystemComparison, measure: str, url: Callable[[str], str]
) -> Figure | None:
    """A dot for each system's difference to the baseline, with its interval; None without one.

    `url` gives the page that compares a system with the baseline.
    """
    rows = sorted(
        (_interval(row, row.versus, url) for row in comparison.rows if row.versus),
        key=lambda row: (-row.value, row.name),
    )
    if not rows:
        return None
    low = min([0.0, *(row.low for row in rows)])
    high = max([0.0, *(row.high for row in rows)])
    gutter = gutter_for(row.name for row in rows)
    baseline = comparison.baseline
    return Figure(
        name="baseline",
        title=f"{measure} minus that of {baseline}",
        note="A row is a system, with its mean difference in percentage points and its 95 % "
        "interval. A filled dot is a significant difference at 5 %.",
        panels=_in_panels(
            rows,
            baseline_finding(comparison, measure),
            SYSTEMS,
            lambda title, words, part: intervals(title, words, part, low, high, gutter),
        ),
        head=("system", "difference (points)", "from", "to"),
        rows=[(row.name, row.value, row.low, row.high) for row in rows],
        keys=(
            Key("dot-after", "significant", is_dot=True),
            Key("dot-before", "not significant", is_dot=True),
        ),
        same_table="significance-rows",
    )


def _interval(row: ComparedSystem, versus: Versus, url: Callable[[str], str]) -> Interval:
    """In percentage points. An undefined interval is the value alone."""
    estimate = versus.difference
    value = estimate.value or 0.0
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    is_sure = verdict(versus) in (HIGHER, LOWER)
    return Interval(row.system, 100 * low, 100 * value, 100 * high, is_sure, url(row.system))
