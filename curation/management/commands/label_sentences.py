from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from curation.labels.labellers import BUILT_IN
from curation.labels.prediction import ONLY, UNLABELLED, count_to_label, predict_labels
from jobs.context import DirectRun
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Predict a label for every sentence. Labels that were imported or checked by a person do "
        "not change. A run that was stopped continues when it is started again."
    )
    stage = "Corpus"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--labeller",
            default=BUILT_IN,
            help=f"one that was trained for the collection (default: {BUILT_IN}, built in)",
        )
        parser.add_argument(
            "--only",
            choices=ONLY,
            default=UNLABELLED,
            help="documents without labels (default), or those with unchecked predicted labels, "
            "which are predicted again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        if options["dry_run"]:
            number = count_to_label(
                collection=collection, labeller=options["labeller"], only=options["only"]
            )
            self.stdout.write(f"{count_noun(number, 'document')} would be labelled")
            return
        report = predict_labels(
            collection=collection,
            work=DirectRun(),
            labeller=options["labeller"],
            only=options["only"],
        )
        self.stdout.write(
            f"{count_noun(report.labelled, 'document')} labelled by {report.labeller}"
        )
        if report.frozen:
            self.stdout.write(
                f"{count_noun(report.frozen, 'document')} skipped: in frozen pools, whose texts "
                "cannot change"
            )
        if report.changed:
            self.stdout.write(
                f"{count_noun(report.changed, 'document')} skipped: changed at the same time"
            )
