"""Print how far the pools of a collection can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.pool_bias.services import PoolBiasReport
from evaluation.pool_bias.tables import LeftOutLine, left_out_lines, ways_of
from reports.services import compute_report
from web.downloads import json_text
from web.words import count_noun

Row = tuple[str, ...]
TEXT_COLUMNS = ("source", "system", "sources", "way")


class Command(ProjectCommand):
    help = "Compute what the pools of a collection miss, and what that changes for systems."
    stage = "Trust"
    formats = ("table", "json")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--leave-out",
            default="",
            metavar="A,B",
            help="Sources to leave out together. Each source is left out alone anyway.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        leave_out = [name.strip() for name in options["leave_out"].split(",") if name.strip()]
        report = compute_report(PoolBiasReport(leave_out), collection=collection)
        if options["format"] == "json":
            self.stdout.write(json_text(report.payload))
        else:
            self.stdout.write("\n".join(lines(report.payload)))


def lines(payload: Mapping[str, Any]) -> Iterator[str]:
    """The report as tables to read."""
    main = payload["measures"][0]["name"]
    yield payload["paragraph"]
    yield ""
    yield from aligned(_sources(payload))
    yield ""
    yield f"Systems ({main}: standard, condensed, upper bound)"
    yield from aligned(_systems(payload, main))
    yield ""
    yield f"Sources left out ({main} of the system that changes most)"
    yield from aligned(_left_out(payload, main))
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


def _sources(payload: Mapping[str, Any]) -> Iterator[Row]:
    yield ("source", "drawn", "judged", "relevant", "unique")
    for row in payload["sources"]:
        yield tuple(str(row[key]) for key in ("source", "drawn", "judged", "relevant", "alone"))


def _systems(payload: Mapping[str, Any], measure: str) -> Iterator[Row]:
    yield ("system", "judged@10", "judged@20", "judged@100", "standard", "condensed", "upper")
    for row in payload["systems"]:
        values = row["measures"][measure]
        yield (
            row["system"],
            *(_number(row["judged"][k]) for k in ("10", "20", "100")),
            *(_number(values[key]) for key in ("standard", "condensed", "upper")),
        )


def _left_out(payload: Mapping[str, Any], measure: str) -> Iterator[Row]:
    yield (
        *("sources", "way", "labels", "relevant", "tau"),
        *("system", "full", "without", "change", "condensed"),
    )
    lines_by_way = {way: left_out_lines(payload, measure, way) for way in ways_of(payload)}
    for together in zip(*lines_by_way.values(), strict=True):
        for way, line in zip(lines_by_way, together, strict=True):
            counts = (str(line.labels), str(line.relevant), _number(line.tau))
            yield (line.name.replace(" + ", ","), way, *counts, *_most_changed(line))


def _most_changed(line: LeftOutLine) -> Row:
    system = line.most_changed
    if system is None:
        return ("none", *["undefined"] * 4)
    score, reduced = system["score"], system["reduced_score"]
    numbers = (_number(score), _number(reduced), f"{reduced - score:+.4f}")
    return (system["system"], *numbers, _number(system["reduced_condensed"]))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def aligned(rows: Iterable[Row]) -> Iterator[str]:
    """The rows with columns as wide as their longest cell; numbers are right-aligned."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    is_text = [column[0] in TEXT_COLUMNS for column in zip(*table, strict=True)]
    for row in table:
        cells = (
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(row, widths, is_text, strict=True)
        )
        yield "  ".join(cells).rstrip()
