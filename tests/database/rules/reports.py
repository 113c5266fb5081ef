"""Rows that break the rules of `reports`."""

from __future__ import annotations

from tests.database.rules.world import Case, again

CASES = [Case("stored_report_once", lambda world: again(world.stored_report))]
