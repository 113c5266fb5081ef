"""Stores uploaded files of a system and starts the job that imports them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload
from scoring.systems.services import SystemFault, check_name

IMPORT_KIND = "import_system"


class SystemUnderWay(SystemFault):
    """A system of this name is being imported; a second import would replace it unnoticed."""

    def __init__(self, name: str, job: Job) -> None:
        self.job = job
        super().__init__(
            f"Another import of {name} is in progress, so nothing was uploaded. Wait until it is "
            "done, or choose another name. Then choose your files again."
        )


def request_system_import(
    *,
    collection: Collection,
    name: str,
    files: Sequence[UploadedFile[Any]],
    repetition_of: str = "",
    requested_by: User | None,
) -> Job:
    """Store the files of one system and start the job that imports it.

    Raises:
        SystemFault: the name is invalid.
        SystemUnderWay: another import under this name is in progress.
        NoRoom: the disk is full or read-only.
    """
    check_name(name)
    if repetition_of:
        check_name(repetition_of)
    try:
        return enqueue_upload(
            kind=IMPORT_KIND,
            collection=collection,
            files={"path": list(files)},
            parameters={"name": name, "repetition_of": repetition_of},
            requested_by=requested_by,
            key=f"system:{name}",
        )
    except KeyTaken as error:
        raise SystemUnderWay(name, error.job) from error
