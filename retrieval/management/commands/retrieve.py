from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from jobs.context import DirectRun
from retrieval.errors import RetrievalError
from retrieval.services import (
    DEFAULT_DEPTH,
    analysed_name,
    retrieve,
    usual_retrievers,
)


class Command(BaseCommand):
    help = (
        "Rank every query paper with built-in retrievers and store the runs. Without names, the "
        "usual retrievers run: BM25 and TF-IDF over titles and over abstracts."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection")
        parser.add_argument("retrievers", nargs="*", help="such as bm25_text or bm25_text.german")
        parser.add_argument(
            "--analysis",
            default="",
            help="how BM25 and TF-IDF compare words: plain, english, english_stem, german, …, "
            "characters; bm25_text with german is bm25_text.german",
        )
        parser.add_argument("--depth", type=int, default=DEFAULT_DEPTH)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        if options["depth"] < 1:
            raise CommandError(f"--depth must be at least 1, got {options['depth']}.")
        analysis = options["analysis"]
        try:
            names = options["retrievers"] or usual_retrievers(collection, analysis)
            for name in [analysed_name(name, analysis) for name in names]:
                run = retrieve(
                    collection=collection, name=name, depth=options["depth"], work=DirectRun()
                )
                lists, documents = run.report["lists"], run.report["documents"]
                self.stdout.write(f"{run.name}: {lists} lists, {documents} documents")
        except RetrievalError as error:
            raise CommandError(str(error)) from error
