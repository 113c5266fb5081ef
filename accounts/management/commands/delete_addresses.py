"""Empty the old addresses in the record of actions."""

from __future__ import annotations

from typing import Any

from accounts.actions.services import count_old_addresses, empty_old_addresses
from accounts.commands import ProjectCommand
from web.words import count_noun


class Command(ProjectCommand):
    help = "Delete old addresses from the record. Every worker does this regularly."
    stage = "Settings"
    takes_collection = False
    plans = True

    def handle(self, *args: Any, **options: Any) -> None:
        if options["dry_run"]:
            number = count_noun(count_old_addresses(), "address", "addresses")
            self.stdout.write(f"{number} would be deleted from the record")
            return
        number = count_noun(empty_old_addresses(), "address", "addresses")
        self.stdout.write(f"{number} deleted from the record")
