"""Attach full texts to documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from corpus.documents.full_texts import import_full_texts, report_words
from corpus.formats.document_lines import DocumentFormatError
from corpus.formats.full_texts import AUTO, FORMATS
from corpus.formats.sources import SourceError
from corpus.services import CorpusError
from jobs.context import DirectRun


class Command(BaseCommand):
    help = (
        "Attach full texts to documents: sections as JSON Lines, the body_text of S2ORC, or links "
        "to PDFs. Judges of abstracts never see them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument(
            "file", type=Path, nargs="+", help="A file of full texts, plain or gzip."
        )
        parser.add_argument(
            "--format",
            choices=[AUTO, *FORMATS],
            default=AUTO,
            help="The format of the files; auto detects it by the keys of each line.",
        )
        parser.add_argument("--prefix", default="", help="Put before every docno, such as cran-.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        work = DirectRun()
        try:
            report = import_full_texts(
                collection=collection,
                files={str(path): path for path in options["file"]},
                format_name=options["format"],
                prefix=options["prefix"],
                work=work,
            )
        except (DocumentFormatError, SourceError, CorpusError) as error:
            raise CommandError(str(error)) from error
        finally:
            work.complete({})
        self.stdout.write(f"{collection.slug}: {report_words(report)}")
