"""CSFCube's release, imported once for all tests of this folder.

The data are CC BY-NC 4.0 and not part of this project: CSFCUBE_DIR says where they are.
"""

from __future__ import annotations

import json
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from accounts.models import Collection
from csfcube.services import import_csfcube
from release.services import build_bundle
from release.snapshot import take_snapshot
from tests.support.releases import EVERY_EXCEPTION

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
def bundle_folder(released, tmp_path_factory) -> Path:
    """The unpacked release of CSFCube."""
    bundle = build_bundle(take_snapshot(released), "1.0", EVERY_EXCEPTION)
    folder = tmp_path_factory.mktemp("csfcube-release")
    with zipfile.ZipFile(bundle.reader()) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="session")
def files(bundle_folder) -> dict[str, bytes]:
    """The files of that release, by name."""
    paths = (path for path in bundle_folder.rglob("*") if path.is_file())
    return {path.relative_to(bundle_folder).as_posix(): path.read_bytes() for path in paths}


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
