"""/healthz, for load balancers and monitors: it needs no account and tells no secret."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from celery import current_app
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

Found = TypeVar("Found")
SIGN = "worker-sign"
PATIENCE = 2  # seconds for the broker


def give_sign() -> None:
    """Each worker calls it every few seconds. The cache is shared by all hosts."""
    cache.set(SIGN, time.time(), timeout=None)


@require_safe
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """503 only while the database does not answer: without broker and workers people judge, and jobs wait."""
    sign = tried(lambda: cache.get(SIGN))
    parts = {
        "database": bool(tried(ask_database)),
        "broker": bool(tried(ask_broker)),
        "seconds_since_worker": round(time.time() - sign) if sign else None,
    }
    return JsonResponse(parts, status=200 if parts["database"] else 503)


def tried(ask: Callable[[], Found]) -> Found | None:
    try:
        return ask()
    except Exception:  # noqa: BLE001  (each broker and cache has its own errors)
        return None


def ask_database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone())


def ask_broker() -> bool:
    with current_app.connection_for_write(connect_timeout=PATIENCE) as broker:
        broker.connect()
        return bool(broker.connected)
