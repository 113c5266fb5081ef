"""Draw a random sample of the corpus by strata, to be screened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from curation.samples.exclusions import read_exclusions
from curation.samples.report import sample_report
from curation.samples.services import Exclusions, SamplePlan, draw_sample, free_name
from curation.samples.strata import STRATA
from jobs.context import DirectRun


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


class Command(ProjectCommand):
    help = "Draw a random sample of papers from each stratum. See docs/choosing_queries.md."
    stage = "Corpus"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--strata",
            type=_names,
            default=(),
            metavar="NAME,…",
            help=f"What divides the corpus: some of {', '.join(STRATA)} (default: nothing).",
        )
        parser.add_argument(
            "--per-stratum", type=int, required=True, metavar="N", help="Papers of each stratum."
        )
        parser.add_argument("--seed", default="", help="Default: the collection's.")
        parser.add_argument(
            "--periods",
            default="",
            help="A number of equal periods, or years such as 1995-1999,2000-2004.",
        )
        parser.add_argument(
            "--years", default="", help="Only documents of these years, such as 1995-2019."
        )
        parser.add_argument(
            "--field",
            dest="fields",
            action="append",
            default=[],
            metavar="NAME",
            help="A field of the stratum “field”; repeat it for several (default: all fields).",
        )
        parser.add_argument(
            "--exclude",
            type=Path,
            metavar="FILE",
            help="Leave out the docnos of this file, one per line, plain or gzip.",
        )
        parser.add_argument(
            "--exclude-sample",
            action="append",
            default=[],
            metavar="NAME",
            help="Leave out the papers of an earlier sample.",
        )
        parser.add_argument("--name", default="", help="Default: sample-1, sample-2 and so on.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        plan = SamplePlan(
            by=options["strata"],
            per_stratum=options["per_stratum"],
            periods=options["periods"],
            years=options["years"],
            fields=tuple(options["fields"]),
            seed=options["seed"],
            without=tuple(options["exclude_sample"]),
        )
        path: Path | None = options["exclude"]
        with DirectRun() as work:
            sample = draw_sample(
                collection=collection,
                name=options["name"] or free_name(collection),
                plan=plan,
                work=work,
                exclusions=Exclusions(read_exclusions(path), path.name if path else ""),
            )
        for line in sample_report(sample.counts, sample.strata, sample.per_stratum).lines:
            self.stdout.write(line)
        self.stdout.write(f"{collection.slug}: sample {sample.name} with seed {sample.seed}.")
