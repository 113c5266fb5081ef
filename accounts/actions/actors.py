"""The actor of what is done now, and where it acts from: of a request, a command or a job.

Services do not pass it on. The middleware, `ProjectCommand` and `jobs.services.work` set it for the
code that they run; `services.py` reads it when an action is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from accounts.actions.kinds import ActionWay
from accounts.login.limits import client_address
from accounts.models import User

API_PATH = "/api/"
LONGEST_TOOL, LONGEST_ADDRESS, LONGEST_AGENT = 64, 64, 120


@dataclass(frozen=True)
class Actor:
    """A person or a part of the server, and where it acts from."""

    way: ActionWay = ActionWay.SERVER
    person_id: int | None = None
    tool: str = ""
    address: str = ""
    agent: str = ""


SERVER = Actor()
_source: ContextVar[HttpRequest | Actor] = ContextVar("source of actions", default=SERVER)


def current_actor() -> Actor:
    source = _source.get()
    return source if isinstance(source, Actor) else actor_of(source)


@contextmanager
def acting(source: HttpRequest | Actor) -> Iterator[None]:
    """Record what is done in the block as done by the request's person, or by this actor."""
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


def remember_request(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware. It only keeps the request: most of them do nothing that is recorded."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        with acting(request):
            return get_response(request)

    return middleware


def actor_of(request: HttpRequest, person: User | None = None) -> Actor:
    """The actor of a request. The API's authentication sets user and token on it, too.

    Without ACTION_ADDRESS_DAYS, no address is recorded.
    """
    user = person or getattr(request, "user", None)
    keeps_address = settings.ACTION_ADDRESS_DAYS > 0
    return Actor(
        way=ActionWay.API if request.path.startswith(API_PATH) else ActionWay.PAGE,
        person_id=user.pk if isinstance(user, User) else None,
        tool=str(getattr(getattr(request, "auth", None), "name", ""))[:LONGEST_TOOL],
        address=client_address(request)[:LONGEST_ADDRESS] if keeps_address else "",
        agent=request.headers.get("User-Agent", "")[:LONGEST_AGENT] if keeps_address else "",
    )
