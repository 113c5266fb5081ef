"""List the actions of the whole server."""

from __future__ import annotations

from typing import Any

from accounts.actions.listing import ListingCommand
from accounts.actions.models import RecordedAction
from accounts.actions.table import SERVER_ACTIONS


class Command(ListingCommand):
    help = "List who did what on the server and from where, the newest first."
    takes_collection = False
    table = SERVER_ACTIONS

    def handle(self, *args: Any, **options: Any) -> None:
        self.list(RecordedAction.objects.all(), options)
