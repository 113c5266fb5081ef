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
    "tests/test_blindness.py",
    "tests/csfcube/test_rebuilt_pools.py",  # with all of its folder
    "tests/docs/test_commands.py",  # no earlier, or all workers would wait for the demo collection
    "tests/release/test_blindness_check.py",
    "tests/browser/test_judging.py",
    "tests/bench/test_judging.py",
    "tests/browser/test_unsaved.py",
    "tests/browser/test_admin_pages.py",
    "tests/kept/test_versions.py",
    "tests/demo/test_launcher.py",
    "tests/jobs/test_worker.py",
    "tests/browser/test_adjudication.py",
    "tests/bench/test_run.py",
    "tests/database/test_lock_order.py",
    "tests/config/test_command_dry_runs.py",
    "tests/adjudication/test_judging_machine.py",
    "tests/test_permissions.py",
    "tests/browser/test_journey.py",
    "tests/browser/test_classic_journey.py",
    "tests/evaluation/labels/test_ask_model.py",
    "tests/rebuilding/test_rebuild.py",
    "tests/browser/test_aspects.py",
    "tests/jobs/test_heartbeats.py",
    "tests/adjudication/test_blind_first.py",
    "tests/evaluation/labels/test_asking_pages.py",
    "tests/browser/test_public_pages.py",
    "tests/config/test_bootstrap.py",
    "tests/pooling/test_same_pools.py",
    "tests/corpus/test_full_disk.py",
    "tests/api/test_docs_page.py",
    "tests/demo/test_parts.py",
    "tests/release/test_pool_rounds.py",
    "tests/publishing/test_public_releases.py",
    "tests/web/test_request_bodies.py",
    "tests/browser/test_blind_first.py",
    "tests/evaluation/test_corpus_sizes.py",
    "tests/api/test_schema.py",
    "tests/release/test_gate_states.py",
    "tests/evaluation/prediction_powered/test_estimate_report.py",
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
