"""Check a release without a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bundle.reading.opened import BundleError
from bundle.verification.service import verify
from web.words import count_noun


class Command(BaseCommand):
    help = (
        "Check a release: its checksums, that its files agree, and that its labels follow from "
        "the judgments and decisions. Needs no database."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="The zip of a release, or its unpacked folder.")

    def handle(self, *args: Any, **options: Any) -> None:
        failed = []
        try:
            for outcome in verify(options["file"]):
                for line in outcome.lines():
                    self.stdout.write(line)
                if not outcome.ok:
                    failed.append(outcome.name)
        except BundleError as error:
            raise CommandError(str(error)) from error
        if failed:
            raise CommandError(
                f"{count_noun(len(failed), 'check')} failed: {', '.join(failed)}. Do not use this "
                "release. Download it again, or ask its publisher."
            )
        self.stdout.write("The release is whole, and its labels follow from what is in it.")
