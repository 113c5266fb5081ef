"""Restore a backup of the whole server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.personal_data.erasing import erasures_path
from backups.cancelling import cancelled_by_signals
from backups.restoring import restore_backup
from web.program import command_text


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
        if (erasures := erasures_path()).is_file():
            self.stdout.write(
                "People were erased on this server. Erase them again: "
                + command_text(f"erase_again {erasures}")
            )
        for kept in restored.kept:
            self.stdout.write(f"What was there before is kept: {kept}. Remove it when all is well.")

    def _report(self, text: str) -> None:
        self.stdout.write(f"{text} …")
        self.stdout.flush()
