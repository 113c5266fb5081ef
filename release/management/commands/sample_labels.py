"""Draw a sample of the citation labels for people to judge."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.models import Collection
from jobs.context import DirectRun
from release.label_samples.services import PAIRS, preview_sample, sample_labels
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Draw a random sample of citation labels for people to judge. It is drawn by field and "
        "type of candidate, and becomes a collection of its own."
    )
    stage = "Release"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="The short name of the new collection.")
        parser.add_argument(
            "--pairs", type=int, default=PAIRS, help="How many pairs (default: %(default)s)."
        )
        parser.add_argument(
            "--facet", default="", help="The facet that people judge, of a collection with facets."
        )
        parser.add_argument("--admin", default="", help="Username of the new collection's admin.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        asked = {name: options[name] for name in ("slug", "pairs", "facet")}
        admin = account_named(options["admin"]) if options["admin"] else None
        with DirectRun() as work:
            if options["dry_run"]:
                drawn = preview_sample(collection=collection, work=work, **asked)
                for stratum in drawn.strata:
                    self.stdout.write(
                        f"{stratum.field}, {stratum.type}: {stratum.sampled:,} of "
                        f"{count_noun(stratum.population, 'pair')} with label {stratum.label}"
                    )
                return
            sample = sample_labels(collection=collection, created_by=admin, work=work, **asked)
        strata = list(sample.strata.values_list("sampled", "population"))
        self.stdout.write(
            f"{sample.collection.slug}: {count_noun(sum(n for n, _ in strata), 'pair')} of "
            f"{sum(population for _, population in strata):,}, from "
            f"{count_noun(len(strata), 'stratum', 'strata')}. Add judges, and open its queries."
        )
