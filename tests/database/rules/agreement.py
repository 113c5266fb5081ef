"""Rows that break the rules of `agreement`."""

from __future__ import annotations

from tests.database.rules.world import Case, again, change, delete

CASES = [
    Case("report_once_per_state", lambda world: again(world.report)),
    Case("report_missing_known", lambda world: again(world.report, missing="guess")),
    Case("agreement_report_never_edited", lambda world: change(world.report, payload={"n": 1})),
    Case("agreement_report_never_deleted", lambda world: delete(world.report)),
]
