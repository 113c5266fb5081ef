import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from jobs.context import DirectRun
from pooling.services import (
    DEFAULT_STRATEGY,
    ONLY,
    PoolPlan,
    build_pools,
    check_buildable,
    default_forced,
    estimate_pools,
    named_papers,
)
from pooling.strategies import DRAW_ORDERS, STRATEGIES
from retrieval.services import DEFAULT_DEPTH
from web.words import count_noun

QUERY_IDS = ("name", "query_paper__name")


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, value


def _docnos_in(path: Path | None) -> list[str]:
    """The lines of the file; empty for no file. Raises CommandError."""
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}.") from error
    docnos = [line.strip() for line in lines if line.strip()]
    if not docnos:
        raise CommandError(f"{path} is empty. Write one id per line.")
    return docnos


def _chosen(collection: Collection, words: list[str]) -> list[str]:
    """The ids among the words, and those in the files. An id comes before a file of that name."""
    ids: list[str] = []
    known = {name for row in collection.queries.values_list(*QUERY_IDS) for name in row}
    for word in words:
        is_file = word not in known and Path(word).is_file()
        ids += _docnos_in(Path(word)) if is_file else [word]
    return ids


class Command(ProjectCommand):
    help = (
        "Build the pools that are not frozen, or some of them: all documents of forced sources, "
        "then those that the strategy draws. Runs built-in retrievers first if needed."
    )
    stage = "Pools"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
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
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--without-pool",
            action="store_true",
            help="build only for query papers that have no pool yet; all drafts stay",
        )
        which.add_argument(
            "--queries",
            nargs="+",
            action="extend",
            default=[],
            metavar="ID",
            help="build only for these query papers, topics or papers of these queries; other "
            "drafts stay. A file of ids, one per line, may stand for them",
        )
        which.add_argument(
            "--query-papers",
            type=Path,
            metavar="FILE",
            help="build only for the query papers, topics or queries in this file, one id per "
            "line; other drafts stay",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
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
        docnos = [
            *_chosen(collection, options["queries"]),
            *_docnos_in(options["query_papers"]),
        ]
        without_pool = options["without_pool"]
        if options["dry_run"]:
            self._estimate(collection, plan, docnos, without_pool=without_pool)
            return
        build = build_pools(
            collection=collection,
            plan=plan,
            work=DirectRun(),
            docnos=docnos,
            without_pool=without_pool,
        )
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

    def _estimate(
        self, collection: Collection, plan: PoolPlan, docnos: list[str], *, without_pool: bool
    ) -> None:
        plan.check()
        check_buildable(collection, docnos, without_pool=without_pool)
        names = named_papers(collection, docnos)
        estimate = estimate_pools(
            collection=collection, plan=plan, docnos=names, without_pool=without_pool
        )
        about = "" if estimate.is_exact else "about "
        self.stdout.write(
            f"{count_noun(estimate.papers, 'pool')} with {about}"
            f"{count_noun(estimate.candidates, 'candidate')} and {about}"
            f"{count_noun(estimate.pairs, 'pair')}. "
            f"{count_noun(estimate.sampled, 'pool')} drawn in memory."
        )
        if estimate.missing:
            self.stdout.write(f"Ranked first, so not counted: {', '.join(estimate.missing)}.")
