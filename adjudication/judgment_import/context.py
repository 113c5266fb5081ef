"""The options, the report and the problems of one import of judgments."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from accounts.models import Collection, User
from adjudication.judgment_import.files import Answered, FieldNames
from jobs.context import JobContext
from web.errors import UserFacingError
from web.words import count_noun, listed_lines

LISTED = 100  # problems
NAMED = 20  # ids of a kind


class JudgmentsRefused(UserFacingError):
    """The files are invalid and were not imported. The message lists every problem and place."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            f"Nothing was imported. {count_noun(len(problems), 'problem')}:\n"
            + listed_lines(problems, LISTED)
        )


@dataclass(frozen=True)
class ImportOptions(FieldNames):
    """Options for reading and using the files. A job and the API have the same names.

    `second_annotator` gets the empty seat of queries that one person judged. With
    `replace_drafts`, a draft pool that lacks a judged document gives way to an imported pool.
    A `dry_run` checks and counts everything, and changes nothing.
    """

    second_annotator: str = ""
    replace_drafts: bool = False
    dry_run: bool = False

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ImportOptions:
        """From values by name, among others."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})


@dataclass
class JudgmentImportReport:
    """The result of an import. `taken_over` counts unjudged pairs that a person here had."""

    dry_run: bool
    judgments: int = 0
    judgments_unchanged: int = 0
    decisions: int = 0
    decisions_unchanged: int = 0
    agreed: int = 0
    skipped: int = 0
    people: int = 0
    queries_opened: int = 0
    pools_imported: int = 0
    taken_over: int = 0


@dataclass
class JudgmentImportContext:
    """An import in its transaction. Problems are collected, so that all are reported at once."""

    collection: Collection
    options: ImportOptions
    imported_by: User | None
    work: JobContext
    report: JudgmentImportReport
    problems: list[str] = field(default_factory=list)
    secret: set[tuple[str, str]] = field(default_factory=set)
    """Query and docno of the pairs that had one judgment, made here, before the import."""

    def add_problem(self, record: Answered, reason: str) -> None:
        self.problems.append(f"{record.place}: {reason}")

    def stop_at_problems(self) -> None:
        """Raises JudgmentsRefused if there are problems."""
        if self.problems:
            raise JudgmentsRefused(self.problems)

    def key(self, *parts: str) -> uuid.UUID:
        """A key that is equal in every import of the same judgment, and otherwise unique."""
        name = "|".join(("imported", self.collection.slug, *parts))
        return uuid.uuid5(uuid.NAMESPACE_URL, name)


def answer_of(record: Answered) -> tuple[int | None, str]:
    return record.grade, record.reason
