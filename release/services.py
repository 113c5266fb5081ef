"""Everything that writes releases."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count as count_from
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO
from weakref import finalize

from django.conf import settings
from django.db import IntegrityError

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import Collection, User
from agreement.alignment.report import AlignmentReport, studied
from agreement.consistency.report import ConsistencyReport
from agreement.services import both_reports
from annotation.models import RepeatJudgment
from bundle.content import Content
from bundle.counts import count
from bundle.datasheet.pool_rounds import last_round
from bundle.findings import AcceptedFinding, Finding
from bundle.formats import records as formats
from bundle.layouts import LAST_LAYOUTS, LAYOUTS, write_layouts
from bundle.manifest import build_manifest
from bundle.names import MANIFEST, README, SUMS
from bundle.options import DEFAULT_OPTIONS, LabelSource, ReleaseOptions
from bundle.reading.opened import BundleError
from bundle.readme import write_readme
from bundle.sampling import describe_sample
from bundle.snapshot import Snapshot
from bundle.verification.sums import WrittenWrong, check_written
from bundle.zip.draft_files import draft_folder, remove_abandoned_drafts
from bundle.zip.interruption import interruptible
from bundle.zip.writing import digest_of, pack_into
from corpus.scale import Scale
from database.consistent_reads import consistent_read
from evaluation.label_effects.pool_rounds import RoundEffectsReport, has_pool_rounds
from evaluation.label_effects.rankings import usual_measure
from jobs.context import DirectRun, JobContext, StepContext
from jobs.models import Job
from jobs.services import enqueue
from release.errors import BadVersion, GateClosed, NotWritten, VersionTaken
from release.files import cannot_keep, check_writable, path_of, put_in_place, staged
from release.gate.acceptance import NONE_ACCEPTED, Reasons, accept_findings, checked_reasons
from release.gate.checks import ACCEPTABLE, blocking_findings, check_gate
from release.gate.context import GateContext
from release.gate.stored_reports import OldReport
from release.models import Release, ReleaseException
from release.snapshot import take_snapshot
from release.snapshot.model_labels import check_models
from release.versions.changes import difference_to
from reports.services import compute_report
from web.disk import discard
from web.stored_files import share

JOB_KIND = "publish_release"
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
STEPS = len((*LAYOUTS, *LAST_LAYOUTS)) + 2  # and reading before, putting in place after them


def ignore(layout: str) -> None:
    """A callback that ignores the name of each layout."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class PackedBundle:
    """A release's zip, in a temporary file that goes with the bundle, and its manifest.

    `digests` has the SHA-256 of each file in it.
    """

    file: BinaryIO
    manifest: dict[str, Any]
    digests: dict[str, str]
    sha256: str
    size: int

    def __post_init__(self) -> None:
        finalize(self, discard, self.file)

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
    accept: Reasons = NONE_ACCEPTED,
    options: ReleaseOptions = DEFAULT_OPTIONS,
    requested_by: User | None = None,
) -> Job:
    """Queue a job that publishes the version, or return the job that is in progress.

    Raises:
        BadVersion, VersionTaken, UnknownCheck, BadReason
        NoModelLabels: a chosen shadow judge has no labels.
        CannotKeep: the release folder is full or cannot be written.
    """
    accepted = check_request(collection=collection, version=version, accept=accept)
    check_models(collection, options)
    check_writable(collection.slug)
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={"version": version, "accept": accepted, "options": options.as_json()},
        requested_by=requested_by,
        key=f"{JOB_KIND}:{version.lower()}",
    )


def publish_release(
    *,
    collection: Collection,
    version: str,
    accept: Reasons = NONE_ACCEPTED,
    options: ReleaseOptions = DEFAULT_OPTIONS,
    published_by: User | None = None,
    work: JobContext | None = None,
) -> Release:
    """Publish the collection as it is now under a new version.

    `accept` has the checks of the gate whose findings are published against, each with a reason.
    Findings and reasons are recorded in the manifest, and who accepted them in the database. A
    check that is in order changes nothing and is not recorded.

    Raises:
        BadVersion, VersionTaken, UnknownCheck, BadReason
        GateClosed: a check has findings that are not accepted.
        CannotKeep: the release folder is full or cannot be written.
    """
    work = work or DirectRun()
    accepted = check_request(collection=collection, version=version, accept=accept)
    with cannot_keep():
        remove_abandoned_drafts(Path(settings.RELEASE_DIR))
    steps = count_from(0)

    def begin(what: str) -> None:
        work.progress(next(steps), STEPS, what)

    begin("reading the collection")
    _compare_rounds(collection, options, work)
    _compare_proposals(collection, options, work)
    with interruptible(work.check):
        with cannot_keep():
            snapshot = take_snapshot(collection, options)
            bundle = build_bundle(
                snapshot, version, accepted, lambda name: begin(f"writing {name}")
            )
        begin("checking it and putting it in place")
        return _keep(collection, version, bundle, published_by, work)


def _compare_rounds(collection: Collection, options: ReleaseOptions, work: JobContext) -> None:
    """Compute what a version says of pool rounds that no version has told of yet.

    The rankings before and after them, by the measure of the leaderboard, and the drift on pairs
    that came again. A report that is up to date is kept as it is.
    """
    if options.labels is not LabelSource.JUDGED or not has_pool_rounds(collection):
        return
    before = collection.releases.first()
    rounds = collection.pool_rounds.filter(number__gt=last_round(before.manifest if before else {}))
    if not rounds.exists():
        return
    step = StepContext(work)
    effects = RoundEffectsReport(usual_measure(collection))
    compute_report(effects, collection=collection, work=step)
    answers = RepeatJudgment.objects.filter(repeat__query__collection=collection)
    if answers.filter(repeat__pool_round__gt=1).exists():
        compute_report(ConsistencyReport(), collection=collection, work=step)


def _compare_proposals(collection: Collection, options: ReleaseOptions, work: JobContext) -> None:
    """Compute the report on proposed grades, which has the lots of the queries."""
    if options.labels is LabelSource.JUDGED and studied(collection):
        compute_report(AlignmentReport(), collection=collection, work=StepContext(work))


def check_request(*, collection: Collection, version: str, accept: Reasons) -> dict[str, str]:
    """The reasons by check, as they are recorded, if a release can be asked for like this.

    Raises:
        BadVersion, VersionTaken, UnknownCheck, BadReason
    """
    check_version(version)
    # Without regard to case: some file systems store `1.0-RC` and `1.0-rc` as one file.
    if collection.releases.filter(version__iexact=version).exists():
        raise VersionTaken(version)
    return checked_reasons(accept, ACCEPTABLE)


def check_version(version: str) -> None:
    """Raise BadVersion for an invalid version, such as one with NUL in it."""
    if not VERSION.fullmatch(version):
        raise BadVersion(version)


def find_faults(
    *, collection: Collection, options: ReleaseOptions = DEFAULT_OPTIONS
) -> tuple[Finding, ...]:
    """Every check of the gate with its finding, in order or not."""
    return ask_gate(collection=collection, options=options)[0]


def ask_gate(
    *, collection: Collection, options: ReleaseOptions = DEFAULT_OPTIONS
) -> tuple[tuple[Finding, ...], list[OldReport]]:
    """Every check of the gate with its finding, and every report that is out of date.

    It asks the database for little, for a page or a script that waits. A release asks the same
    within the read that it is made of.
    """
    with consistent_read():
        collection = Collection.objects.get(pk=collection.pk)
        gate = GateContext(collection, options)
        of_judgments = options.labels is LabelSource.JUDGED
        return check_gate(gate), gate.old_reports if of_judgments else []


def build_bundle(
    snapshot: Snapshot,
    version: str,
    accept: Reasons,
    begin: Callable[[str], None] = ignore,
) -> PackedBundle:
    """The release of the snapshot: the same snapshot, version and reasons, the same bytes.

    `begin` is called with the name of each layout before it is written.

    Raises:
        GateClosed: a check has findings that are not accepted.
    """
    blocking = blocking_findings(snapshot.findings, accept)
    if blocking:
        raise GateClosed(blocking)
    return pack_bundle(
        snapshot,
        version,
        accept_findings(snapshot.findings, accept),
        software_version=settings.SOFTWARE_VERSION,
        begin=begin,
    )


def pack_bundle(
    snapshot: Snapshot,
    version: str,
    accepted: Sequence[AcceptedFinding],
    *,
    software_version: str,
    begin: Callable[[str], None] = ignore,
) -> PackedBundle:
    """The release of the snapshot against these findings, as this version of the software's.

    `begin` is called with the name of each layout before it is written.
    """
    with draft_folder(Path(settings.RELEASE_DIR)) as folder:
        agreement = both_reports(
            slug=snapshot.collection.slug,
            facets=[facet.key for facet in snapshot.collection.facets],
            pairs=snapshot.pairs,
            scale=Scale(snapshot.collection.highest_grade, snapshot.collection.relevant_from),
            seed=snapshot.collection.seed,
        )
        content = Content(
            snapshot=snapshot,
            version=version,
            accepted=accepted,
            counts=count(snapshot),
            sample=describe_sample(snapshot),
            agreement=agreement.payloads,
            confusion=agreement.confusion,
            software_version=software_version,
        )
        files = write_layouts(folder, content, begin)
        files[README] = write_readme(content, files)
        manifest = build_manifest(content, files)
        files[MANIFEST] = formats.write_json(manifest)
        files[SUMS] = formats.write_sums({name: digest_of(file) for name, file in files.items()})
        packed = TemporaryFile(dir=settings.RELEASE_DIR)  # noqa: SIM115 - the bundle closes it
        pack_into(packed, files)
    size = packed.tell()
    packed.seek(0)
    return PackedBundle(
        file=packed,
        manifest=manifest,
        digests={name: digest_of(file) for name, file in files.items()},
        sha256=hashlib.file_digest(packed, "sha256").hexdigest(),
        size=size,
    )


def _keep(
    collection: Collection,
    version: str,
    bundle: PackedBundle,
    published_by: User | None,
    work: JobContext,
) -> Release:
    """Make row and file appear together.

    The row is inserted first, so that only one of two concurrent publishers continues. The file is
    moved into its place before the row is committed, so every row has its file. After a crash
    between the two steps a file without a row remains, and the next attempt replaces it.

    Raises:
        VersionTaken, CannotKeep
        StorageFailed: the shared storage did not take the file.
    """
    path = path_of(collection.slug, version)
    summary = _summary(collection, bundle)
    try:
        with cannot_keep(), staged(path, bundle.reader()) as part, _checked(part, bundle, work):
            lock_collection(collection)
            release = collection.releases.create(
                version=version,
                sha256=bundle.sha256,
                size=bundle.size,
                manifest=bundle.manifest,
                summary=summary,
                published_by=published_by,
            )
            ReleaseException.objects.bulk_create(
                ReleaseException(
                    release=release,
                    check_name=entry["check"],
                    reason=entry["reason"],
                    accepted_by=published_by,
                )
                for entry in bundle.manifest["accepted"]
            )
            _record(release, published_by)
            put_in_place(part, path)
            share(path)
            work.complete(job_result(release))
    except IntegrityError as error:
        raise VersionTaken(version) from error
    return release


def _record(release: Release, published_by: User | None) -> None:
    record_action(
        kind=ActionKind.RELEASE_PUBLISHED,
        collection=release.collection,
        subject=about(SubjectKind.RELEASE, release.pk, release.version),
        by=published_by,
    )
    for entry in release.manifest["accepted"]:
        record_action(
            kind=ActionKind.FINDING_ACCEPTED,
            collection=release.collection,
            subject=about(SubjectKind.CHECK, label=entry["check"]),
            details={"version": release.version, "reason": entry["reason"]},
            by=published_by,
        )


@contextmanager
def _checked(part: Path, bundle: PackedBundle, work: JobContext) -> Iterator[None]:
    """The transaction that publishes, after the file was read back from the disk.

    Raises:
        NotWritten: the disk gives other bytes than were written.
    """
    try:
        with part.open("rb") as file:
            check_written(file, bundle.sha256, bundle.digests)
    except (WrittenWrong, BundleError, zipfile.BadZipFile) as error:
        raise NotWritten(part, error) from error
    with work.fenced():
        yield


def _summary(collection: Collection, bundle: PackedBundle) -> dict[str, Any]:
    """The facts for pages about all releases, which then read no manifest and compare no labels."""
    counts = bundle.manifest["counts"]
    before = collection.releases.first()
    change = None if before is None else difference_to(before, bundle.reader())
    return {
        **{name: counts[name] for name in ("labels", "queries", "queries_labelled")},
        "is_sample": bundle.manifest["sample"] is not None,
        "change": None if change is None else change._asdict(),
        "options": bundle.manifest["options"],
    }


def job_result(release: Release) -> dict[str, Any]:
    return {"version": release.version, "sha256": release.sha256, "size": release.size}
