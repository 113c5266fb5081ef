from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from jobs.context import DirectRun
from retrieval.retrievers import METRICS
from retrieval.services import DEFAULT_DEPTH, import_embeddings


class Command(ProjectCommand):
    help = (
        "Import vectors and rank the query papers by them. VECTORS is a .npy file with one row per "
        "document, DOCNOS a text file with the docno of each row, one per line."
    )
    stage = "Pools"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("vectors", type=Path)
        parser.add_argument("docnos", type=Path)
        parser.add_argument("--name", required=True, help="name of the run in pools")
        parser.add_argument("--metric", choices=METRICS, default="cosine")
        parser.add_argument("--depth", type=int, default=DEFAULT_DEPTH)

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        run = import_embeddings(
            collection=collection,
            vectors=options["vectors"],
            docnos=options["docnos"],
            name=options["name"],
            metric=options["metric"],
            depth=options["depth"],
            work=DirectRun(),
        )
        report = run.report
        self.stdout.write(
            f"{run.name}: {report['lists']} lists, {report['documents']} documents; of "
            f"{report['vectors']} vectors {report['vectors_outside_corpus']} are outside the "
            f"corpus and {report['vectors_of_zeros']} all zeros; "
            f"{report['query_papers_without_vector']} query papers have none"
        )
