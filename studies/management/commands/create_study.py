"""Create a full-text study: the choice of its pairs, for one rater."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection, User
from studies.services import PER_QUERY, QUERIES, create_study
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Create a full-text study. It chooses pairs with final labels and full texts, which an "
        "annotator rates again from the full texts."
    )
    stage = "Judging"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="The study's name, such as study-1.")
        parser.add_argument("--rater", required=True, help="The annotator's username.")
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
            help="The id of a query to take, instead of a spread. May be given several times.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        rater = User.objects.filter(username=options["rater"]).first()
        if rater is None:
            raise CommandError(f"No account {options['rater']!r}.")
        study = create_study(
            collection=collection,
            name=options["name"],
            rater=rater,
            queries=options["queries"],
            per_query=options["per_query"],
            named=options["query"],
        )
        pairs = count_noun(study.pairs.count(), "pair")
        self.stdout.write(f"{collection.slug}: study {study.name} with {pairs} for {rater}.")
        for reason, number in study.left_out.items():
            self.stdout.write(f"  {count_noun(number, 'pair')} left out: {reason}")
