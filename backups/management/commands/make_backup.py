"""Make a backup of the whole server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from backups.cancelling import cancelled_by_signals
from backups.encryption import Encryption
from backups.making import make_backup, plan_backup


class Command(ProjectCommand):
    help = "Make a backup of the server: restored at once beside the database, and compared."
    stage = "Settings"
    takes_collection = False
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="The folder for backups, on another disk.")
        key = parser.add_mutually_exclusive_group()
        key.add_argument(
            "--age-recipient",
            action="append",
            metavar="KEY",
            help="Encrypt with age for this public key. It can be given several times.",
        )
        key.add_argument(
            "--gpg-recipient",
            action="append",
            metavar="KEY",
            help="Encrypt with gpg for this key of its keyring. It can be given several times.",
        )
        parser.add_argument(
            "--keep", type=int, metavar="N", help="Then remove all but the N latest backups."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"].resolve()
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError(f"--keep must be at least 1, got {options['keep']}.")
        encryption = Encryption()
        for program in ("age", "gpg"):
            if recipients := options[f"{program}_recipient"]:
                encryption = Encryption(program, recipients)
        if options["dry_run"]:
            planned = plan_backup(folder=folder, encryption=encryption)
            self.stdout.write(
                f"Would write the database and {planned.files} files of {planned.size:,} bytes to "
                f"{folder}, which has {planned.free:,} bytes free."
            )
            return
        with cancelled_by_signals():
            made = make_backup(
                folder=folder, encryption=encryption, keep=options["keep"], report=self._report
            )
        self.stdout.write(
            f"{made.path}: {made.size:,} bytes, {made.rows:,} rows of {made.tables} tables, "
            f"{made.files} files. It was restored and compared: all equal."
        )

    def _report(self, text: str) -> None:
        self.stdout.write(f"{text} …")
        self.stdout.flush()
