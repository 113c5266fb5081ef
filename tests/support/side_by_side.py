"""How the workers of pytest-xdist share the tests: what stays together, and what begins first.

The tests of a file stay on one worker, because they share a browser, a folder or rows. CSFCube's
stay together as one file, because they share an import. The tests of a file in `ONE_BY_ONE` share
nothing that takes long, so each may run on any worker.

Long files begin first. Otherwise the last file to begin decides when the run ends.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from xdist.scheduler import LoadFileScheduling

ONE_BY_ONE = {"tests/docs/test_commands.py", "tests/browser/test_admin_pages.py"}
TOGETHER = "tests/csfcube/"
# Longest first, from the report of a whole run (`--junitxml`): files that take 20 seconds or more.
LONG_FILES = [
    "tests/bench/test_judging.py",
    "tests/docs/test_commands.py",
    "tests/browser/test_judging.py",
    "tests/jobs/test_worker.py",
    "tests/database/test_lock_order.py",
    "tests/browser/test_unsaved.py",
    "tests/test_permissions.py",
    "tests/demo/test_launcher.py",
    "tests/browser/test_admin_pages.py",
    "tests/test_blindness.py",
    "tests/browser/test_adjudication.py",
    "tests/web/test_malformed_requests.py",
    "tests/bench/test_run.py",
    "tests/jobs/test_heartbeats.py",
    "tests/browser/test_from_raw_abstracts.py",
    "tests/kept/test_versions.py",
    "tests/pooling/test_same_pools.py",
    "tests/browser/test_journey.py",
    "tests/api/test_schema.py",
    "tests/config/test_bootstrap.py",
    "tests/browser/test_classic_journey.py",
    "tests/corpus/test_full_disk.py",
    "tests/browser/test_public_pages.py",
    "tests/csfcube/test_rebuilt_pools.py",
    "tests/demo/test_parts.py",
    "tests/web/test_request_bodies.py",
    "tests/config/test_deploy.py",
    "tests/rebuilding/test_rebuild.py",
    "tests/browser/test_first_minutes.py",
    "tests/api/test_docs_page.py",
    "tests/release/test_gate_states.py",
    "tests/release/test_any_scale.py",
    "tests/release/test_pool_rounds.py",
]


class Scheduling(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(TOGETHER):
            return TOGETHER
        file = super()._split_scope(nodeid)
        return nodeid if file in ONE_BY_ONE else file


def longest_first(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """File by file; of each file the tests first that do not share what it makes once."""
    places = {file: place for place, file in enumerate(LONG_FILES)}
    for item in (items := list(items)):
        places.setdefault(file_of(item), len(places))
    return sorted(items, key=lambda item: (places[file_of(item)], shares_rows(item)))


def file_of(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0]


def shares_rows(item: pytest.Item) -> bool:
    return "made_once" in getattr(item, "fixturenames", ())
