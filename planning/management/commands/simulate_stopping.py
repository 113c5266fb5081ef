"""Say what stopping by the advice would have saved and missed, and how good the forecasts are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from planning.stopping_simulation import (
    SimulatedOrder,
    SplitForecast,
    calibration,
    forecast_splits,
    simulate_stopping,
    stops,
)
from planning.yields.reading import read_pairs

THRESHOLDS = (0.5, 0.8, 0.9, 0.95, 0.99)
ORDERS, SPLITS = 10, 40


class Command(ProjectCommand):
    help = (
        "Simulate the advice to stop over queries that are judged: had judging stopped when it "
        "said so, how many pairs would have been saved and how many relevant documents missed? "
        "And forecast a third of the queries by the others. Nothing is changed."
    )
    stage = "Pools"
    writes = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--orders", type=int, default=ORDERS, help=f"Random orders a query (default {ORDERS})."
        )
        parser.add_argument(
            "--splits",
            type=int,
            default=SPLITS,
            help=f"Random thirds of the queries to forecast (default {SPLITS}).",
        )
        parser.add_argument("--seed", default="0", help='Of the orders and thirds (default "0").')

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        table = read_pairs(collection)
        orders = list(simulate_stopping(table, options["seed"], options["orders"]))
        if not orders:
            raise CommandError(
                f"{collection.slug} has no facet with more than 10 queries of which all pairs are "
                "judged, so there is nothing to simulate over."
            )
        splits = list(forecast_splits(table, options["seed"], options["splits"]))
        self.stdout.write("\n".join(_report(orders, splits, table.seconds_a_judgment)))


def _report(
    orders: Sequence[SimulatedOrder], splits: Sequence[SplitForecast], seconds: float
) -> Iterator[str]:
    queries = len({order.query for order in orders})
    yield f"{queries} queries, each in {len(orders) // queries} random orders"
    yield ""
    yield _line("stop at", "stopped", "true", "hours saved", "share", "missed", "share")
    for threshold in THRESHOLDS:
        result = stops(orders, threshold)
        yield _line(
            f"{threshold:.0%}",
            f"{result.stopped} of {result.orders}",
            f"{result.true / result.stopped:.1%}" if result.stopped else "–",
            f"{result.saved * 2 * seconds / 3600 * queries / result.orders:.2f}",
            f"{result.saved / result.pairs:.2%}",
            f"{result.missed} of {result.relevant}",
            f"{result.missed / result.relevant:.2%}" if result.relevant else "–",
        )
    yield ""
    yield _line("said", "looks", "mean", "true")
    for number in calibration(orders):
        low = int(number.said * 10) * 10
        yield _line(f"{low}–{low + 10}%", number.looks, f"{number.said:.1%}", f"{number.true:.1%}")
    yield ""
    inside = sum(
        order.half_estimate.low <= order.half <= order.half_estimate.high for order in orders
    )
    expected = sum(order.half_estimate.value for order in orders)
    yield (
        f"After half of the candidates: {expected / len(orders):.2f} relevant ones expected a "
        f"query, {sum(order.half for order in orders) / len(orders):.2f} found; "
        f"the 95 % interval held {inside / len(orders):.1%}."
    )
    yield (
        f"The bound without a prior held at every look in "
        f"{sum(order.bound_held for order in orders) / len(orders):.1%} of the orders."
    )
    if splits:
        yield (
            f"Forecasts of a third of the queries by the others, {len(splits)} times: "
            f"{sum(split.expected.value for split in splits) / len(splits):.1f} relevant documents "
            f"expected, {sum(split.found for split in splits) / len(splits):.1f} found; the 95 % "
            f"interval held {sum(split.is_inside for split in splits) / len(splits):.1%}."
        )


def _line(first: object, *cells: object) -> str:
    return f"{first!s:<10}" + "".join(f"{cell!s:>15}" for cell in cells)
