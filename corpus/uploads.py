"""Files that people upload, kept from their preview until they are imported, in any storage."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts.models import Collection
from web.errors import NotFound

KEPT_DAYS = 7  # an upload that nobody imported
LONGEST_NAME = 200  # bytes of a file's name; file systems hold 255


def keep_upload(collection: Collection, file: File[Any], name: str = "") -> str:
    """Store the file; the upload's id comes back."""
    _remove_old()
    upload = f"{collection.pk}-{uuid.uuid4()}"
    short = str(name or file.name).encode()[-LONGEST_NAME:].decode(errors="ignore")  # its end tells the format
    default_storage.save(f"uploads/{upload}/{short}", file)
    return upload


def find_upload(collection: Collection, upload: str) -> str:
    """Where the file is in the storage: "uploads/<upload>/<name>"."""
    number, _, token = upload.partition("-")
    try:
        if number == str(collection.pk):
            folder = f"uploads/{number}-{uuid.UUID(token)}"
            return f"{folder}/{default_storage.listdir(folder)[1][0]}"
    except (ValueError, OSError, IndexError):
        pass
    raise NotFound("This upload is not here any more. Upload the file again.")


def discard_upload(path: str) -> None:
    default_storage.delete(path)
    default_storage.delete(path.rpartition("/")[0])  # its folder, where the storage has folders


def _remove_old() -> None:
    try:
        folders, _ = default_storage.listdir("uploads")
    except FileNotFoundError:
        return
    for folder in folders:
        for name in default_storage.listdir(f"uploads/{folder}")[1]:
            path = f"uploads/{folder}/{name}"
            if default_storage.get_modified_time(path) < timezone.now() - timedelta(days=KEPT_DAYS):
                discard_upload(path)
