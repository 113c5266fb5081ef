"""Uploaded files of judgments, queued as import jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from adjudication.judgment_import import ImportOptions
from corpus.uploads import ImportUnderWay
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload

JUDGMENTS_KIND = "import_judgments"


class JudgmentsUnderWay(ImportUnderWay):
    """Another import of judgments is in progress, which could fill the same slots."""


def request_judgments(
    *,
    collection: Collection,
    uploads: Sequence[UploadedFile[Any]],
    options: ImportOptions,
    requested_by: User,
) -> Job:
    """Store the files and queue their import.

    Raises:
        JudgmentsUnderWay: other judgments of this collection are being imported.
    """
    try:
        return enqueue_upload(
            kind=JUDGMENTS_KIND,
            collection=collection,
            files={"path": uploads},
            parameters=asdict(options),
            requested_by=requested_by,
        )
    except KeyTaken as error:
        raise JudgmentsUnderWay(error.job) from error
