"""Stores uploaded run files, qrels and vectors, and starts the jobs that import them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from jobs.models import Job
from jobs.uploads import KeyTaken, Upload, enqueue_uploads
from retrieval.errors import RetrievalError
from retrieval.retrievers import Metric
from retrieval.services import DEFAULT_DEPTH, RunOptions, check_names

RUN_KIND = "import_run"
EMBEDDINGS_KIND = "import_embeddings"


class RunUnderWay(RetrievalError):
    """A run of this name is being imported; a second import would replace it without notice."""

    def __init__(self, job: Job) -> None:
        self.job = job
        name = job.key.removeprefix("run:")
        super().__init__(
            f"{job.parameters.get('filename', 'Another file')} is being imported as {name}, so "
            "nothing was uploaded. Wait until that import is done, or choose another name. "
            "Then choose your files again."
        )


def request_run_imports(
    *,
    collection: Collection,
    files: Sequence[tuple[str, UploadedFile[Any]]],
    options: RunOptions,
    requested_by: User | None,
    dry_run: bool = False,
) -> list[Job]:
    """Store the files, each with the name of its run, and start a job for each, or for none.

    Raises:
        RetrievalError: a name belongs to a built-in source, is invalid, or is that of two files.
        RunUnderWay: another file is being imported under one of the names.
    """
    parameters = {**options._asdict(), **({"dry_run": True} if dry_run else {})}
    check_names(collection, [name for name, _ in files])
    uploads = [_upload(name, {"path": upload}, parameters) for name, upload in files]
    return _request(RUN_KIND, collection, uploads, requested_by)


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
    """Store both files and start a job that ranks by them. Raises like `request_run_imports`."""
    files = {"vectors": vectors, "docnos": docnos}
    parameters = {"docnos_name": docnos.name, "metric": metric, "depth": depth}
    check_names(collection, [name])
    upload = _upload(name, files, parameters)
    (job,) = _request(EMBEDDINGS_KIND, collection, [upload], requested_by)
    return job


def _upload(
    name: str, files: Mapping[str, UploadedFile[Any]], parameters: Mapping[str, Any]
) -> Upload:
    return Upload(files, {"name": name, **parameters}, key=f"run:{name}")


def _request(
    kind: str, collection: Collection, uploads: Sequence[Upload], requested_by: User | None
) -> list[Job]:
    try:
        return enqueue_uploads(
            kind=kind, collection=collection, uploads=uploads, requested_by=requested_by
        )
    except KeyTaken as error:
        raise RunUnderWay(error.job) from error
