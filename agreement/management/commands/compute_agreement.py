from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Collection
from agreement.coefficients import EXCLUDE, REGISTRY, ZERO
from jobs.models import Report
from jobs.work import run_now
from web.errors import AppError


class Command(BaseCommand):
    help = "Compute the agreement of the judges, and print its medians over queries before and after adjudication."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("collection", help="its short name, such as csfcube")
        parser.add_argument(
            "--missing", choices=[EXCLUDE, ZERO], default=EXCLUDE, help="leave a missing judgment out, or count it as 0"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = Collection.objects.filter(slug=options["collection"]).first()
        if collection is None:
            raise CommandError(f"There is no collection {options['collection']!r}.")
        try:
            run_now("compute_agreement", collection=collection)
        except AppError as error:
            raise CommandError(str(error)) from error
        report = Report.objects.find(collection, "agreement", missing=options["missing"])
        assert report is not None
        shown = [each for each in REGISTRY if each.of_paper]
        heads = [*(each.symbol for each in shown), *(f"{each.symbol} after" for each in shown)]
        self.stdout.write(f"{'facet':14}{'queries':>8}{'pairs':>8}" + "".join(f"{head:>10}" for head in heads))
        for row in report.data["facets"]:
            medians = [row[stage][each.key]["median"] for stage in ("before", "after") for each in shown]
            numbers = "".join(f"{'–' if value is None else format(value, '.4f'):>10}" for value in medians)
            self.stdout.write(f"{row['facet'] or 'all':14}{row['queries']:>8}{row['judged']:>8}{numbers}")
