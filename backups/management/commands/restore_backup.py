"""Restore a backup of the whole server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.personal_data.erasures import NoErasures, all_erasures, not_erased
from backups.cancelling import cancelled_by_signals
from backups.restoring import restore_backup
from web.program import command_text
from web.stored_files import StorageFailed
from web.words import count_noun


class Command(ProjectCommand):
    help = "Restore a backup on an empty server. A dry run checks all of the backup."
    stage = "Settings"
    takes_collection = False
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="The backup.")
        parser.add_argument(
            "--age-identity", type=Path, metavar="FILE", help="The private key of age."
        )
        parser.add_argument(
            "--replace",
            default="",
            metavar="DATABASE",
            help="The name of the database in use: replace it and the files. They are kept aside.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with cancelled_by_signals():
            restored = restore_backup(
                file=options["file"],
                identity=options["age_identity"],
                replace=options["replace"],
                is_dry_run=options["dry_run"],
                report=self._report,
            )
        if options["dry_run"]:
            self.stdout.write(
                "The backup is complete, and its database equals what was backed up. Restoring "
                f"would apply {len(restored.migrations)} migrations."
            )
            return
        self.stdout.write(
            f"Restored the backup of {restored.manifest.created_at}. All tables and files are "
            "equal. Start web and workers. Indexes are built again when they are needed."
        )
        self._show_erasures()
        for kept in restored.kept:
            self.stdout.write(f"What was there before is kept: {kept}. Remove it when all is well.")

    def _show_erasures(self) -> None:
        try:
            found = not_erased(all_erasures())
        except (StorageFailed, NoErasures) as error:
            command = command_text("erase_again")
            self.stdout.write(f"{error} Then erase people again: {command}")
            return
        if found:
            people = count_noun(len(found), "person", "people")
            self.stdout.write(
                f"{people} of this backup were erased after it. Erase them again: "
                + command_text("erase_again")
            )

    def _report(self, text: str) -> None:
        self.stdout.write(f"{text} …")
        self.stdout.flush()
