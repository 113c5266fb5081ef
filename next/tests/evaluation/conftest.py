from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import settings

from release.csfcube import import_csfcube


@pytest.fixture
def csfcube_release(db):
    """The CSFCube release as a collection, and its folder."""
    folder = Path(os.environ.get("SHARED_DIR", settings.BASE_DIR.parent.parent / "shared")) / "csfcube"
    if not folder.exists():
        pytest.skip("The CSFCube release is not here.")
    return import_csfcube(folder=folder, slug="csfcube", admin=None), folder
