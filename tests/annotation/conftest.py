from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from corpus.uploads import find_upload, keep_upload
from tests.real_data import SHARED

CASES = Path(__file__).parent / "cases"


@pytest.fixture(autouse=True)
def _files(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"


@pytest.fixture
def csfcube():
    """The folder of CSFCube's release."""
    folder = SHARED / "csfcube"
    return folder if folder.exists() else pytest.skip("The CSFCube release is not here.")


@pytest.fixture
def upload(collection):
    """A stored upload's path: of a text, or of the file of this name among the cases."""

    def store(name: str, text: str = "") -> str:
        content = text.encode() or (CASES / name).read_bytes()
        return find_upload(collection, keep_upload(collection, ContentFile(content, name)))

    return store
