"""Rows that break the rules of `retrieval`."""

from __future__ import annotations

from tests.database.rules.world import Case, again

CASES = [
    Case("run_name_once", lambda world: again(world.run)),
    Case("ranking_once_per_query_paper", lambda world: again(world.ranking)),
]
