"""List the people of a collection."""

from __future__ import annotations

import csv
import json
from typing import Any

from accounts.commands import ProjectCommand
from accounts.models import Collection
from web.tables.csv_cells import defused


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
            lines = csv.writer(self.stdout, lineterminator="")
            lines.writerow(("username", "roles", "name"))
            for username, names, name in rows:
                lines.writerow(map(defused, (username, " ".join(names), name)))
        else:
            for username, names, name in rows:
                self.stdout.write(f"{username}\t{','.join(names)}\t{name}")
