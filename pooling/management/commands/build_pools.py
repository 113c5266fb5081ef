import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from jobs.context import DirectRun
from pooling.services import (
    DEFAULT_STRATEGY,
    ONLY,
    PoolPlan,
    build_pools,
    default_forced,
)
from pooling.strategies import DRAW_ORDERS, STRATEGIES
from retrieval.services import DEFAULT_DEPTH
from web.errors import UserFacingError


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, value


class Command(BaseCommand):
    help = (
        "Build the pool of every query paper whose pool is not frozen: all documents of forced "
        "sources, then those that the strategy draws. Runs built-in retrievers first if needed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
        parser.add_argument(
            "--n", type=int, help="new documents per run (for the strategies that take n)"
        )
        parser.add_argument(
            "--mode",
            choices=DRAW_ORDERS,
            help="order in which the runs draw n; short for --strategy",
        )
        parser.add_argument("--strategy", choices=STRATEGIES)
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            type=_name_and_value,
            metavar="NAME=VALUE",
            help="a parameter of the strategy (default: the strategy's), as in --set size=60",
        )
        parser.add_argument(
            "--forced",
            action="append",
            metavar="SOURCE",
            help="pool all its documents, first: `cited` or an imported run (default: cited, "
            "unless it is excluded; `none` for no forced source)",
        )
        parser.add_argument(
            "--excluded",
            action="append",
            default=[],
            metavar="SOURCE",
            help="known positives, which are never drawn: `cited` or an imported run",
        )
        parser.add_argument(
            "--only",
            action="append",
            default=[],
            choices=ONLY,
            help="requirement of drawn documents, relative to the query paper",
        )
        parser.add_argument("--seed", default="", help="default: the collection's")
        parser.add_argument("--run", action="append", default=[], help="draw only from these runs")
        parser.add_argument("--depth", type=int, default=DEFAULT_DEPTH, help="of built-in runs")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        forced = options["forced"] or default_forced(options["excluded"])
        if options["strategy"] and options["mode"]:
            raise CommandError("--mode is short for a --strategy; give one of them.")
        parameters = dict(options["set"])
        if options["n"] is not None:
            parameters["n"] = options["n"]
        plan = PoolPlan(
            strategy=options["strategy"] or options["mode"] or DEFAULT_STRATEGY,
            parameters=parameters,
            forced=tuple(source for source in forced if source != "none"),
            excluded=tuple(options["excluded"]),
            only=tuple(options["only"]),
            seed=options["seed"],
            runs=tuple(options["run"]),
            depth=options["depth"],
        )
        try:
            build = build_pools(collection=collection, plan=plan, work=DirectRun())
        except UserFacingError as error:
            raise CommandError(str(error)) from error
        for pool in build.pools.select_related("query_paper").order_by("pk"):
            short = sum(pool.shortfall.values())
            self.stdout.write(
                f"{pool.query_paper.name}: {pool.candidates.count()} candidates"
                + (f", {short} short" if short else "")
            )
        runs = ", ".join(
            run["name"] + ("" if run["use"] == "drawn" else f" ({run['use']})")
            for run in build.manifest["runs"]
        )
        self.stdout.write(
            f"{build.pools.count()} pools from {runs}; seed {build.manifest['seed']}; "
            f"SHA-256 {build.manifest['pools']['sha256']}"
        )
