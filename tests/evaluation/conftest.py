from __future__ import annotations

import pytest

from release.csfcube import import_csfcube
from tests.real_data import SHARED


@pytest.fixture
def csfcube_release(db):
    """The CSFCube release as a collection, and its folder."""
    folder = SHARED / "csfcube"
    if not folder.exists():
        pytest.skip("The CSFCube release is not here.")
    return import_csfcube(folder=folder, slug="csfcube", admin=None), folder
