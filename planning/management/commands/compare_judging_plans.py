"""Say what the labels would have been worth, had not every pair been judged twice."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from annotation.queue import collection_pace
from planning.double_judging.comparison import BUDGETS, REPETITIONS, judgments_of
from planning.double_judging.plan_tables import text_lines
from planning.double_judging.report import plans_payload
from web.downloads import json_text


class Command(ProjectCommand):
    help = (
        "Compare plans of judging on finished queries: which pairs get a second judge, or a model "
        "instead? Prints errors of labels, agreement, rankings of systems and hours. Changes "
        "nothing."
    )
    stage = "Pools"
    writes = False
    formats = ("table", "json")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--model",
            default="",
            help="A system, or shadow:NAME for a shadow judge (default: the first there is).",
        )
        parser.add_argument(
            "--measure", default="", help="Such as NDCG%%20 or AP (default: the leaderboard's)."
        )
        parser.add_argument("--facet", default="", help="Only queries of this facet.")
        parser.add_argument(
            "--budgets",
            default=",".join(BUDGETS),
            help=f"Judgments for each pair, with commas between (default: {','.join(BUDGETS)}).",
        )
        parser.add_argument(
            "--repetitions",
            type=int,
            default=REPETITIONS,
            help=f"How often to make other random choices (default: {REPETITIONS}).",
        )
        parser.add_argument(
            "--seconds",
            type=float,
            help="Seconds for a judgment or decision (default: as the pages estimate them).",
        )
        parser.add_argument("--rate", type=float, help="The cost of an hour.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        seconds = options["seconds"]
        if seconds is None:
            seconds = collection_pace(collection).seconds
        for name, value in (("--repetitions", options["repetitions"]), ("--seconds", seconds)):
            if value <= 0:
                raise CommandError(f"{name} must be above 0, got {value:g}.")
        budgets = [budget.strip() for budget in options["budgets"].split(",")]
        for budget in budgets:
            try:
                judgments_of(budget, 1)
            except ValueError as error:
                raise CommandError(f"--budgets: {error}.") from error
        payload = plans_payload(
            collection,
            model=options["model"],
            measure=options["measure"],
            facet=options["facet"],
            budgets=list(dict.fromkeys(budgets)),
            repetitions=options["repetitions"],
        )
        self.stdout.write(
            json_text(payload)
            if options["format"] == "json"
            else "\n".join(text_lines(payload, seconds=seconds, rate=options["rate"]))
        )
