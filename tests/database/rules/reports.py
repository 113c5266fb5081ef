"""Rows that break the rules of `reports`."""

from __future__ import annotations

from tests.database.rules.world import Case, again, change, delete

CASES = [
    Case("stored_report_once", lambda world: again(world.stored_report)),
    Case(
        "report_with_digest_never_edited",
        lambda world: change(world.stored_report, payload={"n": 1}),
    ),
    Case("report_with_digest_never_deleted", lambda world: delete(world.stored_report)),
]
