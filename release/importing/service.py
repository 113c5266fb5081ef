"""The service that makes a collection from a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from django.db import DataError, IntegrityError
from django.utils import timezone

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.judging_rules import JudgingRules
from accounts.models import Collection, Role, User
from accounts.services import add_membership
from bundle.names import DOCUMENTS, MANIFEST, SETTINGS
from bundle.reading.collection_files import Settings, read_settings
from bundle.reading.manifest import Manifest, read_manifest
from bundle.reading.opened import BundleError, OpenedBundle, open_bundle
from bundle.verification.failures import Failure
from bundle.verification.service import CHECKS, verify_opened
from bundle.verification.sums import listed_sums, wrong_files, wrong_sums
from corpus.facets import FacetError, FacetPlan
from corpus.formats.document_lines import DocumentFormatError
from corpus.formats.sources import SourceError
from corpus.services import CorpusError, check_slug, create_collection
from database.bulk import large_cache
from jobs.context import DirectRun, JobContext
from pooling.errors import PoolingError
from release.datasheets.services import AnswerRefused, save_answers
from release.importing.context import ReleaseImportContext, ReleaseImportReport, ReleaseRefused
from release.importing.documents import import_documents
from release.importing.judgments import import_judgments
from release.importing.models import ReleaseImport
from release.importing.pool_rounds import import_rounds
from release.importing.pools import import_pools, import_runs
from release.importing.queries import import_guidelines, import_queries
from release.importing.unfinished import delete_abandoned, deleted_on_error
from web.program import command_text

LISTED = 20  # findings
CHECKS_OF_CONTENT = tuple(check for check in CHECKS if check.name not in ("files", "sums"))


def import_release(
    *,
    path: Path,
    slug: str = "",
    admin: User | None = None,
    texts: Path | None = None,
    work: JobContext | None = None,
    verified: bool = False,
) -> ReleaseImportReport:
    """Make the collection of a release again, under its own short name or another.

    `path` is the zip or the unpacked folder, and `texts` a file with the documents of a release
    without texts. `admin` gets that role. People become accounts that can never log in.

    Everything is written in short transactions, so others can save meanwhile. The collection
    is hidden until the last of them. After an error or a cancellation nothing is left. What a
    killed import left is deleted here first.

    `verified` leaves out the checks of `verify`, if the caller has made them. What they check is
    not checked again.

    Raises:
        ReleaseRefused: the file is not a release, is damaged or fails its verification, the short
            name is in use, or texts are missing.
    """
    work = work or DirectRun()
    try:
        with open_bundle(path) as bundle:
            manifest = read_manifest(bundle)
            check_slug(slug or manifest.slug)
            _check_slug_is_free(slug or manifest.slug)
            _check_texts(manifest, texts)
            _check_files(bundle, work)
            if not verified:
                _check_content(bundle, work)
            delete_abandoned(work)
            return _import(bundle, manifest, slug or manifest.slug, admin, texts, work)
    except (BundleError, CorpusError, FacetError, DocumentFormatError, SourceError) as error:
        raise ReleaseRefused(str(error)) from error
    except (PoolingError, AnswerRefused) as error:
        raise ReleaseRefused(str(error)) from error
    except (IntegrityError, DataError) as error:
        raise ReleaseRefused(
            f"The release breaks a rule of the database: {str(error).splitlines()[0]}. Find the "
            f"place with: {command_text('verify_release FILE')}"
        ) from error


def _check_slug_is_free(slug: str) -> None:
    if Collection.objects.filter(slug=slug).exists():
        raise ReleaseRefused(f"The short name {slug!r} exists already. Choose another one.")


def _check_texts(manifest: Manifest, texts: Path | None) -> None:
    if manifest.options.texts.included and texts:
        raise ReleaseRefused(
            "The release has the texts of its documents. Leave out --documents. More documents can "
            "be imported afterwards, with import_documents."
        )
    if not manifest.options.texts.included and not texts:
        raise ReleaseRefused(
            "The release has no texts, and judgments cannot be shown without them. Give a file "
            f"with the documents that {DOCUMENTS} lists: --documents FILE"
        )


def _check_files(bundle: OpenedBundle, work: JobContext) -> None:
    total = sum(map(bundle.size, bundle.names))
    wrong = [
        *wrong_files(bundle),
        *wrong_sums(bundle, lambda done: work.progress(done, total + 1, "bytes compared")),
    ]
    if wrong:
        raise ReleaseRefused(_listed("The release is damaged.", wrong, len(wrong)))


def _check_content(bundle: OpenedBundle, work: JobContext) -> None:
    """Make the checks of `verify` that read the content of the files."""
    wrong: list[Failure] = []
    count = 0
    for number, outcome in enumerate(verify_opened(bundle, CHECKS_OF_CONTENT), start=1):
        wrong += outcome.failures
        count += outcome.count
        work.progress(number, len(CHECKS_OF_CONTENT), "checks made")
    if wrong:
        title = "The release fails its verification. For each check, run: verify_release FILE"
        raise ReleaseRefused(_listed(title, wrong, count))


def _listed(title: str, wrong: Sequence[Failure], count: int) -> str:
    more = [f"… and {count - LISTED:,} more"] if count > LISTED else []
    return "\n".join([title, *map(str, wrong[:LISTED]), *more])


def _import(
    bundle: OpenedBundle,
    manifest: Manifest,
    slug: str,
    admin: User | None,
    texts: Path | None,
    work: JobContext,
) -> ReleaseImportReport:
    settings = read_settings(bundle)
    if settings.seconds_per_judgment <= 0:
        raise BundleError(SETTINGS, None, '"seconds_per_judgment" must be more than 0.')
    report = ReleaseImportReport(
        collection=slug,
        version=manifest.version,
        label_samples_left_out=len(manifest.label_samples),
    )
    with large_cache(), deleted_on_error() as unfinished_slug:
        with work.fenced():
            collection = _create(unfinished_slug, manifest, settings)
        context = ReleaseImportContext(slug, collection, bundle, manifest, report, work)
        import_guidelines(context)
        import_documents(context, texts)
        import_queries(context, settings.folds)
        import_pools(context, import_runs(context, settings.retired_runs))
        import_rounds(context)
        import_judgments(context)
        _finish(context, settings, admin)
    return report


def _create(slug: str, manifest: Manifest, settings: Settings) -> Collection:
    """An archived collection."""
    collection = create_collection(
        slug=slug,
        name=manifest.name,
        description=manifest.description,
        licence=manifest.licence,
        corpus_licence=manifest.corpus_licence,
        seed=manifest.seed,
        analysis=settings.analysis,
        facets=[FacetPlan(*facet) for facet in settings.facets],
        highest_grade=settings.highest_grade,
        relevant_from=settings.relevant_from,
    )
    collection.seconds_per_judgment = settings.seconds_per_judgment
    collection.agreement_rule, collection.agreement_threshold = settings.agreement_rule
    for name, value in settings.judging_rules._asdict().items():
        setattr(collection, name, value)
    collection.archived_at = timezone.now()
    collection.save(
        update_fields=[
            *("seconds_per_judgment", "agreement_rule", "agreement_threshold", "archived_at"),
            *JudgingRules._fields,
        ]
    )
    return collection


def _finish(context: ReleaseImportContext, settings: Settings, admin: User | None) -> None:
    """Show the collection, under its short name and to its admin."""
    collection = context.collection
    with context.work.fenced():
        _check_slug_is_free(context.slug)
        collection.slug, collection.archived_at = context.slug, None
        collection.save(update_fields=["slug", "archived_at"])
        if admin is not None:
            add_membership(collection=collection, user=admin, role=Role.ADMIN)
        save_answers(collection=collection, answers=settings.answers, answered_by=None)
        ReleaseImport.objects.create(
            collection=collection,
            version=context.manifest.version,
            sha256=listed_sums(context.bundle)[MANIFEST],
            first_day=settings.first_day,
            last_day=settings.last_day,
            annotators=settings.annotators,
            owner_annotators=settings.owner_annotators,
            consent=settings.consent.as_json(),
        )
        record_action(
            kind=ActionKind.COLLECTION_IMPORTED,
            collection=collection,
            details={"version": context.manifest.version},
            by=admin,
        )
        context.work.complete(asdict(context.report))
