"""The tables and files of estimates, made from a report's payload. Nothing here computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from evaluation.prediction_powered.simulation import SimulatedSize
from web.words import count_noun

Payload = Mapping[str, Any]
BOUNDS = ("value", "low", "high")


def simulated_row(size: SimulatedSize) -> dict[str, object]:
    """A size as JSON types."""
    powered = [each.powered for each in size.coverage]
    return {
        "judged": size.judged,
        "systems": len(size.coverage),
        "coverage_human": size.human,
        "coverage_powered": size.powered,
        "lowest": min(powered),
        "highest": max(powered),
        "width": size.width,
        "saved": list(size.saved),
        "not_offered": size.not_offered,
    }


def simulated_cells(size: SimulatedSize) -> tuple[str, ...]:
    """A size as texts: coverage in percent, the width as a ratio."""
    row = simulated_row(size)
    low, median, high = (round(number) for number in size.saved)
    percent = (
        f"{100 * row[key]:.1f}"  # type: ignore[operator]
        for key in ("coverage_human", "coverage_powered", "lowest", "highest")
    )
    return (
        str(size.judged),
        *percent,
        "–" if size.width is None else f"{size.width:.2f}",
        f"{median} ({low}-{high})" if high else "none",
        "no" if size.not_offered else "yes",
    )


class EstimateLine(NamedTuple):
    """A system's estimates, in fractions. `powered` and `saved` are None if all is judged."""

    system: str
    model_only: float | None
    human: Payload
    powered: Payload | None
    saved: Payload | None

    @property
    def narrower(self) -> float | None:
        """The width of the interval with the model, as a share of that of human labels alone."""
        if self.powered is None:
            return None
        human = self.human["high"] - self.human["low"]
        return (self.powered["high"] - self.powered["low"]) / human if human else None


def estimate_lines(payload: Payload) -> list[EstimateLine]:
    return [
        EstimateLine(row["system"], row["model_only"], row["human"], row["powered"], row["saved"])
        for row in payload["systems"]
    ]


def finding_of(payload: Payload) -> str:
    """The first sentences of the report: the reason for no estimate, or the queries saved."""
    if payload["reason"]:
        return str(payload["reason"])
    lines = estimate_lines(payload)
    queries = count_noun(payload["queries"], "query", "queries")
    if payload["simulated"]:
        return f"People judged all {queries}, so no estimate is needed. {_simulated(payload)}"
    saved = [line.saved["queries"] for line in lines if line.saved]
    given = (
        f"People judged {payload['judged']:,} of {queries}, the first of the random order. "
        f"Each interval is for a system’s mean {payload['measure']} if they judged all of them."
    )
    if not any(saved):
        return f"{given} The model saves no judging: without it, the intervals are as narrow."
    best = max(lines, key=lambda line: line.saved["queries"] if line.saved else 0)
    assert best.saved is not None
    return (
        f"{given} For the same width without the model, people would have to judge "
        f"{_span(saved)} more queries (median over {count_noun(len(saved), 'system')}: "
        f"{median(saved):g}). The most are saved for {best.system}: "
        f"{count_noun(best.saved['queries'], 'query', 'queries')}, about "
        f"{count_noun(best.saved['pairs'], 'pair')}."
    )


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _simulated(payload: Payload) -> str:
    sizes = [row for row in payload["simulated"]["sizes"] if not row["not_offered"]]
    if not sizes:
        return "They are too few to draw some of them."
    row = sizes[0]
    low, middle, high = (round(number) for number in row["saved"])
    saved = (
        "the model would have saved none"
        if not high
        else f"the model would have saved {middle:,} in the median, and {low:,} to {high:,} in "
        "nine of ten draws and systems"
    )
    return (
        f"Had they judged {row['judged']:,} drawn at random, {saved}. "
        f"{100 * row['coverage_powered']:.1f} % of the intervals contained the mean over all "
        "queries."
    )


def csv_rows(payload: Payload) -> Iterator[list[object]]:
    """All numbers at full precision, a line for each system and each simulated size."""
    yield [
        *("row", "system", "judged", "human", "human_low", "human_high", "model_only"),
        *("powered", "powered_low", "powered_high", "saved_queries", "saved_pairs"),
        *("coverage_human", "coverage_powered", "lowest", "highest", "width", "not_offered"),
    ]
    for line in estimate_lines(payload):
        powered, saved = line.powered or {}, line.saved or {}
        yield [
            *("estimate", line.system, payload["judged"]),
            *(line.human[key] for key in BOUNDS),
            line.model_only,
            *(powered.get(key) for key in BOUNDS),
            saved.get("queries"),
            saved.get("pairs"),
            *[None] * 6,
        ]
    for row in payload["simulated"]["sizes"] if payload["simulated"] else ():
        yield [
            *("simulated", "", row["judged"], *[None] * 7, row["saved"][1], None),
            *(row[key] for key in ("coverage_human", "coverage_powered", "lowest", "highest")),
            row["width"],
            row["not_offered"],
        ]
