"""Reading a manifest, or a release with manifests and runs, to rebuild pools."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from bundle.names import POOLS
from bundle.reading.manifest import Manifest, read_manifest
from bundle.reading.opened import BundleError, OpenedBundle, open_bundle
from bundle.reading.pools import pool_digest, read_pools
from bundle.records import PooledDocument
from corpus.digests import json_digest
from pooling.errors import PoolingError
from pooling.services.manifest import can_be_rebuilt
from rebuilding.manifest_schema import USAGE, kind_of_bytes, kind_of_json
from retrieval.formats import RankedList, RunFormatError, Scored, read_run

EMPTY_SHA256 = json_digest([])
START = 65_536  # bytes that are enough to recognise a file


class WrongFile(PoolingError):
    """A file that pools cannot be rebuilt from; the message says which file is needed."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem} {USAGE}")


@dataclass(frozen=True)
class ReleaseFile:
    """An open release, and its manifest."""

    bundle: OpenedBundle
    manifest: Manifest

    def lists(self, name: str, sha256: str) -> dict[str, RankedList] | None:
        """The ranked lists of a run, in file order; None if the release does not have the run.

        Raises:
            WrongFile: the file is damaged.
        """
        runs = [run for run in self.manifest.runs if run.name == name and run.file]
        # Two runs can have one name. If none has the digest, the caller reports the difference.
        runs.sort(key=lambda run: run.sha256 != sha256)
        if not runs:
            return None
        file = str(runs[0].file)
        lists: dict[str, list[Scored]] = {}
        try:
            with self.bundle.open(file) as stream:
                for topic, docno, score in read_run(stream, name=file):
                    lists.setdefault(topic, []).append(Scored(docno, score))
        except (zipfile.BadZipFile, RunFormatError) as error:
            raise WrongFile(f"The release is damaged: {file} cannot be read ({error}).") from error
        return {topic: RankedList.of(ranking) for topic, ranking in lists.items()}

    def with_documents(
        self, manifest: Mapping[str, Any], query_papers: tuple[str, ...]
    ) -> dict[str, Any]:
        """A manifest of the release, with the documents of its pools, those of `query_papers`.

        Raises:
            WrongFile: a pool of the release is missing or differs from the manifest.
        """
        papers = dict(manifest["pools"]["query_papers"])
        lists: dict[str, list[str]] = {docno: [] for docno in query_papers}
        digests = dict.fromkeys(query_papers, EMPTY_SHA256)
        for docno, pool in self._pools():
            if docno in lists:
                lists[docno] = [pooled.docno for pooled in pool]
                digests[docno] = pool_digest(
                    pool, manifest["forced"], is_judged=self.manifest.is_judged
                )
        for docno in sorted(lists.keys() & papers.keys()):
            if digests[docno] != papers[docno]["sha256"]:
                raise WrongFile(
                    f"The release is damaged: in {POOLS}, the pool of {docno} has the SHA-256 "
                    f"{digests[docno]}, in the manifest {papers[docno]['sha256']}."
                )
            papers[docno] = papers[docno] | {"documents": lists[docno]}
        return {**manifest, "pools": manifest["pools"] | {"query_papers": papers}}

    def _pools(self) -> Iterator[tuple[str, list[PooledDocument]]]:
        """Every pool of the builds in the order drawn, one at a time in memory."""
        candidates = (pooled for _, pooled in read_pools(self.bundle) if pooled.round == 1)
        for docno, pool in groupby(candidates, attrgetter("query_paper")):
            yield docno, sorted(pool, key=attrgetter("position"))


@contextmanager
def open_manifests(path: Path) -> Iterator[tuple[list[dict[str, Any]], ReleaseFile | None]]:
    """The manifests in a file; and the release, if it is one, a zip or its unpacked folder.

    Raises:
        WrongFile: pools cannot be rebuilt from the file.
        OSError: the file cannot be read.
    """
    if not path.is_dir() and not zipfile.is_zipfile(path):
        yield [_manifest(path)], None
        return
    try:
        with open_bundle(path) as bundle:
            release_file = ReleaseFile(bundle, read_manifest(bundle))
            builds = [
                build for build in release_file.manifest.builds if can_be_rebuilt(build.manifest)
            ]
            rounds = [dict(each.manifest) for each in release_file.manifest.rounds]
            if not builds and not rounds:
                raise WrongFile("All pools of this release were imported, so none can be rebuilt.")
            yield (
                [*(release_file.with_documents(*build) for build in builds), *rounds],
                release_file,
            )
    except BundleError as error:
        raise WrongFile(str(error)) from error


def _manifest(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        start = stream.read(START)
        if not start.lstrip().startswith((b"{", b"[")):
            raise WrongFile(kind_of_bytes(start))
        content = start + stream.read()
    try:
        manifest = json.loads(content)
    except ValueError as error:
        raise WrongFile(f"{kind_of_bytes(start)} ({error}.)") from error
    if not isinstance(manifest, dict) or not can_be_rebuilt(manifest):  # of a round, too
        raise WrongFile(kind_of_json(manifest))
    return manifest
