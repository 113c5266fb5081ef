"""Attach full texts to documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from corpus.documents.full_texts import import_full_texts, report_words
from corpus.formats.full_texts import AUTO, FORMATS
from jobs.context import DirectRun


class Command(ProjectCommand):
    help = (
        "Attach full texts to documents: sections as JSON Lines, the body_text of S2ORC, or links "
        "to PDFs. Judges of abstracts never see them."
    )
    stage = "Corpus"
    input_formats = (AUTO, *FORMATS)

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file", type=Path, nargs="+", help="A file of full texts, plain or gzip."
        )
        parser.add_argument("--prefix", default="", help="Put before every docno, such as cran-.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        with DirectRun() as work:
            report = import_full_texts(
                collection=collection,
                files={str(path): path for path in options["file"]},
                format_name=options["input_format"],
                prefix=options["prefix"],
                work=work,
            )
        self.stdout.write(f"{collection.slug}: {report_words(report)}")
