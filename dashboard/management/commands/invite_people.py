"""Invite people to a collection by email."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.invitations.addresses import InvalidLines, read_invitees
from accounts.invitations.services import invite, store_only
from accounts.models import Collection, Role


class Command(ProjectCommand):
    help = "Invite people to a collection by email. Each gets a link that works once."
    stage = "Judging"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file",
            help="One person a line, such as mara@example.org or Mara Lind <mara@example.org>; - "
            "reads the standard input.",
        )
        parser.add_argument("--role", required=True, choices=Role.values, help="In the collection.")
        parser.add_argument(
            "--invited-by", metavar="USERNAME", help="Whom the mail names. Default: no one."
        )
        parser.add_argument(
            "--url",
            default=settings.LINK_BASE,
            help=f"How links to this server begin (default: {settings.LINK_BASE}).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        file: str = options["file"]
        try:
            text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
            invitees = read_invitees(text)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file}: {error}") from error
        except InvalidLines as error:
            raise CommandError("\n".join(f"{file}: {fault}" for fault in error.faults)) from error
        who = account_named(options["invited_by"]) if options["invited_by"] else None
        what = {"collection": collection, "invitees": invitees, "role": options["role"]}
        if options["dry_run"]:
            self.stdout.write(f"{collection.slug}: {store_only(**what)} would be invited.")
            return
        for sent in invite(invited_by=who, base_url=options["url"], **what):
            self.stdout.write(f"{sent.invitation.email}: {sent.error or 'sent.'}")
