from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandError

from accounts.commands import ProjectCommand
from server.checks.registry import examine, worst
from server.checks.results import CheckLevel
from web.words import count_noun


class Command(ProjectCommand):
    help = "Check the parts of this server, and say what to do."
    stage = "Settings"
    takes_collection = False
    writes = False
    formats = ("table", "json")
    # Missing tables and wrong settings are results here, not errors of this command.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        results = examine()
        if options["format"] == "json":
            lines = [{"name": each.name, **each.result._asdict()} for each in results]
            self.stdout.write(json.dumps(lines, indent=2, ensure_ascii=False))
        else:
            for name, (level, found, advice) in results:
                self.stdout.write(f"{level:<8} {name:<11} {found}")
                if advice:
                    self.stdout.write(f"{'':<20} → {advice}")
        if worst(results) == CheckLevel.FAILED:
            count = sum(each.result.level == CheckLevel.FAILED for each in results)
            raise CommandError(f"{count_noun(count, 'check')} failed.")
