"""Import the labels of a model, to compare them with people's."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.shadow_judges.services import (
    OMISSIONS,
    Description,
    import_shadow_judge,
)
from jobs.context import DirectRun
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Import the labels of a model as a shadow judge. They are compared with people's "
        "judgments and never count as labels."
    )
    stage = "Evaluation"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file", type=Path, help="TREC qrels, or JSON lines with query, docno and grade."
        )
        parser.add_argument("--name", required=True, help="A name, such as gpt-4o-zero-shot.")
        parser.add_argument("--model", default="", help="The model and its version.")
        parser.add_argument("--prompt", default="", help="The prompt, or where it is kept.")
        parser.add_argument("--description", default="", help="How the labels were made.")
        parser.add_argument(
            "--date", type=_date, default=None, help="When the model labelled, such as 2026-11-23."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}. Check the path.")
        about = Description(
            name=options["name"],
            model=options["model"],
            prompt=options["prompt"],
            description=options["description"],
            labelled_on=options["date"],
        )
        judge = import_shadow_judge(
            collection=collection,
            path=path,
            filename=path.name,
            about=about,
            work=DirectRun(),
        )
        labels = count_noun(judge.labels_count, "label")
        self.stdout.write(f"{collection.slug}: {labels} of the shadow judge {judge} imported.")
        for reason, entry in judge.omitted.items():
            lines, ids = count_noun(entry["lines"], "line"), ", ".join(entry["examples"])
            self.stdout.write(f"  {lines} left out: {OMISSIONS[reason]} ({ids})")


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandError(f'"{text}" is not a date such as 2026-11-23.') from None
