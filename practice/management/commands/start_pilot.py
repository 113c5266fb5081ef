"""Start a pilot round: pairs that all of its annotators judge."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection, User
from practice.pilots import PER_QUERY, QUERIES, start_pilot
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Start a pilot round: all of its annotators judge the same pairs, which are in no release. "
        "They can never judge a query of the same query papers afterwards."
    )
    stage = "Judging"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--annotator",
            action="append",
            required=True,
            help="A username. Give it for each annotator.",
        )
        parser.add_argument(
            "--queries", type=int, default=QUERIES, help="How many queries (default: %(default)s)."
        )
        parser.add_argument(
            "--per-query",
            type=int,
            default=PER_QUERY,
            help="Candidates of each query (default: %(default)s).",
        )
        parser.add_argument(
            "--query",
            action="append",
            default=[],
            help="The id of a query to take, instead of a random one. May be given several times.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        people = {
            user.username: user for user in User.objects.filter(username__in=options["annotator"])
        }
        if unknown := [name for name in options["annotator"] if name not in people]:
            raise CommandError(f"No account {unknown[0]!r}.")
        pilot = start_pilot(
            collection=collection,
            annotators=list(people.values()),
            queries=options["queries"],
            per_query=options["per_query"],
            named=options["query"],
        )
        pairs = count_noun(pilot.pairs.count(), "pair")
        self.stdout.write(
            f"{collection.slug}: pilot round {pilot.number} with {pairs} for {', '.join(people)}."
        )
