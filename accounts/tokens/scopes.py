"""The scopes of tokens: one for reading, one for judging, and one for everything.

A token acts for a person, so it never does more than the person may. Its scope only narrows that.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy

SAFE_METHODS = ("GET", "HEAD")


class TokenScope(TextChoices):
    READ = "read", gettext_lazy("Read")
    JUDGE = "judge", gettext_lazy("Judge")
    ADMIN = "admin", gettext_lazy("Admin")


EXPLAINED = {
    TokenScope.READ: gettext_lazy("Read: reads all that you may read, and changes nothing"),
    TokenScope.JUDGE: gettext_lazy(
        "Judge: judges, adjudicates and practises as you do, without your rights as an admin or "
        "owner"
    ),
    TokenScope.ADMIN: gettext_lazy("Admin: does everything that you may do"),
}
EVERY_SCOPE = frozenset(TokenScope)
ADMIN = "admin"  # as in accounts.models.Role, which imports this package
# A view for one of these roles is for judging. Owner-annotators judge in views for annotators, and
# set up the collection in views that are for admins and for them only.
JUDGING_ROLES = frozenset({"annotator", "adjudicator", "curator"})


def scopes_for_roles(roles: Iterable[str], method: str) -> frozenset[TokenScope]:
    """The scopes of tokens that may use the method of a view for these roles."""
    scopes = {TokenScope.ADMIN}
    if method.upper() in SAFE_METHODS:
        scopes.add(TokenScope.READ)
    if JUDGING_ROLES & set(roles):
        scopes.add(TokenScope.JUDGE)
    return frozenset(scopes)


def roles_within(scope: TokenScope | None, roles: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the roles as which a token acts. A token for judging never acts as an admin.

    A session has no scope.
    """
    if scope != TokenScope.JUDGE:
        return roles
    return tuple(role for role in roles if role != ADMIN)


def narrowness(needed: frozenset[TokenScope]) -> str:
    """The sentence for a token whose scope is not among those needed."""
    names = " or ".join(scope.value for scope in TokenScope if scope in needed)
    return f"This needs a token with the scope {names}."
