"""Uploaded files of documents, topics and full texts, queued as import jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from corpus.documents.import_options import DEFAULTS, DocumentImportOptions
from corpus.formats.sources import AUTO
from corpus.services import CorpusError, facet_of_topics
from corpus.tasks import FULL_TEXTS_KIND, JOB_KIND, TOPICS_KIND
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload


class ImportUnderWay(CorpusError):
    """Another import is in progress, which could have another text for the same docno."""

    status = 409

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__(
            f"{job.parameters.get('filename', 'Another file')} is being imported, so nothing was "
            "uploaded. Wait until that import is done, then upload your files again."
        )


def request_import(
    *,
    collection: Collection,
    uploads: Sequence[UploadedFile[Any]],
    requested_by: User,
    options: DocumentImportOptions = DEFAULTS,
) -> Job:
    """Store the uploads and queue their import.

    Raises:
        ImportUnderWay: another import of this collection is in progress.
    """
    return _request(JOB_KIND, collection, uploads, options.parameters, requested_by)


def request_topics(
    *,
    collection: Collection,
    uploads: Sequence[UploadedFile[Any]],
    facet_key: str = "",
    topic_prefix: str = "",
    requested_by: User,
    dry_run: bool = False,
) -> Job:
    """Store the uploads and queue a job that makes their topics queries under the facet.

    Raises:
        CorpusError: the facet is missing or does not exist.
        ImportUnderWay: other topics of this collection are being imported.
    """
    facet = facet_of_topics(collection, facet_key)
    options: dict[str, object] = {"facet": facet.key, "topic_prefix": topic_prefix}
    options |= {"dry_run": True} if dry_run else {}
    return _request(TOPICS_KIND, collection, uploads, options, requested_by)


def request_full_texts(
    *,
    collection: Collection,
    uploads: Sequence[UploadedFile[Any]],
    format_name: str = AUTO,
    prefix: str = "",
    requested_by: User,
) -> Job:
    """Store the uploads and queue a job that attaches their full texts to documents.

    Raises:
        ImportUnderWay: other full texts of this collection are being imported.
    """
    options = {"format": format_name, "prefix": prefix}
    return _request(FULL_TEXTS_KIND, collection, uploads, options, requested_by)


def _request(
    kind: str,
    collection: Collection,
    uploads: Sequence[UploadedFile[Any]],
    options: Mapping[str, object],
    requested_by: User,
) -> Job:
    try:
        return enqueue_upload(
            kind=kind,
            collection=collection,
            files={"path": uploads},
            parameters=options,
            requested_by=requested_by,
        )
    except KeyTaken as error:
        raise ImportUnderWay(error.job) from error
