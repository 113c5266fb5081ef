"""List the people of a collection."""

from __future__ import annotations

import json
from typing import Any

from accounts.commands import ProjectCommand
from accounts.models import Collection
from web.tables.csv_cells import csv_lines


class Command(ProjectCommand):
    help = "List the people of a collection: their usernames, roles and names."
    stage = "Judging"
    writes = False
    formats = ("table", "json", "csv")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        roles: dict[tuple[str, str], list[str]] = {}
        memberships = collection.memberships.select_related("user")
        for membership in memberships.order_by("user__username", "role"):
            person = membership.user
            roles.setdefault((person.username, person.shown_name), []).append(membership.role)
        rows = [(username, names, name) for (username, name), names in roles.items()]
        if options["format"] == "json":
            people = [{"username": row[0], "roles": row[1], "name": row[2]} for row in rows]
            self.stdout.write(json.dumps(people, indent=2, ensure_ascii=False))
        elif options["format"] == "csv":
            people_rows = ((username, " ".join(names), name) for username, names, name in rows)
            for line in csv_lines([("username", "roles", "name"), *people_rows]):
                self.stdout.write(line.removesuffix("\r\n"))  # `write` ends the line
        else:
            for username, names, name in rows:
                self.stdout.write(f"{username}\t{','.join(names)}\t{name}")
