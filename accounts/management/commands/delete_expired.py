"""Clear personal data that is past its time."""

from __future__ import annotations

from typing import Any

from accounts.commands import ProjectCommand
from accounts.personal_data.retention import clear_expired, count_expired


class Command(ProjectCommand):
    help = "Clear personal data that is past its time. Every worker does this hourly."
    stage = "Settings"
    takes_collection = False
    plans = True

    def handle(self, *args: Any, **options: Any) -> None:
        counts = count_expired() if options["dry_run"] else clear_expired()
        verb = "would be cleared" if options["dry_run"] else "cleared"
        for name, count in counts.items():
            self.stdout.write(f"{name}: {count:,} {verb}")
