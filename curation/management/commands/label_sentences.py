from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from curation.labels.labellers import BUILT_IN
from curation.labels.prediction import ONLY, UNLABELLED, predict_labels
from jobs.context import DirectRun
from web.errors import UserFacingError
from web.words import count_noun


class Command(BaseCommand):
    help = (
        "Predict a label for every sentence. Labels that were imported or checked by a person do "
        "not change. A run that was stopped continues when it is started again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
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
        try:
            report = predict_labels(
                collection=collection_named(options["collection"]),
                work=DirectRun(),
                labeller=options["labeller"],
                only=options["only"],
            )
        except UserFacingError as error:
            raise CommandError(str(error)) from error
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
