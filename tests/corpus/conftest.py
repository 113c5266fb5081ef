from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from corpus.formats.documents import read_documents
from corpus.formats.reading import BadLines
from corpus.formats.topics import read_topics
from corpus.uploads import find_upload, keep_upload

CASES = Path(__file__).parent / "cases"


def case(name: str) -> bytes:
    """A file in a form that public collections have."""
    return (CASES / name).read_bytes()


def as_bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def documents_by_line(content: bytes | str, name: str = "f", skip: int = 0, limit: int = 10**7, **options):
    """(line, document) of each document of a file; a document is its values that are not empty."""
    bad_lines = BadLines(skip)
    read = read_documents(io.BytesIO(as_bytes(content)), name, bad_lines=bad_lines, limit=limit, **options)
    return [
        (int(place.rpartition(":")[2]), {key: each for key, each in values.items() if each}) for place, values in read
    ]


def documents(content: bytes | str, *arguments, **options):
    return [values for _, values in documents_by_line(content, *arguments, **options)]


def topics(content: bytes | str, name: str = "f", skip: int = 0):
    """(id, title, description, narrative) of each topic."""
    read = read_topics(io.BytesIO(as_bytes(content)), name, bad_lines=BadLines(skip), limit=10**7)
    return [tuple(values.values()) for _, values in read]


@pytest.fixture(autouse=True)
def _files(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"


@pytest.fixture
def upload(collection):
    """A stored upload's path: `upload(content, "a.jsonl")`."""

    def store(content: bytes | str, name: str = "f.jsonl") -> str:
        return find_upload(collection, keep_upload(collection, ContentFile(as_bytes(content), name)))

    return store
