"""The members of a collection as a table: filters and columns."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import Membership, Role, User
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice, Test


class MemberRow(NamedTuple):
    """A person in a role. `done` counts judgments or decisions; `total` is None if unknown.

    `no_link` is why the admin who looks at the page cannot reset the password.
    """

    membership: Membership
    done: int
    total: int | None
    no_link: str = ""

    @property
    def person(self) -> User:
        return self.membership.user

    @property
    def text(self) -> str:
        return f"{self.person.shown_name} {self.person.username}"


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
    ],
)


def _in_role(role: Role) -> FilterChoice[Test[MemberRow]]:
    return FilterChoice(role, f"{role.label}s", lambda member: member.membership.role == role)


PEOPLE_FILTERS = [Filter("role", "Role", [_in_role(role) for role in Role])]
