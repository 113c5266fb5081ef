"""Files of ranked lists, judgments and vectors from the browser or the API, for jobs to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload
from pooling.retrievers import Metric
from pooling.services import DEFAULT_DEPTH, PoolingError, check_free

RUN_KIND = "import_run"
EMBEDDINGS_KIND = "import_embeddings"


class RunUnderWay(PoolingError):
    """A run of this name is being imported: a second one would replace it unseen."""

    def __init__(self, name: str, job: Job) -> None:
        self.job = job
        super().__init__(
            f"{job.parameters.get('filename', 'Another file')} is being imported as {name} just "
            "now, so nothing of yours was taken in. Wait until that is done, or choose another "
            "name; then choose your file again."
        )


def request_run_import(
    *,
    collection: Collection,
    upload: UploadedFile[Any],
    name: str,
    qrels: bool = False,
    requested_by: User | None,
) -> Job:
    """Keep the upload and have a worker import it, read as `import_run` is told to.

    Raises:
        PoolingError: the name is a built-in source's, or cannot be a run's.
        RunUnderWay: another file is being imported under this name.
    """
    return _request(RUN_KIND, collection, {"path": upload}, name, {"qrels": qrels}, requested_by)


def request_embeddings(
    *,
    collection: Collection,
    vectors: UploadedFile[Any],
    docnos: UploadedFile[Any],
    name: str,
    metric: Metric = "cosine",
    depth: int = DEFAULT_DEPTH,
    requested_by: User | None,
) -> Job:
    """Keep both files and have a worker rank by them. Raises like `request_run_import`."""
    files = {"vectors": vectors, "docnos": docnos}
    how = {"docnos_name": docnos.name, "metric": metric, "depth": depth}
    return _request(EMBEDDINGS_KIND, collection, files, name, how, requested_by)


def _request(
    kind: str,
    collection: Collection,
    files: Mapping[str, UploadedFile[Any]],
    name: str,
    how: Mapping[str, Any],
    requested_by: User | None,
) -> Job:
    check_free(collection, name)
    try:
        return enqueue_upload(
            kind=kind,
            collection=collection,
            files=files,
            parameters={"name": name, **how},
            requested_by=requested_by,
            key=f"run:{name}",
        )
    except KeyTaken as taken:
        raise RunUnderWay(name, taken.job) from taken
