"""The person behind a request of the API with a token, and whether its scope allows the request."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import ApiToken, User
from accounts.secret_digests import digest_of
from accounts.tokens.scopes import EVERY_SCOPE, TokenScope, narrowness, scopes_for_roles
from accounts.tokens.services import note_use

if TYPE_CHECKING:  # rest_framework.views reads the setting that names the classes below
    from rest_framework.views import APIView

KEYWORDS = (b"token", b"bearer")  # many tools can send only the second
NEW_TOKEN = "Create a new token on the page “API tokens” of your account."


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


class ScopeTooNarrow(PermissionDenied):
    """The person may do this, but not with this token."""

    default_code = "scope_too_narrow"

    def __init__(self, needed: frozenset[TokenScope]) -> None:
        super().__init__(narrowness(needed))


class ApiTokenAuthentication(BaseAuthentication):
    """`Authorization: Token …`. Sets `request.auth` to the ApiToken; with a session it is None."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() not in KEYWORDS:
            return None
        if len(words) != 2:
            raise AuthenticationFailed(
                "The Authorization header must be the word Token, a space and the token."
            )
        now = timezone.now()
        # Looked up by its hash: how long that takes says nothing about the token.
        found = ApiToken.objects.select_related("user").filter(digest=digest_of(words[1])).first()
        if found is None:
            raise AuthenticationFailed("Invalid token.")
        if found.revoked_at is not None:
            message = f"This token was revoked on {_day(found.revoked_at)}. {NEW_TOKEN}"
            raise AuthenticationFailed(message, "token_revoked")
        if found.expires_at is not None and found.expires_at <= now:
            message = f"This token expired on {_day(found.expires_at)}. {NEW_TOKEN}"
            raise AuthenticationFailed(message, "token_expired")
        if not found.user.is_active:
            raise AuthenticationFailed("This account cannot log in.")
        note_use(token=found, now=now)
        return found.user, found

    def authenticate_header(self, request: Request) -> str:
        return "Token"


def scope_of(request: Request) -> TokenScope | None:
    """The scope of the token that sent the request. A session has none, and no limit."""
    return TokenScope(request.auth.scope) if isinstance(request.auth, ApiToken) else None


class WithinScope(BasePermission):
    """Refuses a token whose scope is not enough, for every view of the API.

    A view says with `scopes_for` which scopes its methods need. One that does not is for tokens
    that may do everything, or read.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        scope, method = scope_of(request), request.method or ""
        if scope is None or not hasattr(view, method.lower()):  # the latter is a 405
            return True
        needed = scopes_needed(view, method)
        if scope in needed:
            return True
        if check_person := getattr(view, "check_person", None):
            check_person()  # what the person may not use either does not exist: 404
        raise ScopeTooNarrow(needed)


class ForEveryScope:
    """A view that every token may use, whatever the method."""

    @classmethod
    def scopes_for(cls, method: str) -> frozenset[TokenScope]:  # noqa: ARG003
        return EVERY_SCOPE


def scopes_needed(view: APIView | type[APIView], method: str) -> frozenset[TokenScope]:
    """The scopes of which a token needs one."""
    if scopes_for := getattr(view, "scopes_for", None):
        needed: frozenset[TokenScope] = scopes_for(method)
        return needed
    return scopes_for_roles((), method)
