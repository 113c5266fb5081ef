"""The context that the parts of an import share, its report, and its refusal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Generic, TypeVar

from django.db import connection
from django.utils import timezone

from accounts.models import Collection, User
from accounts.services import AccountError, add_membership, imported_person, imported_username
from bundle.interchange import InterchangedQuery
from bundle.reading.manifest import Manifest
from bundle.reading.opened import BundleError, OpenedBundle
from corpus.models import Query, QueryPaper
from jobs.context import JobContext
from web.errors import UserFacingError

Record = TypeVar("Record")
PAUSE_SECONDS = 0.002  # on SQLite, where a waiting writer looks again within 1.5 ms (ADR 20)


class ReleaseRefused(UserFacingError):
    """The release cannot be imported as asked. Nothing was imported."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Nothing was imported. {reason}")


@dataclass
class ReleaseImportReport:
    """The contents of the collection after an import.

    `changed_texts` counts the judged pairs that show another text than the one that was judged.
    `runs_left_out` are in the manifest, but without a file, because no pool was drawn from them.
    `label_samples_left_out` were judged in another collection.
    """

    collection: str
    version: str
    documents: int = 0
    query_papers: int = 0
    queries: int = 0
    opened: int = 0
    runs: int = 0
    runs_left_out: int = 0
    label_samples_left_out: int = 0
    pools: int = 0
    candidates: int = 0
    rounds: int = 0
    pairs: int = 0
    judgments: int = 0
    decisions: int = 0
    people: int = 0
    changed_texts: int = 0


@dataclass
class ReleaseImportContext:
    """An import. `slug` is the short name that the collection gets at the end."""

    slug: str
    collection: Collection
    bundle: OpenedBundle
    manifest: Manifest
    report: ReleaseImportReport
    work: JobContext
    papers: dict[str, QueryPaper] = field(default_factory=dict)  # by name
    # The release's facts about each open query, and its row, by name.
    opened: dict[str, tuple[InterchangedQuery, Query]] = field(default_factory=dict)
    _people: dict[tuple[str, str], User] = field(default_factory=dict)

    @contextmanager
    def part(self) -> Iterator[None]:
        """A short transaction. The collection is archived outside of it, as long as it grows."""
        own = Collection.objects.filter(pk=self.collection.pk)
        with self.work.fenced():
            own.update(archived_at=None)
            yield
            own.update(archived_at=timezone.now())
        if connection.vendor == "sqlite" and not connection.in_atomic_block:
            time.sleep(PAUSE_SECONDS)

    def person(self, pseudonym: str, role: str) -> User:
        """The account of a pseudonym, which can never log in, with the role."""
        known = self._people.get((pseudonym, role))
        if known is not None:
            return known
        username = imported_username(self.slug, pseudonym)
        try:
            person = imported_person(username=username, name=pseudonym)
            add_membership(collection=self.collection, user=person, role=role)
        except AccountError as error:
            raise ReleaseRefused(str(error)) from error
        self._people[pseudonym, role] = person
        self.report.people = len({pseudonym for pseudonym, _ in self._people})
        return person


def in_parts(
    items: Iterable[Record], size_of: Callable[[Record], int], at_once: int
) -> Iterator[list[Record]]:
    """The items in lists, each of which ends when its items have this size together."""
    part: list[Record] = []
    size = 0
    for item in items:
        part.append(item)
        size += size_of(item)
        if size >= at_once:
            yield part
            part, size = [], 0
    if part:
        yield part


class Groups(Generic[Record]):
    """Records of a sorted file, with those of one query in memory at a time."""

    def __init__(
        self,
        file: str,
        records: Iterable[tuple[int, Record]],
        name_of: Callable[[Record], str],
    ) -> None:
        self._file = file
        self._groups: Iterator[tuple[str, Iterable[tuple[int, Record]]]] = groupby(
            records, lambda row: name_of(row[1])
        )
        self._next: tuple[str, list[tuple[int, Record]]] | None = None
        self._read()

    def _read(self) -> None:
        name, rows = next(self._groups, ("", ()))
        self._next = (name, list(rows)) if name else None

    def of(self, name: str) -> list[tuple[int, Record]]:
        """The records of a name, with their lines. The names are asked for in their order.

        Raises:
            BundleError: the file has records of a name that was not asked for, or is not sorted.
        """
        if self._next is None or self._next[0] > name:
            return []
        found, rows = self._next
        if found != name:
            raise self._unexpected(found, rows)
        self._read()
        return rows

    def check_end(self) -> None:
        """Raise BundleError if there are records of a name that was not asked for."""
        if self._next is not None:
            raise self._unexpected(*self._next)

    def _unexpected(self, name: str, rows: list[tuple[int, Record]]) -> BundleError:
        return BundleError(
            self._file,
            rows[0][0],
            f"{name[:100]!r} is not expected here: it is unknown, is not open, or the file is not "
            "sorted.",
        )
