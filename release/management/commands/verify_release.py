"""Check a release without a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from bundle.verification.service import verify
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Check a release: its checksums, that its files agree, and that its labels follow from "
        "the judgments and decisions. Needs no database."
    )
    stage = "Release"
    takes_collection = False
    writes = False
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="The zip of a release, or its unpacked folder.")

    def handle(self, *args: Any, **options: Any) -> None:
        failed = []
        for outcome in verify(options["file"]):
            for line in outcome.lines():
                self.stdout.write(line)
            if not outcome.ok:
                failed.append(outcome.name)
        if failed:
            raise CommandError(
                f"{count_noun(len(failed), 'check')} failed: {', '.join(failed)}. Do not use this "
                "release. Download it again, or ask its publisher."
            )
        self.stdout.write("The release is whole, and its labels follow from what is in it.")
