"""Checks of the database: version and settings, migrations, clock, cache."""

from __future__ import annotations

import sqlite3
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from jobs.models import WorkerProcess
from server.checks.results import CheckResult, failed, ok, warning
from web.program import command_text

MOST_CONNECTIONS = 0.8  # of those that PostgreSQL allows
CLOCKS_DIFFER_SECONDS = 1.0
LISTED = 5  # migrations in a sentence
_migrated: set[str] = set()


def check_database() -> CheckResult:
    if connection.vendor == "sqlite":
        return _check_sqlite()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'), current_setting('server_encoding'), "
            "current_setting('max_connections')::int, "
            "current_setting('idle_in_transaction_session_timeout'), "
            "(SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"
        )
        version, encoding, allowed, idle, used = cursor.fetchone()
    found = f"PostgreSQL {version}, {used} of {allowed} connections"
    if encoding != "UTF8":
        return failed(
            f"{found}; its encoding is {encoding}.", "Create the database again with UTF8."
        )
    if used > MOST_CONNECTIONS * allowed:
        return warning(found, "Raise max_connections, or use fewer processes or PgBouncer.")
    if idle == "0":
        return warning(
            f"{found}; idle_in_transaction_session_timeout is off.",
            "Set it for the database role. PgBouncer did not pass it on, see Health in the docs.",
        )
    return ok(found)


def _check_sqlite() -> CheckResult:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        (mode,) = cursor.fetchone()
    found = f"SQLite {sqlite3.sqlite_version}, journal mode {mode}"
    if mode != "wal":
        return failed(found, "Move DATA_DIR to a local disk: network folders allow no WAL.")
    if settings.PRODUCTION:
        return warning(found, "Set DATABASE_URL to a PostgreSQL for more than a handful of people.")
    return ok(found)


def check_migrations() -> CheckResult:
    """Applied migrations are never taken back while a process runs, so one success is kept."""
    name = str(connection.settings_dict["NAME"])
    if name in _migrated:
        return ok("All are applied.")
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        names = ", ".join(f"{each.app_label}.{each.name}" for each, _ in plan[:LISTED])
        return failed(f"{len(plan)} are missing: {names}", f"Run `{command_text('migrate')}`.")
    _migrated.add(name)
    return ok("All are applied.")


def check_clock() -> CheckResult:
    """Compare the clocks of this machine, of the database and of the workers."""
    limit = settings.JOB_STALE_SECONDS / 2
    machine, seconds = "the database", abs((_database_time() - timezone.now()).total_seconds())
    recent = timezone.now() - timedelta(seconds=settings.JOB_STALE_SECONDS * 10)
    for worker in WorkerProcess.objects.filter(stored_at__gt=recent):
        difference = abs((worker.seen_at - worker.stored_at).total_seconds())
        if difference > seconds:
            machine, seconds = f"the worker {worker.name}", difference
    found = f"{seconds:.1f} s apart at most ({machine})"
    advice = "Keep the clocks of all machines together, for example with chrony or timesyncd."
    if seconds > limit:
        return failed(found, f"{advice} Above {limit:g} s, jobs are taken from healthy workers.")
    if seconds > CLOCKS_DIFFER_SECONDS:
        return warning(found, advice)
    return ok(found)


def _database_time() -> datetime:
    is_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT clock_timestamp()"
            if is_postgresql
            else "SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
        )
        (moment,) = cursor.fetchone()
    return moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)


def check_cache() -> CheckResult:
    key, value = f"check:{uuid.uuid4()}", "kept"
    cache.set(key, value, 10)
    if cache.get(key) != value:
        return failed("It does not keep what is stored.", "Restart it, or set another REDIS_URL.")
    cache.delete(key)
    if settings.PRODUCTION and "locmem" in settings.CACHES["default"]["BACKEND"]:
        return warning(
            "Each process has its own.",
            "Set REDIS_URL, so that the processes count failed logins together.",
        )
    return ok("It keeps what is stored.")
