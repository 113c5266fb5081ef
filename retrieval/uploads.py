"""Stores uploaded run files, qrels and vectors, and starts the jobs that import them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload
from retrieval.errors import RetrievalError
from retrieval.retrievers import Metric
from retrieval.services import DEFAULT_DEPTH, check_free

RUN_KIND = "import_run"
EMBEDDINGS_KIND = "import_embeddings"


class RunUnderWay(RetrievalError):
    """A run of this name is being imported; a second import would replace it without notice."""

    def __init__(self, name: str, job: Job) -> None:
        self.job = job
        super().__init__(
            f"{job.parameters.get('filename', 'Another file')} is being imported as {name}, so "
            "your file was not imported. Wait until that import is done, or choose another name. "
            "Then choose your file again."
        )


def request_run_import(
    *,
    collection: Collection,
    upload: UploadedFile[Any],
    name: str,
    qrels: bool = False,
    requested_by: User | None,
) -> Job:
    """Store the upload and start a job that imports it with `import_run`.

    Raises:
        RetrievalError: the name belongs to a built-in source, or is invalid.
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
    """Store both files and start a job that ranks by them. Raises like `request_run_import`."""
    files = {"vectors": vectors, "docnos": docnos}
    parameters = {"docnos_name": docnos.name, "metric": metric, "depth": depth}
    return _request(EMBEDDINGS_KIND, collection, files, name, parameters, requested_by)


def _request(
    kind: str,
    collection: Collection,
    files: Mapping[str, UploadedFile[Any]],
    name: str,
    parameters: Mapping[str, Any],
    requested_by: User | None,
) -> Job:
    check_free(collection, name)
    try:
        return enqueue_upload(
            kind=kind,
            collection=collection,
            files=files,
            parameters={"name": name, **parameters},
            requested_by=requested_by,
            key=f"run:{name}",
        )
    except KeyTaken as error:
        raise RunUnderWay(name, error.job) from error
