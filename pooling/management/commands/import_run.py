from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from jobs.work import InPerson
from pooling.services import PoolingError, import_run


class Command(BaseCommand):
    help = "Import a TREC run file (six columns, plain or gzip) as a run of the collection."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="what the run is called in pools")
        parser.add_argument(
            "--qrels", action="store_true", help="the file holds judgments: known positives"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"No file {path}.")
        try:
            run = import_run(
                collection=collection,
                path=path,
                filename=path.name,
                name=options["name"],
                qrels=options["qrels"],
                work=InPerson(),
            )
        except PoolingError as error:
            raise CommandError(str(error)) from error
        report = run.report
        self.stdout.write(
            f"{run.name}: {report['lists']} lists, {report['documents']} documents; "
            f"left out {report['outside_corpus']} outside the corpus, "
            f"{report['query_papers_themselves']} query papers themselves, "
            f"{report['duplicates']} duplicates, {report['unknown_topics']} unknown topics"
        )
