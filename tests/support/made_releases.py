"""Every release that a test makes is verified and imported again, once for each distinct zip.

A release is made by `pack_bundle`, whichever page, command or job asks for it. Here its zip is
kept, and checked when the test that made it ends. Files that a test changes afterwards are not made
by `pack_bundle`, so they are not checked. A test that makes a wrong release on purpose says so and
why, with the marker `wrong_release`. Releases of other processes, such as workers, are not seen.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from accounts.models import Collection
from bundle.names import DOCUMENTS, QRELS
from bundle.options import LabelSource
from bundle.reading.manifest import Manifest, read_manifest
from bundle.reading.opened import open_bundle
from bundle.verification.service import verify
from release import services
from release.importing.service import import_release
from release.services import PackedBundle
from release.snapshot.citations import stored_citation_pairs
from release.snapshot.collection import queries_by_name
from release.snapshot.judgments import stored_pairs
from release.snapshot.pools import released_builds

COPY = "imported-again"  # the short name of the collection


class MadeReleases:
    """The zips of distinct releases, in a folder until they are checked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[str] = set()
        self._waiting: list[Path] = []

    def keep(self, bundle: PackedBundle) -> None:
        if bundle.sha256 in self._known:
            return
        self._known.add(bundle.sha256)
        path = self._folder / f"{bundle.sha256}.zip"
        with path.open("wb") as file:
            shutil.copyfileobj(bundle.reader(), file)
        bundle.reader()
        self._waiting.append(path)

    def forget(self) -> None:
        """Drop those of a test that makes wrong ones. Another test may make the same again."""
        for path in self._waiting:
            self._known.discard(path.stem)
            path.unlink()
        self._waiting.clear()

    def check(self) -> Iterator[str]:
        """What is wrong with those that were not checked yet. None of them is kept."""
        while self._waiting:
            path = self._waiting.pop()
            yield from wrong_outcomes(path)
            yield from wrong_import(path)
            path.unlink()


@contextmanager
def kept_releases(folder: Path) -> Iterator[MadeReleases]:
    """Keep the releases that are made in the block."""
    made = MadeReleases(folder)
    pack = services.pack_bundle

    def pack_and_keep(*arguments: Any, **options: Any) -> PackedBundle:
        bundle = pack(*arguments, **options)
        made.keep(bundle)
        return bundle

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services, "pack_bundle", pack_and_keep)
        yield made


def wrong_outcomes(path: Path) -> Sequence[str]:
    """The failed checks of `verify_release`, as it prints them."""
    return ["\n".join(outcome.lines()) for outcome in verify(path) if not outcome.ok]


def wrong_import(path: Path) -> Iterator[str]:
    """The labels of the collection made from the release that are not those of the release.

    `wrong_outcomes` verifies the release, so this does not. An import that is
    refused raises. Nothing stays in the database.
    """
    with open_bundle(path) as bundle:
        manifest = read_manifest(bundle)
        with bundle.open(QRELS) as file:
            labels = file.read().decode().splitlines()
        with bundle.open(DOCUMENTS) as file:
            docnos = [json.loads(line)["docno"] for line in file]
    with rolled_back():
        texts = None if manifest.options.texts.included else invented_texts(path, docnos)
        import_release(path=path, slug=COPY, texts=texts, verified=True)
        found = labels_of(Collection.objects.get(slug=COPY), manifest)
        if differing := sorted(set(labels) ^ set(found)):
            yield f"The labels of the import differ from those of the release: {differing[:5]}"


@contextmanager
def rolled_back() -> Iterator[None]:
    """A transaction whose rows are gone afterwards; a durable block may be opened in it."""
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]
    with block:
        yield
        transaction.set_rollback(True)


def invented_texts(path: Path, docnos: Sequence[str]) -> Path:
    """A file with documents for a release that has none; queries can be about 30 sentences."""
    texts = path.with_suffix(".jsonl")
    lines = ({"docno": docno, "title": docno, "abstract": "A text. " * 30} for docno in docnos)
    texts.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return texts


def labels_of(collection: Collection, manifest: Manifest) -> list[str]:
    """The final labels, or citations, of the collection as lines of qrels.

    As a release reads them, but without the rest of one, which took most of the time here.
    """
    queries = queries_by_name(collection)
    if manifest.options.labels is LabelSource.CITATIONS:
        pairs = stored_citation_pairs(queries, released_builds(collection))
    else:
        pairs = stored_pairs(collection, queries)
    return [f"{pair.query} 0 {pair.docno} {pair.final}" for pair in pairs if pair.final is not None]
