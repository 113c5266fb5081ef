"""Limits on what visitors of public releases do: per address, because no login is needed."""

from __future__ import annotations

import hashlib
import logging

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.login.limits import Count, cache_failures, client_address
from web.requests.refusals import refuse

log = logging.getLogger(__name__)


def is_within(action: str, request: HttpRequest, limit: int) -> bool:
    """Count one action of the address, and return whether it is within the limit.

    If the cache fails, the action is allowed: only this limit needs the cache.
    """
    address = hashlib.sha256(client_address(request).encode()).hexdigest()
    try:
        return Count(f"{action}:{address}", limit).is_within_limit()
    except cache_failures() as error:
        log.error("The cache failed, so this %s is not counted: %s", action, error)
        return True


def too_many(request: HttpRequest, what: str) -> HttpResponse:
    minutes = -(-settings.LOGIN_WAIT_SECONDS // 60)
    message = f"Too many {what} from your network. Wait {minutes} minutes, then try again."
    response = refuse(request, 429, f"too_many_{what}", message)
    response.headers["Retry-After"] = str(settings.LOGIN_WAIT_SECONDS)
    return response
