"""Importing documents: a job that writes some hundreds at a time, so that others can write meanwhile.

Each document carries the job that wrote it. A job that is run again after a kill goes on, because what it wrote is
there with the same text; one that is cancelled or fails takes back what it wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Collection, Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.formats.documents import preview_documents, read_documents
from corpus.formats.reading import BadLines
from corpus.labelling import merge_objective
from corpus.models import Document, text_digest
from corpus.uploads import discard_upload
from jobs.models import State
from jobs.work import LeaseLost, Work, job
from web.templatetags.ui import plural

BATCH = 500  # written in about 0.1 s, for which a judge on SQLite waits


def preview(path: str) -> dict[str, Any]:
    """The first rows of an upload, what became of each key, and its first bad lines."""
    with default_storage.open(path) as stored:
        return preview_documents(stored, PurePath(path).name, limit=settings.UPLOAD_MAX_BYTES)


@job("import_documents")
def import_documents(work: Work, *, files: list[str], skip: int = 0, split: bool = True) -> None:
    """Import uploads. A document that is there with the same text stays as it is; another text is a wrong line.

    The result counts added, unchanged and skipped, with the first `reasons`; `empty` have neither title nor text.
    """
    collection, bad_lines = work.collection, BadLines(skip)
    ended = collection.jobs.filter(kind="import_documents", state__in=[State.FAILED, State.CANCELLED])
    remove_unused(Document.objects.filter(collection=collection, import_job__in=ended.values("pk")))
    found = empty = 0
    labels: set[str] = set()
    try:
        documents = _read(work, files, bad_lines, split)
        while batch := list(islice(documents, BATCH)):
            with work.step():
                found += write_documents(collection, batch, bad_lines)
            for _, document in batch:
                empty += not (document.title or document.sentences)
                labels.update(document.labels)
        with work.commit() as result:
            collection = lock_collection(collection)
            if "objective" in labels:
                merge_objective(collection)
            added = collection.documents.filter(import_job=work.job_id).count()
            result |= {"added": added, "unchanged": found - added, "skipped": bad_lines.count, "empty": empty}
            result["reasons"] = bad_lines.reasons
            record(Verb.IMPORTED, collection=collection, object=plural(added, "document,documents"), by=work.by)
    except (LeaseLost, DatabaseError):
        raise  # another worker, or the next attempt, goes on
    except Exception:
        remove_unused(Document.objects.filter(import_job=work.job_id))
        raise
    for path in files:
        discard_upload(path)


def _read(work: Work, files: list[str], bad_lines: BadLines, split: bool) -> Iterator[tuple[str, Document]]:
    """The documents of all files with their places, reporting how much was read."""
    read = number = 0
    size = sum(default_storage.size(path) for path in files)
    for path in files:
        name = PurePath(path).name
        with default_storage.open(path) as stored:
            documents = read_documents(stored, name, bad_lines=bad_lines, limit=settings.UPLOAD_MAX_BYTES, split=split)
            for place, values in documents:
                number += 1
                if number % 100 == 0:
                    work.progress((read + stored.tell()) // 1000, size // 1000, f"{number:,} documents; kB read:")
                digest = text_digest(values["title"], values["sentences"])
                more = {"collection": work.collection, "text_digest": digest, "import_job": work.job_id}
                yield place, Document(**values, **more)
        read += default_storage.size(path)


def write_documents(collection: Collection, batch: list[tuple[str, Document]], bad_lines: BadLines) -> int:
    """Add those that are not there yet. Returns how many are there now with the text of the batch."""
    lock_collection(collection)
    docnos = [document.docno for _, document in batch]
    known = collection.documents.filter(docno__in=docnos).only("docno", "text_digest", "labels")
    there = {document.docno: document for document in known}
    new, clashes = [], 0
    for place, document in batch:
        if document.docno not in there:
            there[document.docno] = document
            new.append(document)
        elif there[document.docno].text_digest != document.text_digest:
            clashes += 1
            bad_lines.add(place, f"document {document} is there already with another text. Texts are never changed.")
        elif document.labels and there[document.docno].labels != document.labels:
            clashes += 1
            bad_lines.add(place, f"document {document} is there already with other labels. Change them on its page.")
    Document.objects.bulk_create(new)
    return len(batch) - clashes


def remove_unused(documents: QuerySet[Document]) -> None:
    """Delete documents, except those that are a query paper or pooled by now."""
    for relation in Document._meta.related_objects:
        using = relation.related_model._default_manager.filter(**{relation.field.name: OuterRef("pk")})
        documents = documents.exclude(Exists(using))
    while keys := list(documents.values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            Document.objects.filter(pk__in=keys).delete()
