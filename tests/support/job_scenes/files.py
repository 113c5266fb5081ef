"""Small uploaded files for jobs that read them."""

from __future__ import annotations

import io
import json

import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User


def admin() -> User:
    return User.objects.get(username="admin")


def jsonl(*records: dict) -> SimpleUploadedFile:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    return SimpleUploadedFile("records.jsonl", lines.encode())


def array(rows: list[list[float]]) -> SimpleUploadedFile:
    stream = io.BytesIO()
    np.save(stream, np.array(rows, np.float32))
    return SimpleUploadedFile("vectors.npy", stream.getvalue())


def text(*lines: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("lines.txt", "".join(f"{line}\n" for line in lines).encode())
