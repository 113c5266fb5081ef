"""Publishing a version, and the draft of one."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from jobs.models import Job
from jobs.work import Work, job, start_once
from release import gate
from release.building import DRAFT, Built, build_release
from release.models import VERSION, Release
from web.errors import BadInput, Conflict

KIND = "publish_release"


def request_release(
    *,
    collection: Collection,
    by: User,
    version: str,
    accept: dict[str, str],
    with_texts: bool,
    with_models: bool = False,
    notes: str,
) -> Job:
    """Start the job, if the version could be published as things are now."""
    check_version(collection, version)
    reasons = gate.checked_reasons(accept)
    refuse(gate.blocking(gate.findings(collection), reasons))
    chosen = {"with_texts": with_texts, "with_models": with_models, "notes": notes}
    return start_once(KIND, collection=collection, by=by, version=version, accept=reasons, **chosen)


@job(KIND)
def publish_release(
    work: Work,
    *,
    version: str,
    accept: dict[str, str],
    with_texts: bool,
    with_models: bool = False,
    notes: str = "",
) -> None:
    """Publish the labels as they are at one moment. Judging goes on meanwhile, and counts for the next version."""
    collection = work.collection
    check_version(collection, version)
    work.progress(0, 2, "writing files")
    reasons = gate.checked_reasons(accept)
    chosen = {"with_texts": with_texts, "with_models": with_models}
    built = build_release(collection, version=version, reasons=reasons, notes=notes.strip(), **chosen)
    refuse(built.blocking)
    work.progress(1, 2, "keeping them")
    with work.commit() as result:
        lock_collection(collection)
        check_version(collection, version)
        if collection.releases.first() != built.before:
            raise Conflict("Another version was published meanwhile. Publish again to say what changed since that one.")
        release = Release(
            collection=collection,
            version=version,
            sha256=built.sha256,
            size=len(built.content),
            manifest=built.manifest,
            published_by=work.by,
        )
        release.file.save(release.file_name, ContentFile(built.content), save=False)
        release.save()
        record(Verb.PUBLISHED, collection=collection, object=f"version {version}", by=work.by)
        result |= {"version": version, "sha256": built.sha256, "labels": built.manifest["counts"]["labels"]}


def show_publicly(*, release: Release, is_public: bool) -> None:
    """Let everybody see a version, or no longer. Who has downloaded it keeps it."""
    Release.objects.filter(pk=release.pk).update(is_public=is_public)


def draft(collection: Collection, *, with_texts: bool) -> Built:
    """Everything as it is now. It states what the checks find, without reasons."""
    return build_release(collection, version=DRAFT, with_texts=with_texts, reasons=dict.fromkeys(gate.BY_KEY, ""))


def check_version(collection: Collection, version: str) -> None:
    try:
        VERSION(version)
    except ValidationError as error:
        raise BadInput(f"{error.message} Got {version!r}.") from error
    if collection.releases.filter(version=version).exists():
        raise Conflict(f"Version {version} is published already, and a published version never changes.")


def refuse(faults: list[gate.Finding]) -> None:
    if faults:
        sentences = "; ".join(f"{each.check.key} ({each.sentence.lower()})" for each in faults)
        raise Conflict(f"Fix these first, or accept each with a reason: {sentences}.")
