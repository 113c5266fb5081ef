"""Limits on what visitors of public releases do: per address, because no login is needed."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.login.limits import Count, client_address
from web.requests.refusals import refuse


def is_within(action: str, request: HttpRequest, limit: int) -> bool:
    """Count one action of the address, and return whether it is within the limit.

    A cache that fails counts as empty (accounts/login/redis_cache.py), so the action is allowed.
    """
    address = hashlib.sha256(client_address(request).encode()).hexdigest()
    return Count(f"{action}:{address}", limit).is_within_limit()


def too_many(request: HttpRequest, what: str) -> HttpResponse:
    minutes = -(-settings.LOGIN_WAIT_SECONDS // 60)
    message = f"Too many {what} from your network. Wait {minutes} minutes, then try again."
    response = refuse(request, 429, f"too_many_{what}", message)
    response.headers["Retry-After"] = str(settings.LOGIN_WAIT_SECONDS)
    return response
