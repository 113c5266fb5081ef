"""Print how far the pools of a collection can be trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from evaluation.pool_bias.leave_out import REDRAWN, UNIQUE
from evaluation.pool_bias.report import PoolBiasError
from evaluation.pool_bias.services import compute_pool_bias


class Command(BaseCommand):
    help = "Compute what the pools of a collection miss, and what that changes for systems."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument(
            "--leave-out",
            default="",
            metavar="A,B",
            help="Sources to leave out together. Each source is left out alone anyway.",
        )
        parser.add_argument("--format", choices=["table", "json"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            collection = Collection.objects.get(slug=options["collection"])
        except Collection.DoesNotExist:
            raise CommandError(f"No collection {options['collection']!r}.") from None
        leave_out = [name.strip() for name in options["leave_out"].split(",") if name.strip()]
        try:
            report = compute_pool_bias(collection=collection, leave_out=leave_out)
        except PoolBiasError as error:
            raise CommandError(str(error)) from error
        if options["format"] == "json":
            # Sorted, so that the text is the same on every database.
            text = json.dumps(report.payload, indent=2, sort_keys=True, ensure_ascii=False)
            self.stdout.write(text)
        else:
            self.stdout.write("\n".join(lines(report.payload)))


def lines(payload: Mapping[str, Any]) -> Iterator[str]:
    """The report as tables to read."""
    yield payload["paragraph"]
    yield ""
    yield _line("source", "drawn", "judged", "relevant", "unique")
    for row in payload["sources"]:
        yield _line(*(row[key] for key in ("source", "drawn", "judged", "relevant", "alone")))
    main = payload["measures"][0]["name"]
    yield ""
    yield f"Systems ({main}: standard, condensed, upper bound)"
    yield _line("system", "judged@10", "judged@20", "judged@100", "standard", "condensed", "upper")
    for row in payload["systems"]:
        values = row["measures"][main]
        yield _line(
            row["system"],
            *(_number(row["judged"][k]) for k in ("10", "20", "100")),
            *(_number(values[key]) for key in ("standard", "condensed", "upper")),
        )
    yield ""
    yield f"Sources left out ({main})"
    yield _line("sources", "way", "labels", "relevant", "tau", "largest", "system")
    for row in payload["left_out"]:
        for way in (UNIQUE, REDRAWN):
            if row[way] is not None:
                yield _left_out(row["sources"], way, row[way], main)
    for reason in payload["not_redrawn"]:
        yield f"    {reason['pools']} pools not redrawn: {reason['reason']}"
    yield ""
    expected = payload["growth"]["expected"]
    if expected is None:
        yield "Ten more documents per query: undefined, because no judged document was drawn"
    else:
        yield (
            f"Ten more documents per query: about {expected['value']:.1f} relevant ones expected "
            f"(95 %: {expected['low']:.1f} to {expected['high']:.1f})"
        )


def _left_out(sources: list[str], way: str, row: Mapping[str, Any], measure: str) -> str:
    result = row["measures"][measure]
    tau = "undefined" if result["tau"] is None else f"{result['tau']:.4f}"
    changes = [
        (system["reduced_score"] - system["score"], system["system"])
        for system in result["systems"]
    ]
    change, name = max(changes, key=lambda pair: abs(pair[0]), default=(0.0, "none"))
    counts = (row["labels"], row["relevant"])
    return _line(",".join(sources), way, *counts, tau, f"{change:+.4f}", name)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _line(name: str, *cells: object) -> str:
    return f"{name:<28}" + "".join(f"{cell:>12}" for cell in cells)
