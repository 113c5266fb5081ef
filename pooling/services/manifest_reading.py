"""What a rebuilding starts from: a manifest, or the zip of a release with manifests and runs."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, cast

from corpus.texts import canonical_json
from pooling.formats import RankedList, RunFormatError, Scored, read_run
from pooling.services.errors import PoolingError
from pooling.services.manifest import can_be_rebuilt
from pooling.services.manifest_shape import RELEASE, WANTED, kind_of_bytes, kind_of_json

MANIFEST = "manifest.json"
POOLS = "pools/pool.jsonl"
EMPTY = hashlib.sha256(canonical_json([])).hexdigest()
START = 65_536  # bytes by which a file is known


class WrongFile(PoolingError):
    """A file that pools cannot be rebuilt from; the message says which file is wanted."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem} {WANTED}")


@dataclass(frozen=True)
class Released:
    """An opened release and its manifest."""

    bundle: zipfile.ZipFile
    manifest: Mapping[str, Any]

    def lists(self, name: str, sha256: str) -> dict[str, RankedList] | None:
        """The ranked lists of a run in the order of its file; None if the release has no such run.

        Raises:
            WrongFile: the file is damaged.
        """
        named = [run for run in self.manifest["runs"] if run["name"] == name and run.get("file")]
        # Two runs of one retriever can have one name; a run with another digest is told as such.
        run = next((run for run in named if run["sha256"] == sha256), named[0] if named else None)
        if run is None:
            return None
        lists: dict[str, list[Scored]] = {}
        try:
            with self.bundle.open(run["file"]) as stream:
                for topic, docno, score in read_run(cast(BinaryIO, stream), name=run["file"]):
                    lists.setdefault(topic, []).append(Scored(docno, score))
        except (KeyError, zipfile.BadZipFile, RunFormatError) as error:
            raise WrongFile(
                f"The zip is damaged: {run['file']} cannot be read ({error})."
            ) from error
        return {topic: RankedList.of(ranking) for topic, ranking in lists.items()}

    def with_documents(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """A manifest of the release, with the documents of the pools that the release holds.

        Raises:
            WrongFile: a pool of the release is missing or is not what the manifest says.
        """
        papers = dict(manifest["pools"]["query_papers"])
        wanted = self._released(manifest)
        lists: dict[str, list[str]] = {docno: [] for docno in wanted}
        digests = dict.fromkeys(wanted, EMPTY)
        for docno, lines in self._pools():
            if docno in wanted:
                lists[docno] = [str(line["docno"]) for line in lines]
                digests[docno] = _digest(lines, manifest)
        for docno in sorted(wanted & papers.keys()):
            if digests[docno] != papers[docno]["sha256"]:
                raise WrongFile(
                    f"{POOLS}: the pool of {docno} has the SHA-256 {digests[docno]}, the manifest "
                    f"says {papers[docno]['sha256']}."
                )
            papers[docno] = papers[docno] | {"documents": lists[docno]}
        return {**manifest, "pools": manifest["pools"] | {"query_papers": papers}}

    def _released(self, manifest: Mapping[str, Any]) -> frozenset[str]:
        """The query papers whose pools in the release come from this building."""
        builds = self.manifest["pool_builds"]
        papers = next(one["query_papers"] for one in builds if one["manifest"] == manifest)
        return frozenset(papers)

    def _pools(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The lines of every pool in the order drawn; a pool is in memory at a time."""
        with self.bundle.open(POOLS) as stream:
            lines = map(json.loads, stream)
            for docno, pool in groupby(lines, lambda line: str(line["query_paper"])):
                yield docno, sorted(pool, key=lambda line: int(line["position"]))


def _digest(lines: list[dict[str, Any]], manifest: Mapping[str, Any]) -> str:
    """The digest of a pool, taken of its lines in a release: retrievers first, as it was drawn."""
    forced = frozenset(manifest["forced"])
    rows = [
        (line["docno"], *(source[key] for key in ("source", "rank", "score", "drawn")), place)
        for place, line in enumerate(lines, start=1)
        for source in sorted(
            line["sources"], key=lambda source: (source["source"] in forced, source["source"])
        )
    ]
    return hashlib.sha256(canonical_json(rows)).hexdigest()


@contextmanager
def opened(path: Path) -> Iterator[tuple[list[dict[str, Any]], Released | None]]:
    """The manifests in a file, and the release that it is, if it is.

    Raises:
        WrongFile: pools cannot be rebuilt from it.
        OSError: it cannot be read.
    """
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as bundle:
            released = Released(bundle, _release_manifest(bundle))
            builds = [one["manifest"] for one in released.manifest["pool_builds"]]
            manifests = [one for one in builds if can_be_rebuilt(one)]
            if not manifests:
                raise WrongFile("All pools of this release were imported, so none can be rebuilt.")
            yield [released.with_documents(one) for one in manifests], released
    else:
        yield [_manifest(path)], None


def _release_manifest(bundle: zipfile.ZipFile) -> Mapping[str, Any]:
    try:
        manifest = json.loads(bundle.read(MANIFEST))
    except KeyError:
        raise WrongFile(f"This zip is not a release: it has no {MANIFEST}.") from None
    except (ValueError, zipfile.BadZipFile) as error:
        raise WrongFile(f"The zip is damaged: {MANIFEST} cannot be read ({error}).") from error
    if not isinstance(manifest, dict) or manifest.get("format") != RELEASE:
        raise WrongFile(f"This zip is not a release: its {MANIFEST} is another file.")
    return manifest


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
    if not isinstance(manifest, dict) or not _has_pools(manifest):
        raise WrongFile(kind_of_json(manifest))
    return manifest


def _has_pools(manifest: Mapping[str, Any]) -> bool:
    """Whether this is the manifest of a building, damaged or not."""
    pools = manifest.get("pools")
    return isinstance(pools, dict) and "query_papers" in pools
