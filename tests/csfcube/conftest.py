"""CSFCube's release, imported once for all tests of this folder.

The data are CC BY-NC 4.0 and not part of this project: CSFCUBE_DIR says where they are.
"""

from __future__ import annotations

import json

import pytest

from accounts.models import Collection
from published.services import import_csfcube

FACETS = ("background", "method")


@pytest.fixture(scope="package")
def released(csfcube, rolled_back):
    with rolled_back():
        import_csfcube(folder=csfcube)
        yield Collection.objects.get(slug="csfcube")


@pytest.fixture(scope="package")
def pools(csfcube) -> dict[str, dict[str, list]]:
    """By query paper: `cands`, and for each of them `cand_source`."""
    return json.loads((csfcube / "test-pid2pool-csfcube.json").read_bytes())


@pytest.fixture(scope="package")
def ratings(csfcube) -> dict[str, dict[str, list]]:
    """By query, as `8781666_background`: `cands`, and the columns of ratings."""
    found = {}
    for facet in FACETS:
        content = (csfcube / f"test-pid2anns-csfcube-{facet}.json").read_bytes()
        found |= {f"{paper}_{facet}": entry for paper, entry in json.loads(content).items()}
    return found
