from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from jobs.context import DirectRun
from retrieval.errors import RetrievalError
from retrieval.services import import_run


class Command(BaseCommand):
    help = "Import a TREC run file (six columns, plain or gzip) as a run of the collection."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="name of the run in pools")
        parser.add_argument(
            "--qrels",
            action="store_true",
            help="the file has judgments: import them as known positives",
        )
        parser.add_argument("--prefix", default="", help="put before every docno of the file")
        parser.add_argument("--topic-prefix", default="", help="put before every topic")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path} is not a file. Give the path of a run file.")
        try:
            run = import_run(
                collection=collection,
                path=path,
                filename=path.name,
                name=options["name"],
                qrels=options["qrels"],
                prefix=options["prefix"],
                topic_prefix=options["topic_prefix"],
                work=DirectRun(),
            )
        except RetrievalError as error:
            raise CommandError(str(error)) from error
        report = run.report
        self.stdout.write(
            f"{run.name}: {report['lists']} lists, {report['documents']} documents; "
            f"left out {report['outside_corpus']} outside the corpus, "
            f"{report['query_papers_themselves']} query papers themselves, "
            f"{report['duplicates']} duplicates, {report['unknown_topics']} unknown topics"
        )
        for name, key in (("documents", "unknown_documents"), ("topics", "unknown_topic_examples")):
            if report[key]:
                self.stdout.write(f"the first unknown {name}: {', '.join(report[key])}")
