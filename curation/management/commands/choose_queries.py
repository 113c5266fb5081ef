"""Choose query papers evenly from a screened sample."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from curation.choice.forms import LEAST_RATING
from curation.choice.plan import ChoicePlan, numbers_of, read_pins
from curation.choice.report import Balance
from curation.choice.services import apply_choice, compute_choice
from curation.models import QueryChoice
from jobs.context import DirectRun


class Command(ProjectCommand):
    help = (
        "Choose query papers evenly from a screened sample. Periods, types and facets are as even "
        "as they can be. Prints the choice, and creates the queries only with --apply."
    )
    stage = "Corpus"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--sample", required=True, help="the sample's name")
        parser.add_argument("--papers", type=int, required=True, help="how many papers")
        several = parser.add_mutually_exclusive_group()
        several.add_argument("--two-facets", type=int, default=0, help="papers under two facets")
        several.add_argument(
            "--queries", type=int, help="how many queries, if no paper is under three facets"
        )
        parser.add_argument("--three-facets", type=int, default=0, help="papers under three facets")
        parser.add_argument("--least-rating", type=int, default=LEAST_RATING)
        for name, what in (("pin", "must be chosen"), ("bar", "must not be chosen")):
            parser.add_argument(
                f"--{name}",
                action="append",
                default=[],
                metavar="DOCNO|FILE",
                help=f"a paper that {what}, or a file with one docno per line",
            )
        parser.add_argument("--seed", default="", help="default: the collection's")
        parser.add_argument("--apply", action="store_true", help="create the queries of the choice")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        plan = _plan(collection, options)
        choice = compute_choice(collection=collection, plan=plan, work=DirectRun())
        self._print(choice)
        if options["apply"]:
            queries = apply_choice(choice=choice)
            self.stdout.write(f"{len(queries)} new queries.")

    def _print(self, choice: QueryChoice) -> None:
        balance = Balance.of(choice)
        for margin in balance.margins:
            self.stdout.write(
                f"{margin.kind:8}{margin.name:30}{margin.queries:4} queries "
                f"(even: {margin.queries_target:.1f}){margin.papers:6} papers"
            )
        for row in balance.rows:
            cells = (row["docno"], row["period"], row["type"], row["rating"], row["chosen"])
            self.stdout.write("\t".join((*cells, " ".join(row["facets"]))))
        plan = ChoicePlan.of(choice.plan)
        self.stdout.write(f"Choice {choice.name}: {plan.papers} papers, {plan.queries} queries.")


def _plan(collection: Collection, options: Mapping[str, Any]) -> ChoicePlan:
    facets = list(collection.facets.values_list("key", flat=True))
    two = options["two_facets"]
    if options["queries"] is not None:
        two = options["queries"] - options["papers"]
        if two < 0 or options["three_facets"]:
            raise CommandError(
                f"--queries {options['queries']} does not fit --papers {options['papers']}. Use "
                "--two-facets and --three-facets."
            )
    return ChoicePlan(
        sample=options["sample"],
        numbers=numbers_of(options["papers"], [two, options["three_facets"]]),
        least_rating=options["least_rating"],
        seed=options["seed"] or collection.seed,
        pins=read_pins(_lines(options["pin"]), facets),
        bars=tuple(read_pins(_lines(options["bar"]), ())),
    )


def _lines(values: list[str]) -> str:
    """Docnos as they are, and the lines of files."""
    return "\n".join(
        Path(value).read_text(encoding="utf-8-sig") if Path(value).is_file() else value
        for value in values
    )
