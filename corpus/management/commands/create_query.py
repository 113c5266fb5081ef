"""Make a query of a document and a facet."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from corpus.services import create_query
from corpus.text.sentence_numbers import parse_numbers


class Command(ProjectCommand):
    help = "Make a document of the collection a query; asking twice changes nothing."
    stage = "Corpus"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("docno", help="The document's id.")
        parser.add_argument(
            "facet",
            nargs="?",
            default="",
            help="The facet's key, like background. Leave it out in a collection without facets.",
        )
        parser.add_argument(
            "--sentences",
            metavar="NUMBERS",
            help="Make a query of these sentences, numbered from 1, instead of the whole facet, as "
            "in 2,4-5.",
        )
        parser.add_argument(
            "--name",
            default="",
            help="How the id of a query by sentences ends, such as pruning (default: the next free "
            "number from 2).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        of_paper = collection.queries.filter(query_paper__document__docno=options["docno"])
        before = set(of_paper.values_list("pk", flat=True))
        sentences = options["sentences"]
        query = create_query(
            collection=collection,
            docno=options["docno"],
            facet_key=options["facet"],
            sentences=None if sentences is None else parse_numbers(sentences),
            name=options["name"],
        )
        numbers = f", sentences {query.sentences_text}" if query.is_by_sentences else ""
        state = "unchanged" if query.pk in before else "created"
        self.stdout.write(f"{query.name}: {state}{numbers}.")
