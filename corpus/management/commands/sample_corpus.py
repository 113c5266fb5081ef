from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.sampling import choose, write
from web.errors import AppError


class Command(BaseCommand):
    help = (
        "Write a sub-corpus of large document files: query papers, everything that they cite, and a sample of what "
        "papers of their fields cite. The files are read several times, never into memory."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", type=Path, nargs="+", help="documents with fields and references, plain or gz")
        parser.add_argument("--queries", type=Path, required=True, help="ids of the query papers, one a line")
        parser.add_argument("--size", type=int, required=True, metavar="N", help="papers in all, such as 100000")
        parser.add_argument("--output", type=Path, required=True, help="JSON Lines, as import_documents reads them")
        parser.add_argument("--seed", default="1", help="another one draws another sample (default: 1)")
        parser.add_argument("--all-fields", action="store_true", help="sample what papers of any field cite")
        parser.add_argument(
            "--complete",
            action="store_true",
            help="only papers with a year, a title, an abstract of 30 characters and three references, as MDCR",
        )
        parser.add_argument("--skip", type=int, default=0, metavar="N", help="skip up to N wrong lines")

    def handle(self, *, files: list[Path], queries: Path, size: int, output: Path, seed: str, **options: Any) -> None:
        about = {"seed": seed, "complete": options["complete"], "skip": options["skip"]}
        try:
            docnos = set(queries.read_text("utf-8-sig").split())
            if not docnos:
                raise CommandError(f"{queries} has no ids. Write one a line.")
            if output.resolve() in {path.resolve() for path in files}:
                raise CommandError(f"{output} is one of the files to read. Choose another output.")
            chosen = choose(files, queries=docnos, size=size, all_fields=options["all_fields"], **about)
            number = write(chosen, files, output, **about)
        except (AppError, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error
        cited = len(chosen.cited - chosen.queries)
        self.stdout.write(
            f"{number:,} papers: {len(chosen.queries):,} query papers, {cited:,} that they cite, "
            f"{len(chosen.sample):,} sampled"
        )
        lacking = {
            "query papers are not in the files": len(docnos) - len(chosen.queries),
            "cited papers are not in the files": chosen.missing,
            "papers fewer than asked for: no further ones are cited": size - number,
        }
        for what, missing in lacking.items():
            if missing:
                self.stderr.write(f"{missing:,} {what}")
