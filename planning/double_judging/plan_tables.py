"""The rows of a comparison of plans with their hours and costs, for pages, files and commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from planning.double_judging.strategies import STRATEGIES, JudgingStrategy
from web.words import count_noun

Payload = Mapping[str, Any]
UNDEFINED = "–"


class RepeatedFigure(NamedTuple):
    """A figure: its mean and standard deviation over the repetitions that define it."""

    mean: float | None
    sd: float | None
    defined: int

    def text(self, decimals: int = 1, factor: float = 1) -> str:
        """The mean and, if it is not zero, the deviation: "20.9 ± 0.3"."""
        if self.mean is None:
            return UNDEFINED
        shown = _number(factor * self.mean, decimals)
        deviation = _number(factor * (self.sd or 0), decimals)
        return shown if float(deviation) == 0 else f"{shown} ± {deviation}"


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def _percent(spread: RepeatedFigure) -> str:
    return spread.text(1, 100)


def _two(spread: RepeatedFigure) -> str:
    return spread.text(2)


def _one(spread: RepeatedFigure) -> str:
    return spread.text(1)


class MeasuredColumn(NamedTuple):
    """A measured figure as tables show it; `unit` is "%" for a share."""

    key: str
    caption: str
    text: Callable[[RepeatedFigure], str]


MEASURED_COLUMNS = (
    MeasuredColumn("labelled", "labelled, %", _percent),
    MeasuredColumn("different", "different, %", _percent),
    MeasuredColumn("distance", "distance", _two),
    MeasuredColumn("false_relevant", "false relevant, %", _percent),
    MeasuredColumn("false_nonrelevant", "false nonrelevant, %", _percent),
    MeasuredColumn("alpha", "α", _two),
    MeasuredColumn("tau", "τ", _two),
    MeasuredColumn("tau_ap", "τ_AP", _two),
    MeasuredColumn("swaps", "swaps", _one),
)


@dataclass(frozen=True)
class PlanLine:
    """A strategy at a budget. `pairs` is how many pairs were compared.

    `budget` is the number of judgments for each pair.
    """

    strategy: JudgingStrategy
    budget: str
    pairs: int
    figures: Mapping[str, RepeatedFigure]

    @classmethod
    def of(cls, row: Mapping[str, Any], pairs: int) -> PlanLine:
        figures = {name: RepeatedFigure(**values) for name, values in row["figures"].items()}
        return cls(STRATEGIES[row["strategy"]], row["budget"], pairs, figures)

    def share(self, name: str) -> float:
        """The mean of a count divided by the pairs, such as the share of pairs judged twice."""
        return (self.figures[name].mean or 0.0) / self.pairs

    def hours(self, pairs: int, seconds: float) -> float:
        """The hours of judging and of adjudicating so many pairs, at this time for each answer."""
        return pairs * (self.share("judgments") + self.share("decisions")) * seconds / 3600

    @property
    def cells(self) -> list[str]:
        return [column.text(self.figures[column.key]) for column in MEASURED_COLUMNS]

    @property
    def interval(self) -> str:
        """The mean ends of the intervals of α."""
        low, high = self.figures["alpha_low"].mean, self.figures["alpha_high"].mean
        if low is None or high is None:
            return ""
        return f"{_number(low, 2)} to {_number(high, 2)}"


def plan_lines(payload: Payload) -> list[PlanLine]:
    return [PlanLine.of(row, payload["pairs"]) for row in payload["rows"]]


def text_lines(payload: Payload, *, seconds: float, rate: float | None = None) -> Iterator[str]:
    """The comparison as lines to read at a terminal."""
    pairs, systems = payload["pairs"], len(payload["systems"])
    facet = f" of {payload['facet']}" if payload["facet"] else ""
    yield (
        f"{count_noun(pairs, 'pair')} of {count_noun(payload['queries'], 'query', 'queries')}"
        f"{facet}. Model: {payload['model']}. "
        f"Measure: {payload['measure']}. Systems: {systems}. Repetitions: "
        f"{payload['repetitions']}, seed {payload['seed']}."
    )
    yield (
        f"Hours at {seconds:g} seconds a judgment or decision. Values are means ± standard "
        "deviations over the repetitions."
    )
    yield ""
    captions = ["α interval" if column.key == "tau" else None for column in MEASURED_COLUMNS]
    heads = [
        head
        for column, before in zip(MEASURED_COLUMNS, captions, strict=True)
        for head in filter(None, (before, column.caption))
    ]
    counts = ["strategy", "budget", "twice", "once", "model", "hours"]
    money = ["cost"] if rate is not None else []
    rows = [[*counts, *money, *heads]]
    for line in plan_lines(payload):
        cells = line.cells
        place = [column.key for column in MEASURED_COLUMNS].index("tau")
        hours = line.hours(pairs, seconds)
        rows.append(
            [
                line.strategy.key,
                line.budget,
                *(_one_whole(line, name) for name in ("twice", "once", "by_model")),
                f"{hours:.1f}",
                *([f"{hours * rate:,.0f}"] if rate is not None else []),
                *cells[:place],
                line.interval or UNDEFINED,
                *cells[place:],
            ]
        )
    yield from _aligned(rows)
    yield ""
    if payload["left_out"]:
        yield (
            f"Left out: {count_noun(payload['left_out'], 'pair')} without both grades and a final "
            "label, or of the query paper itself."
        )
    if payload["queries"] < payload["finished_queries"]:
        yield (
            f"Compared: {payload['queries']:,} of {payload['finished_queries']:,} finished queries."
        )
    yield "Two judges for each pair stay the default. Nothing was changed."


def _one_whole(line: PlanLine, name: str) -> str:
    return f"{line.figures[name].mean or 0:.0f}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        yield name.ljust(widths[0]) + "".join(
            f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)
        )
