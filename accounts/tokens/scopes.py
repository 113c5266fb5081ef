"""What a token may do: a scope for reading, one for judging, and one for everything.

A token acts for a person, so it never does more than the person may. Its scope only narrows that.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import TextChoices

SAFE_METHODS = ("GET", "HEAD")


class Scope(TextChoices):
    READ = "read", "Read"
    JUDGE = "judge", "Judge"
    ADMIN = "admin", "Admin"


EXPLAINED = {
    Scope.READ: "Read: reads all that you may read, and changes nothing",
    Scope.JUDGE: "Judge: judges, adjudicates and practises as you do, without your rights as an "
    "admin or owner",
    Scope.ADMIN: "Admin: does everything that you may do",
}
EVERY_SCOPE = frozenset(Scope)
ADMIN = "admin"  # as in accounts.models.Role, which imports this package
# A view for one of these roles is for judging. Owner-annotators judge in views for annotators, and
# set up the collection in views that are for admins and for them only.
JUDGING_ROLES = frozenset({"annotator", "adjudicator", "curator"})


def scopes_for_roles(roles: Iterable[str], method: str) -> frozenset[Scope]:
    """The scopes of tokens that may use the method of a view for these roles."""
    scopes = {Scope.ADMIN}
    if method.upper() in SAFE_METHODS:
        scopes.add(Scope.READ)
    if JUDGING_ROLES & set(roles):
        scopes.add(Scope.JUDGE)
    return frozenset(scopes)


def roles_within(scope: Scope | None, roles: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the roles as which a token acts. A token for judging never acts as an admin.

    A session has no scope.
    """
    if scope != Scope.JUDGE:
        return roles
    return tuple(role for role in roles if role != ADMIN)


def narrowness(needed: frozenset[Scope]) -> str:
    """The sentence for a token whose scope is not among those needed."""
    names = " or ".join(scope.value for scope in Scope if scope in needed)
    return f"This needs a token with the scope {names}."
