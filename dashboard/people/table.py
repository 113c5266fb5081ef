"""The members of a collection as a table: filters and columns."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import Membership, Role, User
from corpus.models import Query
from dashboard.board.completion import Completion
from dashboard.board.query_table import QUERY_COLUMNS
from dashboard.board.rows import OpenRow
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice, Test


class MemberRow(NamedTuple):
    """A person in a role. `done` counts judgments or decisions; `total` is None if unknown.

    `qualified` is None where the role needs no qualification.
    """

    membership: Membership
    done: int
    total: int | None
    qualified: bool | None = None

    @property
    def person(self) -> User:
        return self.membership.user

    @property
    def text(self) -> str:
        return f"{self.person.shown_name} {self.person.username}"


def _yes_or_no(member: MemberRow) -> str | None:
    return None if member.qualified is None else "yes" if member.qualified else "no"


PEOPLE: Table[MemberRow] = Table(
    "people",
    [
        Column(
            "name",
            "Name",
            {
                "name": lambda member: member.person.shown_name,
                "username": lambda member: member.person.username,
                "role": lambda member: member.membership.role,
            },
        ),
        Column(
            "login",
            "Last login",
            {"last_login": lambda m: m.person.last_login and m.person.last_login.isoformat()},
        ),
        Column(
            "work",
            "Work",
            {"done": lambda member: member.done, "assigned": lambda member: member.total},
        ),
        Column("qualified", "Qualified", {"qualified": _yes_or_no}),
    ],
)


def _in_role(role: Role) -> FilterChoice[Test[MemberRow]]:
    return FilterChoice(role, f"{role.label}s", lambda member: member.membership.role == role)


PEOPLE_FILTERS = [Filter("role", "Role", [_in_role(role) for role in Role])]


class PersonQueryRow(NamedTuple):
    """An open query of a person, with the number of his or her own judged slots."""

    row: OpenRow
    judged: Completion
    person: User

    @property
    def query(self) -> Query:
        return self.row.query

    @property
    def co_judges(self) -> list[User]:
        """Two after the person's seat was handed over."""
        annotators = (seat.annotator for seat in self.row.seats)
        return [annotator for annotator in annotators if annotator != self.person]


PERSON_QUERIES: Table[PersonQueryRow] = Table(
    "person-queries",
    [
        *QUERY_COLUMNS,
        Column(
            "judged",
            "Judged",
            {"judged": lambda row: row.judged.done, "assigned": lambda row: row.judged.total},
        ),
        Column(
            "co-judge",
            "Co-judge",
            {"co_judges": lambda row: ", ".join(user.shown_name for user in row.co_judges)},
        ),
        Column(
            "both",
            "Both",
            {
                "pairs_with_both_judgments": lambda row: row.row.both.done,
                "pairs": lambda row: row.row.both.total,
            },
        ),
        Column(
            "last",
            "Last judged",
            {
                "last_judged": lambda row: (
                    row.row.risk.last_judged and row.row.risk.last_judged.isoformat()
                )
            },
        ),
    ],
)
