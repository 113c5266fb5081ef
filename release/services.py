"""Everything that writes releases."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from django.conf import settings
from django.db import IntegrityError

from accounts.models import Collection, User
from agreement.coefficients import Missing
from agreement.services import report_payload
from jobs.models import Job
from jobs.services import enqueue
from jobs.work import InPerson, Work
from release import formats
from release.bundle import StoredFile, pack_into
from release.errors import BadVersion, GateClosed, UnknownCheck, VersionTaken
from release.files import cannot_keep, check_writable, path_of, put_in_place, staged
from release.gate import ACCEPTABLE, Finding, check_gate, standing_in_the_way
from release.manifest import NAME as MANIFEST
from release.manifest import build_manifest
from release.models import Release
from release.readme import write_readme
from release.records import Snapshot
from release.run_files import spooled
from release.sampling import members, probable
from release.snapshot import take_snapshot

JOB_KIND = "publish_release"
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
STEPS = 3


@dataclass(frozen=True, slots=True)
class Bundle:
    """A release's zip, in a file that is gone once it is closed, and the manifest that is in it."""

    file: BinaryIO
    manifest: dict[str, Any]
    sha256: str
    size: int

    @property
    def content(self) -> bytes:
        return self.reader().read()

    def reader(self) -> BinaryIO:
        """The zip, to be read from its beginning."""
        self.file.seek(0)
        return self.file


def request_release(
    *,
    collection: Collection,
    version: str,
    accept: Iterable[str] = (),
    requested_by: User | None = None,
) -> Job:
    """Have a worker publish the version. While one does, its job is returned.

    Raises:
        BadVersion, VersionTaken, UnknownCheck
        CannotKeep: the release folder is full or cannot be written.
    """
    accepted = check_request(collection=collection, version=version, accept=accept)
    check_writable(collection.slug)
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={"version": version, "accept": list(accepted)},
        requested_by=requested_by,
        key=f"{JOB_KIND}:{version.lower()}",
    )


def publish_release(
    *,
    collection: Collection,
    version: str,
    accept: Iterable[str] = (),
    published_by: User | None = None,
    work: Work | None = None,
) -> Release:
    """Publish the collection as it is now under a new version.

    `accept` names checks of the gate whose findings are published against; they are recorded in
    the manifest. A name whose check is in order changes nothing and is not recorded.

    Raises:
        BadVersion, VersionTaken, UnknownCheck
        GateClosed: a check found what is not accepted.
        CannotKeep: the release folder is full or cannot be written.
    """
    work = work or InPerson()
    accepted = check_request(collection=collection, version=version, accept=accept)
    work.progress(0, STEPS, "reading the collection")
    snapshot = take_snapshot(collection)
    work.progress(1, STEPS, "writing the bundle")
    with cannot_keep():
        bundle = build_bundle(snapshot, version, accepted)
    work.progress(2, STEPS, "putting it in place")
    return _keep(collection, version, bundle, published_by, work)


def check_request(
    *, collection: Collection, version: str, accept: Iterable[str]
) -> tuple[str, ...]:
    """The checks to accept, each once, if a release can be asked for like this.

    Raises:
        BadVersion, VersionTaken, UnknownCheck
    """
    check_version(version)
    # Whatever the case: `1.0-RC` and `1.0-rc` are one file where file names ignore it.
    if collection.releases.filter(version__iexact=version).exists():
        raise VersionTaken(version)
    return check_acceptable(accept)


def check_version(version: str) -> None:
    """Raises BadVersion for a text that no version can be called, like one with NUL in it."""
    if not VERSION.fullmatch(version):
        raise BadVersion(version)


def check_acceptable(accept: Iterable[str]) -> tuple[str, ...]:
    names = tuple(sorted(set(accept)))
    for name in names:
        if name not in ACCEPTABLE:
            raise UnknownCheck(name, ACCEPTABLE)
    return names


def find_faults(*, collection: Collection) -> tuple[Finding, ...]:
    """Every check of the gate with its finding, in order or not. Nothing is written."""
    return check_gate(take_snapshot(collection, with_samples=False))


def build_bundle(snapshot: Snapshot, version: str, accept: Iterable[str]) -> Bundle:
    """The release of the snapshot: the same snapshot, version and exceptions, the same bytes.

    Raises:
        GateClosed: a check found what is not accepted.
    """
    findings = check_gate(snapshot)
    in_the_way = standing_in_the_way(findings, set(accept))
    if in_the_way:
        raise GateClosed(in_the_way)
    accepted = [finding for finding in findings if not finding.ok]
    return pack_bundle(snapshot, version, accepted, software_version=settings.SOFTWARE_VERSION)


def pack_bundle(
    snapshot: Snapshot, version: str, accepted: Sequence[Finding], *, software_version: str
) -> Bundle:
    """The release of the snapshot against these findings, as this version of the software's."""
    with spooled(snapshot.runs, snapshot.run_lines) as runs:
        files: dict[str, bytes | StoredFile] = {
            **_files(snapshot, version, accepted, software_version)
        }
        files |= runs
        manifest = build_manifest(
            snapshot=snapshot,
            version=version,
            accepted=accepted,
            files=files,
            software_version=software_version,
        )
        packed = TemporaryFile(dir=settings.RELEASE_DIR)  # noqa: SIM115 - the bundle holds it
        pack_into(packed, {**files, MANIFEST: formats.write_json(manifest)})
    size = packed.tell()
    packed.seek(0)
    return Bundle(packed, manifest, hashlib.file_digest(packed, "sha256").hexdigest(), size)


def _files(
    snapshot: Snapshot, version: str, accepted: Sequence[Finding], software_version: str
) -> dict[str, bytes]:
    agreement = {missing: _agreement(snapshot, missing) for missing in Missing}
    return {
        **_qrels(snapshot),
        "pools/pool.jsonl": formats.write_pools(snapshot.pools),
        "annotations/ratings.csv": formats.write_ratings(snapshot.ratings),
        "annotations/adjudications.csv": formats.write_adjudications(snapshot.adjudications),
        "reports/agreement.json": formats.write_json(agreement[Missing.EXCLUDE]),
        "reports/agreement.missing-zero.json": formats.write_json(agreement[Missing.ZERO]),
        "README.md": write_readme(
            snapshot=snapshot,
            version=version,
            accepted=accepted,
            agreement=agreement[Missing.EXCLUDE],
            software_version=software_version,
        ),
    }


def _qrels(snapshot: Snapshot) -> dict[str, bytes]:
    """One file of everything and one per facet that has a label: tools refuse empty qrels.

    Over sampled pools there are two more of each, because four columns cannot tell a sample.
    """
    labels = {"all": list(snapshot.labels)}
    for label in snapshot.labels:
        labels.setdefault(label.facet, []).append(label)
    files: dict[str, bytes] = {}
    for name, some in labels.items():
        files[f"trec/qrels.{name}.txt"] = formats.write_qrels(some)
        if snapshot.samples:
            files[f"trec/prels.{name}.txt"] = formats.write_prels(probable(snapshot, some))
            files[f"trec/sampleval.{name}.txt"] = formats.write_sampleval(members(snapshot, some))
    return files


def _agreement(snapshot: Snapshot, missing: Missing) -> dict[str, Any]:
    return report_payload(
        slug=snapshot.collection.slug,
        facets=[facet.key for facet in snapshot.collection.facets],
        pairs=snapshot.pairs,
        missing=missing,
    )


def _keep(
    collection: Collection, version: str, bundle: Bundle, published_by: User | None, work: Work
) -> Release:
    """Make row and file appear together.

    The row is inserted first, so that of two at once only one goes on; the file is moved into its
    place before the row is committed, so that no row is ever without its file. After a crash
    between the two the file lies there without a row, and the next try replaces it.
    """
    path = path_of(collection.slug, version)
    try:
        with cannot_keep(), staged(path, bundle.reader()) as part, work.fenced():
            release = collection.releases.create(
                version=version,
                sha256=bundle.sha256,
                size=bundle.size,
                manifest=bundle.manifest,
                published_by=published_by,
            )
            put_in_place(part, path)
            work.complete(job_result(release))
    except IntegrityError as error:
        raise VersionTaken(version) from error
    return release


def job_result(release: Release) -> dict[str, Any]:
    return {"version": release.version, "sha256": release.sha256, "size": release.size}
