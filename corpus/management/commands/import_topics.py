"""Import short queries from topic files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from corpus.documents.first_rows import as_text
from corpus.formats.document_lines import DocumentFormatError
from corpus.formats.sources import SourceError
from corpus.services import CorpusError
from corpus.topics.importing import import_topics
from jobs.context import DirectRun
from web.words import count_noun


class Command(BaseCommand):
    help = (
        "Make every topic of the files a query. A file has TREC topics, the JSON Lines of BEIR, "
        "PyTerrier, Pyserini or ir_datasets, or lines of an id, a tab and a text."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument("file", type=Path, nargs="+", help="A topic file, plain or gzip.")
        parser.add_argument(
            "--facet",
            default="",
            help="The facet that the topics are about. Needed if the collection has several.",
        )
        parser.add_argument(
            "--topic-prefix", default="", help="Put before every id, such as topic-."
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="Check and show the first rows, but change nothing.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        work = DirectRun()
        try:
            report = import_topics(
                collection=collection,
                files={str(path): path for path in options["file"]},
                facet_key=options["facet"],
                topic_prefix=options["topic_prefix"],
                work=work,
                dry_run=options["dry_run"],
            )
        except (DocumentFormatError, SourceError, CorpusError) as error:
            raise CommandError(str(error)) from error
        finally:
            work.complete({})
        if report.check:
            self.stdout.write(as_text(report.check))
        left_out = f"; {count_noun(report.subtopics, 'subtopic')} left out"
        self.stdout.write(
            f"{collection.slug}: topics {report.created} created, {report.unchanged} unchanged; "
            f"read as {', '.join(report.formats)}{left_out if report.subtopics else ''}."
        )
