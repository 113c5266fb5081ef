from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from corpus.state import papers_with_queries
from jobs.context import DirectRun
from retrieval.services import (
    DEFAULT_DEPTH,
    analysed_name,
    retrieve,
    retriever_named,
    usual_retrievers,
)
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Rank every query paper with built-in retrievers and store the runs. Without names, the "
        "usual retrievers run: BM25 and TF-IDF over titles and over abstracts."
    )
    stage = "Pools"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("retrievers", nargs="*", help="such as bm25_text or bm25_text.german")
        parser.add_argument(
            "--analysis",
            default="",
            help="how BM25 and TF-IDF compare words: plain, english, english_stem, german, …, "
            "characters; bm25_text with german is bm25_text.german",
        )
        parser.add_argument("--depth", type=int, default=DEFAULT_DEPTH)

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        if options["depth"] < 1:
            raise CommandError(f"--depth must be at least 1, got {options['depth']}.")
        analysis = options["analysis"]
        names = options["retrievers"] or usual_retrievers(collection, analysis)
        for name in [analysed_name(name, analysis) for name in names]:
            if options["dry_run"]:
                retriever_named(collection, name)
                papers = len(papers_with_queries(collection))
                self.stdout.write(f"{name}: would rank {count_noun(papers, 'query paper')}")
                continue
            run = retrieve(
                collection=collection, name=name, depth=options["depth"], work=DirectRun()
            )
            lists, documents = run.report["lists"], run.report["documents"]
            self.stdout.write(f"{run.name}: {lists} lists, {documents} documents")
