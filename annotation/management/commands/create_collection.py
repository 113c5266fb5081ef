"""Make an empty collection, ready for documents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.models import Role
from annotation.services import set_up_collection
from corpus.facets import CHOICES, FacetPlan, parse_facets
from retrieval.retrievers import ANALYSES


class Command(ProjectCommand):
    help = "Make a collection with its facets, its scale and default guidelines."
    stage = "Overview"
    makes_collection = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--name", required=True, help="Its name, as people say it.")
        owner = parser.add_mutually_exclusive_group(required=True)
        owner.add_argument("--admin", help="Username of its first admin.")
        owner.add_argument(
            "--owner-annotator",
            metavar="USERNAME",
            help="Instead of an admin, an owner who judges, and sees no pools, runs or reports "
            "until that is done.",
        )
        parser.add_argument("--licence", default="", help="Of its data, like CC-BY-4.0.")
        parser.add_argument(
            "--corpus-licence",
            default="",
            help="Of the documents' texts, like CC-BY-4.0. Releases contain texts only with it.",
        )
        parser.add_argument(
            "--facets",
            default="csfcube",
            help="csfcube (default), none, or a JSON file with facets of your own.",
        )
        parser.add_argument("--grades", default="0-3", help="From 0-1 to 0-4 (default 0-3).")
        parser.add_argument(
            "--relevant-from",
            type=int,
            help="The lowest grade that counts as relevant (default 2; on the scale 0-1, it is 1).",
        )

        parser.add_argument(
            "--analysis",
            default="",
            choices=["", *ANALYSES],
            metavar="ANALYSIS",
            help="How BM25 and TF-IDF compare words, like english or german; "
            "by default, the first documents show their language.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        role = Role.ADMIN if options["admin"] else Role.OWNER_ANNOTATOR
        owner = account_named(options["admin"] or options["owner_annotator"])
        collection = set_up_collection(
            slug=options["collection"],
            name=options["name"],
            owner=owner,
            owner_role=role,
            licence=options["licence"],
            corpus_licence=options["corpus_licence"],
            facets=_facets(options["facets"]),
            highest_grade=_highest_grade(options["grades"]),
            relevant_from=options["relevant_from"],
            analysis=options["analysis"],
        )
        keys = ", ".join(collection.facets.exclude(key="").values_list("key", flat=True))
        facets = f"with the facets {keys}" if keys else "without facets"
        self.stdout.write(
            f"{collection.slug}: created {facets}; "
            f"grades 0 to {collection.highest_grade}; "
            f"{role.label.lower()} {owner}."
        )


def _facets(choice: str) -> tuple[FacetPlan, ...]:
    if choice in CHOICES:
        return CHOICES[choice]
    try:
        text = Path(choice).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(
            f"--facets {choice}: the file cannot be read ({error}). Use csfcube, none, or the name "
            "of a JSON file."
        ) from error
    return parse_facets(text, choice)


def _highest_grade(grades: str) -> int:
    match = re.fullmatch("0-([0-9])", grades)
    if match is None:
        raise CommandError(f"--grades {grades}: use 0-1, 0-2, 0-3 or 0-4.")
    return int(match[1])
