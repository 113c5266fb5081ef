"""The service that makes a collection from a release."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from django.db import DataError, IntegrityError

from accounts.models import Collection, User
from corpus.facets import FacetError, FacetPlan
from corpus.formats import DocumentFormatError
from corpus.services import CorpusError, create_collection
from corpus.sources import SourceError
from jobs.context import DirectRun, JobContext
from pooling.errors import PoolingError
from release.bundle_reading import (
    DOCUMENTS,
    MANIFEST,
    SETTINGS,
    Manifest,
    read_manifest,
    read_settings,
)
from release.datasheets.services import AnswerRefused, save_answers
from release.importing.context import ImportContext, ImportReport, ReleaseRefused
from release.importing.documents import import_documents, import_history
from release.importing.judgments import import_judgments
from release.importing.models import ReleaseImport
from release.importing.pools import import_pools, import_runs
from release.importing.queries import import_guidelines, import_queries
from release.opened_bundle import BundleError, OpenedBundle, open_bundle
from release.verification.sums import listed_sums, wrong_files, wrong_sums

LISTED = 20  # wrong files


def import_release(
    *,
    path: Path,
    slug: str = "",
    admin: User | None = None,
    texts: Path | None = None,
    work: JobContext | None = None,
) -> ImportReport:
    """Make the collection of a release again, under its own short name or another.

    `path` is the zip or the unpacked folder, and `texts` a file with the documents of a release
    without texts. `admin` gets that role. People become accounts that can never log in. Everything
    is written in one transaction, so after an error, a cancellation or a kill there is nothing.

    Raises:
        ReleaseRefused: the file is no release, is damaged or contradicts itself, the short name is
            in use, or texts are missing.
    """
    work = work or DirectRun()
    try:
        with open_bundle(path) as bundle:
            manifest = read_manifest(bundle)
            _check_slug_is_free(slug or manifest.slug)
            _check_texts(manifest, texts)
            _check_files(bundle, work)
            return _import(bundle, manifest, slug or manifest.slug, admin, texts, work)
    except (BundleError, CorpusError, FacetError, DocumentFormatError, SourceError) as error:
        raise ReleaseRefused(str(error)) from error
    except (PoolingError, AnswerRefused) as error:
        raise ReleaseRefused(str(error)) from error
    except (IntegrityError, DataError) as error:
        raise ReleaseRefused(
            f"The release breaks a rule of the database: {str(error).splitlines()[0]}. Find the "
            "place with: manage.py verify_release FILE"
        ) from error


def _check_slug_is_free(slug: str) -> None:
    if Collection.objects.filter(slug=slug).exists():
        raise ReleaseRefused(
            f"The short name {slug!r} exists already. Choose another one with --slug."
        )


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
        more = f"\n… and {len(wrong) - LISTED:,} more" if len(wrong) > LISTED else ""
        raise ReleaseRefused(
            "The release is damaged.\n" + "\n".join(map(str, wrong[:LISTED])) + more
        )


def _import(
    bundle: OpenedBundle,
    manifest: Manifest,
    slug: str,
    admin: User | None,
    texts: Path | None,
    work: JobContext,
) -> ImportReport:
    settings = read_settings(bundle)
    report = ImportReport(collection=slug, version=manifest.version)
    with work.fenced():
        collection = create_collection(
            slug=slug,
            name=manifest.name,
            owner=admin,
            description=manifest.description,
            licence=manifest.licence,
            corpus_licence=manifest.corpus_licence,
            seed=manifest.seed,
            analysis=settings.analysis,
            facets=[FacetPlan(*facet) for facet in settings.facets],
            highest_grade=settings.highest_grade,
            relevant_from=settings.relevant_from,
        )
        if settings.seconds_per_judgment <= 0:
            raise BundleError(SETTINGS, None, '"seconds_per_judgment" must be more than 0.')
        collection.seconds_per_judgment = settings.seconds_per_judgment
        collection.save(update_fields=["seconds_per_judgment"])
        context = ImportContext(collection, bundle, manifest, report, work)
        import_guidelines(context)
        import_documents(context, texts)
        import_history(context)
        import_queries(context)
        import_pools(context, import_runs(context, settings.retired_runs))
        import_judgments(context)
        save_answers(collection=collection, answers=settings.answers, answered_by=None)
        ReleaseImport.objects.create(
            collection=collection,
            version=manifest.version,
            sha256=listed_sums(bundle)[MANIFEST],
            first_day=settings.first_day,
            last_day=settings.last_day,
            annotators=settings.annotators,
        )
        work.complete(asdict(report))
    return report
