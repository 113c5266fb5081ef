"""Import short queries from topic files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from corpus.documents.first_rows import as_text
from corpus.topics.importing import import_topics
from jobs.context import DirectRun
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Make every topic of the files a query. A file has TREC topics, the JSON Lines of BEIR, "
        "PyTerrier, Pyserini or ir_datasets, or lines of an id, a tab and a text."
    )
    stage = "Corpus"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, nargs="+", help="A topic file, plain or gzip.")
        parser.add_argument(
            "--facet",
            default="",
            help="The facet that the topics are about. Needed if the collection has several.",
        )
        parser.add_argument(
            "--topic-prefix", default="", help="Put before every id, such as topic-."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        with DirectRun() as work:
            report = import_topics(
                collection=collection,
                files={str(path): path for path in options["file"]},
                facet_key=options["facet"],
                topic_prefix=options["topic_prefix"],
                work=work,
                dry_run=options["dry_run"],
            )
        if report.check:
            self.stdout.write(as_text(report.check))
        left_out = f"; {count_noun(report.subtopics, 'subtopic')} left out"
        self.stdout.write(
            f"{collection.slug}: topics {report.created} created, {report.unchanged} unchanged; "
            f"read as {', '.join(report.formats)}{left_out if report.subtopics else ''}."
        )
