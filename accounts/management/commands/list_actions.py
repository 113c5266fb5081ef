"""List the actions of a collection."""

from __future__ import annotations

from typing import Any

from accounts.actions.listing import ListingCommand
from accounts.actions.reading import actions_of
from accounts.actions.table import ACTIONS


class Command(ListingCommand):
    help = "List who did what in a collection, the newest first."
    table = ACTIONS

    def handle(self, *args: Any, **options: Any) -> None:
        self.list(actions_of(options["collection"]), options)
