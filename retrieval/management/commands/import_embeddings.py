from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from jobs.context import DirectRun
from retrieval.errors import RetrievalError
from retrieval.retrievers import METRICS
from retrieval.services import DEFAULT_DEPTH, import_embeddings


class Command(BaseCommand):
    help = (
        "Import vectors and rank the query papers by them. VECTORS is a .npy file with one row per "
        "document, DOCNOS a text file with the docno of each row, one per line."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
        parser.add_argument("vectors", type=Path)
        parser.add_argument("docnos", type=Path)
        parser.add_argument("--name", required=True, help="name of the run in pools")
        parser.add_argument("--metric", choices=METRICS, default="cosine")
        parser.add_argument("--depth", type=int, default=DEFAULT_DEPTH)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        try:
            run = import_embeddings(
                collection=collection,
                vectors=options["vectors"],
                docnos=options["docnos"],
                name=options["name"],
                metric=options["metric"],
                depth=options["depth"],
                work=DirectRun(),
            )
        except RetrievalError as error:
            raise CommandError(str(error)) from error
        report = run.report
        self.stdout.write(
            f"{run.name}: {report['lists']} lists, {report['documents']} documents; of "
            f"{report['vectors']} vectors {report['vectors_outside_corpus']} are outside the "
            f"corpus and {report['vectors_of_zeros']} all zeros; "
            f"{report['query_papers_without_vector']} query papers have none"
        )
