"""Reading a manifest, or the zip of a release with manifests and runs, to rebuild pools."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, cast

from corpus.digests import json_digest
from pooling.errors import PoolingError
from pooling.services.manifest import can_be_rebuilt
from rebuilding.manifest_schema import RELEASE, USAGE, kind_of_bytes, kind_of_json
from retrieval.formats import RankedList, RunFormatError, Scored, read_run
from retrieval.run_names import CITED

MANIFEST = "manifest.json"
POOL_LINES = "pools/pool.jsonl"
EMPTY_SHA256 = json_digest([])
START = 65_536  # bytes that are enough to recognise a file


class WrongFile(PoolingError):
    """A file that pools cannot be rebuilt from; the message says which file is needed."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem} {USAGE}")


@dataclass(frozen=True)
class ReleaseFile:
    """The open zip of a release, and its manifest."""

    bundle: zipfile.ZipFile
    manifest: Mapping[str, Any]

    def lists(self, name: str, sha256: str) -> dict[str, RankedList] | None:
        """The ranked lists of a run, in file order; None if the release does not have the run.

        Raises:
            WrongFile: the file is damaged.
        """
        runs_with_name = [
            run for run in self.manifest["runs"] if run["name"] == name and run.get("file")
        ]
        # Two runs can have one name. If none has the digest, the caller reports the difference.
        run = next(
            (run for run in runs_with_name if run["sha256"] == sha256),
            runs_with_name[0] if runs_with_name else None,
        )
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
        """A manifest of the release, with the documents of the pools in the release.

        Raises:
            WrongFile: a pool of the release is missing or differs from the manifest.
        """
        papers = dict(manifest["pools"]["query_papers"])
        paper_docnos = self._papers_of(manifest)
        lists: dict[str, list[str]] = {docno: [] for docno in paper_docnos}
        digests = dict.fromkeys(paper_docnos, EMPTY_SHA256)
        for docno, lines in self._pools():
            if docno in paper_docnos:
                lists[docno] = [str(line["docno"]) for line in lines]
                digests[docno] = _digest(lines, manifest)
        for docno in sorted(paper_docnos & papers.keys()):
            if digests[docno] != papers[docno]["sha256"]:
                raise WrongFile(
                    f"The zip is damaged: in {POOL_LINES}, the pool of {docno} has the SHA-256 "
                    f"{digests[docno]}, in the manifest {papers[docno]['sha256']}."
                )
            papers[docno] = papers[docno] | {"documents": lists[docno]}
        return {**manifest, "pools": manifest["pools"] | {"query_papers": papers}}

    def _papers_of(self, manifest: Mapping[str, Any]) -> frozenset[str]:
        """The query papers whose pools in the release come from this build."""
        builds = self.manifest["pool_builds"]
        papers = next(build["query_papers"] for build in builds if build["manifest"] == manifest)
        return frozenset(papers)

    def _pools(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The lines of every pool in the order drawn, with one pool in memory at a time."""
        with self.bundle.open(POOL_LINES) as stream:
            lines = map(json.loads, stream)
            for docno, pool in groupby(lines, lambda line: str(line["query_paper"])):
                yield docno, sorted(pool, key=lambda line: int(line["position"]))


def _digest(lines: list[dict[str, Any]], manifest: Mapping[str, Any]) -> str:
    """The digest of a pool, from its lines in a release; forced sources last, as when drawn.

    A release with citation labels adds the source `cited` to pools that did not force it.
    """
    forced = frozenset(manifest["forced"])
    rows = [
        (line["docno"], *(source[key] for key in ("source", "rank", "score", "drawn")), position)
        for position, line in enumerate(lines, start=1)
        for source in sorted(
            line["sources"], key=lambda source: (source["source"] in forced, source["source"])
        )
        if source["source"] != CITED or CITED in forced
    ]
    return json_digest(rows)


@contextmanager
def open_manifests(path: Path) -> Iterator[tuple[list[dict[str, Any]], ReleaseFile | None]]:
    """The manifests in a file; and the release, if the file is one.

    Raises:
        WrongFile: pools cannot be rebuilt from the file.
        OSError: the file cannot be read.
    """
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as bundle:
            release_file = ReleaseFile(bundle, _release_manifest(bundle))
            builds = [build["manifest"] for build in release_file.manifest["pool_builds"]]
            manifests = [manifest for manifest in builds if can_be_rebuilt(manifest)]
            if not manifests:
                raise WrongFile("All pools of this release were imported, so none can be rebuilt.")
            yield [release_file.with_documents(manifest) for manifest in manifests], release_file
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
        raise WrongFile(f"This zip is not a release: {MANIFEST} is another kind of file.")
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
    if not isinstance(manifest, dict) or not can_be_rebuilt(manifest):
        raise WrongFile(kind_of_json(manifest))
    return manifest
