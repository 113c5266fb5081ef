"""What this machine offers the tests: databases, brokers, a browser. Standard ports by default."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import redis

REQUIRE_ALL = os.environ.get("REQUIRE_ALL", "") not in {"", "0"}


def absent(reason: str) -> None:
    """Skip with the reason; under REQUIRE_ALL=1 (CI) what is absent is a failure."""
    if REQUIRE_ALL:
        pytest.fail(f"{reason} (REQUIRE_ALL is set)", pytrace=False)
    pytest.skip(reason)


def postgresql_url(environment: Mapping[str, str] = os.environ) -> str | None:
    """A PostgreSQL that answers: that of the environment, or the local one at its default port."""
    named = environment.get("DATABASE_URL", "")
    if named.startswith("postgres"):
        return named if _postgresql_answers(named) else None
    users = ("postgres", getpass.getuser())
    local = [f"postgres://{user}@127.0.0.1:5432/postgres" for user in users]
    return next((url for url in local if _postgresql_answers(url)), None)


def _postgresql_answers(url: str) -> bool:
    try:
        psycopg.connect(with_path(url, "postgres"), connect_timeout=3).close()
    except psycopg.Error:
        return False
    return True


def redis_server(environment: Mapping[str, str] = os.environ) -> str | None:
    """The Redis of the environment, or the local one's default port, if it answers."""
    named = (environment.get(name, "") for name in ("REDIS_URL", "CELERY_BROKER_URL"))
    url = next((url for url in named if url.startswith("redis")), "redis://127.0.0.1:6379")
    try:
        redis.Redis.from_url(url, socket_connect_timeout=3).ping()
    except redis.RedisError:
        return None
    return url


def with_path(url: str, path: str) -> str:
    """The same server, another database."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{path}"))
