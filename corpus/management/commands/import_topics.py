"""Import short queries from a TREC or BEIR topic file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from corpus.formats import DocumentFormatError
from corpus.services import CorpusError
from corpus.topic_import import import_topics
from jobs.context import DirectRun


class Command(BaseCommand):
    help = "Make every topic of a TREC topic file, or of BEIR's queries.jsonl, a query."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument("file", type=Path, help="TREC topics or BEIR queries; .gz is fine.")
        parser.add_argument("--facet", required=True, help="The facet that all of it is about.")
        parser.add_argument("--prefix", default="", help="Put before every id.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        work = DirectRun()
        try:
            report = import_topics(
                collection=collection,
                path=options["file"],
                facet_key=options["facet"],
                prefix=options["prefix"],
                name=str(options["file"]),
                work=work,
            )
        except (DocumentFormatError, CorpusError) as error:
            raise CommandError(str(error)) from error
        finally:
            work.complete({})
        self.stdout.write(
            f"{collection.slug}: topics {report.created} created, {report.unchanged} unchanged."
        )
