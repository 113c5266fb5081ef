"""CSFCube's release, imported once for all tests of this folder.

The data are CC BY-NC 4.0 and not part of this project: CSFCUBE_DIR says where they are.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from accounts.models import Collection
from csfcube.services import import_csfcube

FACETS = ("background", "method")


# A fixture of scope "package" ends with the session, because this folder is no Python package.
imported = ExitStack()


@pytest.hookimpl(trylast=True)  # after the fixtures of the last test here have ended
def pytest_runtest_teardown(item, nextitem):
    """Roll the import back when the tests of this folder end, so that no other test sees it."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        imported.close()


@pytest.fixture(scope="session")
def released(csfcube, rolled_back):
    imported.enter_context(rolled_back())
    import_csfcube(folder=csfcube)
    return Collection.objects.get(slug="csfcube")


@pytest.fixture(scope="session")
def pools(csfcube) -> dict[str, dict[str, list]]:
    """By query paper: `cands`, and for each of them `cand_source`."""
    return json.loads((csfcube / "test-pid2pool-csfcube.json").read_bytes())


@pytest.fixture(scope="session")
def ratings(csfcube) -> dict[str, dict[str, list]]:
    """By query, as `8781666_background`: `cands`, and the columns of ratings."""
    found = {}
    for facet in FACETS:
        content = (csfcube / f"test-pid2anns-csfcube-{facet}.json").read_bytes()
        found |= {f"{paper}_{facet}": entry for paper, entry in json.loads(content).items()}
    return found
