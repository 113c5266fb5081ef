"""Everything about a person in one zip, for the person."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any, ClassVar, NamedTuple

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import FileResponse
from django.utils.translation import gettext, gettext_noop

from accounts.actions.kinds import ActionKind
from accounts.actions.reading import blind_collections
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.models import GivenRole, User
from accounts.personal_data.registry import PersonalRows, personal_rows
from accounts.services import AccountError
from database.consistent_reads import consistent_read
from web.program import command_text

CHUNK = 2_000  # rows that are read together
README = "README.txt"
BEGINNING = gettext_noop("""\
Everything that this server has about {username}.

Each file has a line for each row, as JSON (JSON Lines). A file is missing if it would be empty.
Passwords, secrets and tokens are not here: the server stores only digests of them, or encrypts
them. Judgments name a candidate by its title, as the pages do.
""")
LEFT_OUT = gettext_noop("""\
This copy was made by another person. Answers that only {username} may read now are left out:
judgments of pairs with one judgment, and answers in rounds and studies that are not closed.
""")


class NotForYou(AccountError):
    status: ClassVar[int] = 409

    def __init__(self) -> None:
        super().__init__(
            "You judge, adjudicate or curate in a collection of this person, so you must not see "
            "what the person did there. Ask another person who runs this server, or use "
            f"{command_text('export_person')} and {command_text('erase_person')}."
        )


class StoredRows(NamedTuple):
    """Rows of the registry, and how many of them there are about a person."""

    rows: PersonalRows
    number: int

    @property
    def about(self) -> str:
        """The sentence about the rows, in the language that is active."""
        return gettext(self.rows.about)


def stored_about(person: User) -> list[StoredRows]:
    counted = (StoredRows(rows, rows.of(person).count()) for rows in personal_rows())
    return [each for each in counted if each.number]


def check_may_see(*, asked_by: User, person: User) -> None:
    """Raise NotForYou if the data would tell `asked_by` who else works where he or she judges."""
    if asked_by.pk == person.pk:
        return
    if GivenRole.objects.filter(user=person, collection__in=blind_collections(asked_by)).exists():
        raise NotForYou


def export_person(*, person: User, file: IO[bytes], for_the_person: bool) -> None:
    """Write the zip. Without `for_the_person`, it lacks what only the person may read now."""
    with consistent_read(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(README, _readme(person, for_the_person))
        for rows in personal_rows():
            found = rows.of(person)
            if rows.private is not None and not for_the_person:
                found = found.exclude(rows.private)
            _write(archive, rows, found)
    with transaction.atomic():
        record_action(kind=ActionKind.PERSON_EXPORTED, subject=about_person(person))


def zip_of(person: User, *, for_the_person: bool) -> FileResponse:
    """The export as a download, for the pages and the API."""
    file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115  (the response closes it)
    export_person(person=person, file=file, for_the_person=for_the_person)
    file.seek(0)
    name = f"{person.username}-data.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def _readme(person: User, for_the_person: bool) -> str:
    parts = [gettext(BEGINNING), "" if for_the_person else gettext(LEFT_OUT)]
    files = "".join(f"{rows.file}\n    {gettext(rows.about)}\n" for rows in personal_rows())
    return "\n".join(part.format(username=person.username) for part in parts if part) + f"\n{files}"


def _write(archive: zipfile.ZipFile, rows: PersonalRows, found: QuerySet[Any]) -> None:
    lines = _lines(rows, found)
    first = next(lines, None)
    if first is None:
        return
    with archive.open(rows.file, "w", force_zip64=True) as member:
        member.write(first)
        member.writelines(lines)


def _lines(rows: PersonalRows, found: QuerySet[Any]) -> Iterator[bytes]:
    names, paths = list(rows.columns), [F(path) for path in rows.columns.values()]
    for values in found.values_list(*paths).iterator(chunk_size=CHUNK):
        row = dict(zip(names, values, strict=True))
        yield f"{json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)}\n".encode()
