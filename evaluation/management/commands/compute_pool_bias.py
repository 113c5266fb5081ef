"""Print how far the pools of a collection can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from evaluation.pool_bias.services import PoolBiasReport
from evaluation.pool_bias.tables import LeftOutLine, Payload, left_out_lines, ways_of
from reports.commands import ReportCommand
from web.figures import percent_text
from web.text_tables import aligned
from web.words import count_noun

Row = tuple[str, ...]
TEXT_COLUMNS = ("source", "system", "sources", "way")


class Command(ReportCommand):
    help = "Compute what the pools of a collection miss, and what that changes for systems."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--leave-out",
            default="",
            metavar="A,B",
            help="Sources to leave out together. Each source is left out alone anyway.",
        )

    def report(self, **options: Any) -> PoolBiasReport:
        names = map(str.strip, options["leave_out"].split(","))
        return PoolBiasReport(list(filter(None, names)))

    def lines(self, payload: Payload) -> Iterator[str]:
        return lines(payload)


def lines(payload: Payload) -> Iterator[str]:
    """The report as tables to read."""
    main = payload["measures"][0]["name"]
    yield payload["paragraph"]
    yield ""
    yield from aligned(_sources(payload), TEXT_COLUMNS)
    yield ""
    yield f"Systems (in percent; {main}: standard, condensed, upper bound)"
    yield from aligned(_systems(payload, main), TEXT_COLUMNS)
    yield ""
    yield f"Sources left out ({main} in percent, of the system that changes most)"
    yield from aligned(_left_out(payload, main), TEXT_COLUMNS)
    for reason in payload["not_redrawn"]:
        yield f"{count_noun(reason['pools'], 'pool')} cannot be drawn again: {reason['reason']}"
    yield ""
    expected = payload["growth"]["expected"]
    if expected is None:
        yield "Ten more documents per query: undefined, because no judged document was drawn"
    else:
        yield (
            f"Ten more documents per query: about {expected['value']:.1f} relevant ones expected "
            f"(95 %: {expected['low']:.1f} to {expected['high']:.1f})"
        )


def _sources(payload: Payload) -> Iterator[Row]:
    yield ("source", "drawn", "judged", "relevant", "unique")
    for row in payload["sources"]:
        yield tuple(str(row[key]) for key in ("source", "drawn", "judged", "relevant", "alone"))


def _systems(payload: Payload, measure: str) -> Iterator[Row]:
    yield ("system", "judged@10", "judged@20", "judged@100", "standard", "condensed", "upper")
    for row in payload["systems"]:
        values = row["measures"][measure]
        yield (
            row["system"],
            *(_percent(row["judged"][k]) for k in ("10", "20", "100")),
            *(_percent(values[key]) for key in ("standard", "condensed", "upper")),
        )


def _left_out(payload: Payload, measure: str) -> Iterator[Row]:
    yield (
        *("sources", "way", "labels", "relevant", "tau"),
        *("system", "full", "without", "change", "condensed"),
    )
    lines_by_way = {way: left_out_lines(payload, measure, way) for way in ways_of(payload)}
    for together in zip(*lines_by_way.values(), strict=True):
        for way, line in zip(lines_by_way, together, strict=True):
            tau = "undefined" if line.tau is None else f"{line.tau:.4f}"
            counts = (str(line.labels), str(line.relevant), tau)
            yield (line.name.replace(" + ", ","), way, *counts, *_most_changed(line))


def _most_changed(line: LeftOutLine) -> Row:
    system = line.most_changed
    if system is None:
        return ("none", *["undefined"] * 4)
    numbers = (_percent(system.score), _percent(system.reduced_score))
    change = f"{100 * system.change:+.2f}"
    return (system.system, *numbers, change, _percent(system.reduced_condensed))


def _percent(value: float | None) -> str:
    return "undefined" if value is None else percent_text(value)
