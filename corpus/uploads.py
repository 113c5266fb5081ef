"""Files of documents and topics from the browser or the API, for jobs to read."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from corpus.services import CorpusError, facet_named
from corpus.sources import AUTO
from corpus.tasks import JOB_KIND, TOPICS_KIND
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload


class ImportUnderWay(CorpusError):
    """One import at a time: two could bring different texts for one docno."""

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__(
            f"{job.parameters.get('filename', 'Another file')} is being imported just now, so "
            "nothing of yours was taken in. Wait until that is done, then choose your file again."
        )


def request_import(
    *,
    collection: Collection,
    upload: UploadedFile[Any],
    requested_by: User,
    format_name: str = AUTO,
    filter_name: str = "",
    skip_bad: int = 0,
) -> Job:
    """Keep the upload and have a worker import it, read as `import_documents` is told to.

    Raises:
        ImportUnderWay: another import of this collection is not done yet.
    """
    how = {"format": format_name, "filter": filter_name, "skip_bad": skip_bad}
    return _request(JOB_KIND, collection, upload, how, requested_by)


def request_topics(
    *,
    collection: Collection,
    upload: UploadedFile[Any],
    facet_key: str,
    prefix: str = "",
    requested_by: User,
) -> Job:
    """Keep the upload and have a worker make its topics queries under the facet.

    Raises:
        CorpusError: there is no such facet.
        ImportUnderWay: other topics of this collection are being imported.
    """
    facet = facet_named(collection, facet_key)
    how = {"facet": facet.key, "prefix": prefix}
    return _request(TOPICS_KIND, collection, upload, how, requested_by)


def _request(
    kind: str,
    collection: Collection,
    upload: UploadedFile[Any],
    how: dict[str, Any],
    requested_by: User,
) -> Job:
    try:
        return enqueue_upload(
            kind=kind,
            collection=collection,
            files={"path": upload},
            parameters=how,
            requested_by=requested_by,
        )
    except KeyTaken as taken:
        raise ImportUnderWay(taken.job) from taken
