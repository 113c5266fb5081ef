"""Print what the unjudged documents of systems could change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from evaluation.gaps.measures import DEPTH
from evaluation.gaps.services import GapsReport
from evaluation.gaps.tables import Payload, gap_lines, order_lines
from reports.commands import ReportCommand
from scoring.score_tables import ALL
from web.text_tables import aligned
from web.words import count_noun


class Command(ReportCommand):
    help = (
        "Compute what the unjudged documents of systems could change. Prints bounds of scores and "
        "ranks whatever their labels are, and how many pairs would have to be judged."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "systems",
            nargs="*",
            metavar="SYSTEM",
            help="Judge the unjudged documents of these systems. Default: of all.",
        )
        parser.add_argument(
            "--depth",
            type=int,
            default=DEPTH,
            help=f"Unjudged among the first DEPTH documents of a list. Default: {DEPTH}.",
        )

    def report(self, **options: Any) -> GapsReport:
        return GapsReport(options["depth"], options["systems"])

    def lines(self, payload: Payload) -> Iterator[str]:
        return lines(payload)


def lines(payload: Payload) -> Iterator[str]:
    """The report by its first measure as tables to read."""
    measure = payload["measures"][0]["name"]
    yield (
        f"{payload['collection']}: {count_noun(payload['pairs'], 'unjudged pair')} among the first "
        f"{payload['depth']}, {payload['shared']:,} of them of several systems"
    )
    yield f"{measure} in percent, now, if a system's own are judged, and if all are"
    yield from aligned(_systems(payload, measure), ("system",))
    orders = order_lines(payload, measure)
    yield ""
    yield f"{count_noun(len(orders), 'pair')} of systems could change order by {measure}"
    if payload["decisive"]["orders"]:
        documents = sum(map(len, payload["decisive"]["documents"].values()))
        yield (
            f"{count_noun(documents, 'pair')} to judge first: the others cannot change the order "
            f"of the closest {payload['decisive']['orders']}"
        )


def _systems(payload: Payload, measure: str) -> Iterator[tuple[str, ...]]:
    yield ("system", "unjudged", "of", "now", "low", "high", "all low", "all high", "rank", "ranks")
    for line in gap_lines(payload, ALL, measure):
        yield (
            line.name,
            "-" if line.unjudged is None else f"{line.unjudged:,}",
            f"{line.listed:,}",
            *map(_percent, (line.value, line.low, line.high, line.joint_low, line.joint_high)),
            str(line.rank),
            f"{line.best}-{line.worst}",
        )


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"
