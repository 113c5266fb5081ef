"""Say how many judgments other orders of judging would have needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from planning.judged_pools import JudgedPool, judged_pools
from planning.simulation import METHODS, Simulated, simulate


class SimulatedQuery(NamedTuple):
    """A query under every method."""

    query: str
    by_method: dict[str, Simulated]

    @property
    def any(self) -> Simulated:
        return next(iter(self.by_method.values()))


class Command(ProjectCommand):
    help = (
        "Simulate other orders of judging over judged pools: how many judgments would have found "
        "most of the relevant documents, had they been judged rank by rank, by move-to-front or by "
        "MaxMean? Nothing is changed, and no pool is ever drawn this way."
    )
    stage = "Pools"
    writes = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--target",
            type=float,
            default=0.95,
            help="The share of the relevant documents to be found (default 0.95).",
        )
        parser.add_argument(
            "--relevant",
            type=int,
            help="The lowest grade that counts as relevant (default: that of the collection).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        target, relevant = options["target"], options["relevant"]
        if relevant is None:
            relevant = collection.relevant_from
        if not 0 < target <= 1:
            raise CommandError(
                f"The target is {target:g}; give a share above 0 and up to 1, like --target 0.95."
            )
        pools = list(judged_pools(collection))
        if not pools:
            raise CommandError(
                f"No pair of {collection.slug} has a final label yet, so there is nothing to "
                "simulate over. Judge some queries first."
            )
        rows = [_row(pool, collection.seed, target, relevant) for pool in pools]
        self.stdout.write("\n".join(_table(rows, target, relevant)))
        if missing := sum(pool.without_label for pool in pools):
            self.stdout.write(f"{missing} pairs without a final label were passed over.")


def _row(pool: JudgedPool, seed: str, target: float, lowest: int) -> SimulatedQuery:
    relevant = {docno: grade >= lowest for docno, grade in pool.grades.items()}
    return SimulatedQuery(
        pool.query,
        {
            method: simulate(method, pool.lists, relevant, seed, pool.query, target)
            for method in METHODS
        },
    )


def _table(rows: list[SimulatedQuery], target: float, relevant: int) -> Iterator[str]:
    width = max(len(row.query) for row in rows)
    yield f"Judgments that find {target:.0%} of the documents with grade {relevant} or more"
    yield ""
    yield _line(width, "query", "judged", "relevant", *METHODS)
    for row in rows:
        judgment_counts = [
            "none" if result.needed is None else result.needed for result in row.by_method.values()
        ]
        yield _line(width, row.query, row.any.judged, row.any.relevant, *judgment_counts)
    yield ""
    yield from _totals(width, [row for row in rows if row.any.relevant], len(rows))


def _totals(width: int, rows: list[SimulatedQuery], queries: int) -> Iterator[str]:
    if not rows:
        yield "No query has a relevant document, so no number of judgments is defined."
        return
    judged = sum(row.any.judged for row in rows)
    judgment_counts = [sum(row.by_method[method].needed or 0 for row in rows) for method in METHODS]
    yield _line(width, "all", judged, sum(row.any.relevant for row in rows), *judgment_counts)
    yield _line(width, "share", "", "", *(f"{count / judged:.1%}" for count in judgment_counts))
    if len(rows) < queries:
        yield f"{queries - len(rows)} queries without a relevant document are in no total."


def _line(width: int, query: str, *cells: object) -> str:
    return f"{query:<{width}}" + "".join(f"{cell!s:>15}" for cell in cells)
