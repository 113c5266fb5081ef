"""Everything of an archived collection as one zip, streamed. docs/adr/0028-archive-and-delete.md.

The same rows and files give the same bytes. Entries are stored, as in a release (ADR 3).
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, ForeignKey, Model, OuterRef, Q, QuerySet

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.models import Collection, User
from annotation.models import Judgment, RepeatJudgment, Slot
from bundle.zip.writing import zip_entry
from dashboard.settings.archiving import check_archived, note_export
from dashboard.settings.collection_tables import exported_tables
from dashboard.settings.deletion import files_of
from web.stored_files import local_copy

FORMAT_VERSION = 1
# Left out: a download changes these, so each would differ from the one before.
OF_DOWNLOADS = {"exported_at", "exported_rows"}
CHUNK = 1 << 16  # bytes of a file that are read together
ROWS = 1_000  # that are read together
README = """\
Everything that Qrelsmith stored of the collection {slug}.

rows/      Every row of every table as JSON Lines, by id. A name that ends in _id refers to another
           table. rows/accounts.user.jsonl names the people; it has no passwords.
releases/  The published versions, as they were published.
files.jsonl  The other files with their SHA-256. They are not here: indexes can be built again, and
           uploaded files and vectors are copies of what was uploaded.
manifest.json  How many rows each table has.

{hidden} judgments are left out, because their pairs have only one judgment. Judging is blind until
both are there. So are {hidden_repeats} judgments of hidden repeats of such pairs.
"""


class _Sink:
    """The bytes of the zip, until they are sent."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []

    def write(self, content: bytes, /) -> int:
        self._chunks.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        """Called by `zipfile`."""

    close = flush

    def pop(self) -> bytes:
        content = b"".join(self._chunks)
        self._chunks.clear()
        return content


def export_collection(collection: Collection) -> Iterator[bytes]:
    """The zip in chunks. Once the last one was taken, the collection counts as exported.

    Raises:
        NotArchived: its rows could change while they are read.
    """
    collection.refresh_from_db()
    check_archived(collection)
    with transaction.atomic():
        # At its beginning: a download that is broken off has told most of it, too.
        record_action(kind=ActionKind.COLLECTION_EXPORTED, collection=collection)
    return _written(collection)


def _written(collection: Collection) -> Iterator[bytes]:
    sink = _Sink()
    counts: dict[str, int] = {}
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name, content in _files(collection, counts):
            with archive.open(zip_entry(name), "w", force_zip64=True) as member:
                for chunk in content:
                    member.write(chunk)
                    yield sink.pop()
    yield sink.pop()
    note_export(collection=collection, rows=counts)


def _files(
    collection: Collection, row_counts: dict[str, int]
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Each file's name and content; on the way, the rows that were read are counted."""
    judgments = Judgment.objects.filter(slot__pair__query__collection=collection)
    hidden = judgments.filter(~_with_other_judgment()).count()
    of_repeats = RepeatJudgment.objects.filter(repeat__query__collection=collection)
    hidden_repeats = of_repeats.filter(~_with_other_judgment("repeat__slot")).count()
    readme = README.format(slug=collection.slug, hidden=hidden, hidden_repeats=hidden_repeats)
    yield "README.txt", iter([readme.encode()])
    counts: dict[str, int] = {}
    people: set[int] = set()
    for table in exported_tables():
        rows = table.rows(collection.pk)
        if table.model is Judgment:
            rows = rows.filter(_with_other_judgment())
        if table.model is RepeatJudgment:
            rows = rows.filter(_with_other_judgment("repeat__slot"))
        yield f"rows/{table.name}.jsonl", _lines(table.model, rows, counts, people)
    row_counts |= counts
    row_counts[Judgment._meta.label_lower] += hidden
    row_counts[RepeatJudgment._meta.label_lower] += hidden_repeats
    users = User.objects.filter(pk__in=people)
    yield "rows/accounts.user.jsonl", _people(users, counts)
    releases = Path(settings.RELEASE_DIR, collection.slug)
    others = []
    for path, *_ in files_of(collection):
        if path.parent == releases and path.suffix == ".zip" and path.name[0] != ".":
            yield f"releases/{path.name}", _content(path)
        else:
            others.append(path)
    yield "files.jsonl", (_file_line(path) for path in others)
    manifest = {
        "format_version": FORMAT_VERSION,
        "collection": collection.slug,
        "software_version": settings.SOFTWARE_VERSION,
        "rows": counts,
        "judgments_left_out": hidden,
        "judgments_of_repeats_left_out": hidden_repeats,
    }
    yield "manifest.json", iter([_json(manifest)])


def _with_other_judgment(slot: str = "slot") -> Exists:
    """A condition: the pair's other slot is judged. Before, only its author may see a judgment.

    `slot` is the lookup of the judgment's own slot.

    EXISTS, because NOT IN over half a million ids would be quadratic on PostgreSQL.
    """
    others = Slot.objects.judged().filter(
        ~Q(number=OuterRef(f"{slot}__number")), pair=OuterRef(f"{slot}__pair")
    )
    return Exists(others)


def _lines(
    model: type[Model], rows: QuerySet[Model], counts: dict[str, int], people: set[int]
) -> Iterator[bytes]:
    """The rows by id; on the way, the number of rows and the ids of people are noted."""
    names = [
        field.attname for field in model._meta.concrete_fields if field.name not in OF_DOWNLOADS
    ]
    of_people = [
        field.attname
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey) and field.related_model is User
    ]
    label = model._meta.label_lower
    counts[label] = 0
    for row in rows.order_by("pk").values(*names).iterator(chunk_size=ROWS):
        counts[label] += 1
        people.update(row[name] for name in of_people if row[name] is not None)
        yield _json(row)


def _people(users: QuerySet[User], counts: dict[str, int]) -> Iterator[bytes]:
    counts["accounts.user"] = 0
    for user in users.order_by("pk"):
        counts["accounts.user"] += 1
        yield _json({"id": user.pk, "username": user.username, "name": user.get_full_name()})


def _content(path: Path) -> Iterator[bytes]:
    with local_copy(path) as copy, copy.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _file_line(path: Path) -> bytes:
    with local_copy(path) as copy, copy.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
    name = path.relative_to(settings.DATA_DIR).as_posix()
    return _json({"path": name, "size": size, "sha256": digest})


def _json(value: object) -> bytes:
    """A line of JSON with sorted keys: PostgreSQL does not keep the order of keys."""
    return f"{json.dumps(value, default=_plain, ensure_ascii=False, sort_keys=True)}\n".encode()


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    raise TypeError(f"{type(value)} has no form in JSON")
