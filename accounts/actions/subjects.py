"""The subject of an action: a person, or a row by its id."""

from __future__ import annotations

from typing import NamedTuple

from accounts.actions.kinds import SubjectKind
from accounts.models import User

LONGEST_LABEL = 160


class Subject(NamedTuple):
    """A row that an action was about. `label` is its id for people, such as a query's name.

    It has no text of a document and no name of a person: `person` refers to the account.
    """

    kind: SubjectKind = SubjectKind.NONE
    id: str = ""
    label: str = ""
    person: User | None = None


NOTHING = Subject()


def about(kind: SubjectKind, key: object = "", label: str = "") -> Subject:
    return Subject(kind, str(key), label[:LONGEST_LABEL])


def about_person(person: User) -> Subject:
    return Subject(SubjectKind.PERSON, str(person.pk), "", person)
