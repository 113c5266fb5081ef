"""The checks by the names of their parts, for the doctor and for `/readyz`."""

from __future__ import annotations

from collections.abc import Mapping

from server.checks.configuration import check_configuration
from server.checks.database import check_cache, check_clock, check_database, check_migrations
from server.checks.files import check_backup, check_bucket, check_disk, check_storage
from server.checks.network import check_institution, check_mail, check_proxies, check_tls
from server.checks.results import CheckLevel, NamedCheck
from server.checks.running import Check, SideBySide
from server.checks.work import (
    check_broker,
    check_notices,
    check_queue,
    check_retention,
    check_workers,
)

DOCTOR_SECONDS = 10.0
READY_SECONDS = 3.0
CHECKS: Mapping[str, Check] = {
    "settings": check_configuration,
    "database": check_database,
    "migrations": check_migrations,
    "broker": check_broker,
    "workers": check_workers,
    "queue": check_queue,
    "retention": check_retention,
    "clock": check_clock,
    "disk": check_disk,
    "storage": check_storage,
    "bucket": check_bucket,
    "cache": check_cache,
    "mail": check_mail,
    "institution": check_institution,
    "notices": check_notices,
    "proxies": check_proxies,
    "TLS": check_tls,
    "backup": check_backup,
}
READY = ("database", "migrations", "cache", "broker", "storage")
# People judge without the cache and the broker, which all web processes share: if one of these
# failed, a balancer would send requests to no process at all.
NEEDED = ("database", "migrations", "storage")
_side_by_side = SideBySide()


def examine() -> list[NamedCheck]:
    """The results of all checks."""
    return _side_by_side.run(CHECKS, DOCTOR_SECONDS)


def examine_readiness() -> list[NamedCheck]:
    return _side_by_side.run({name: CHECKS[name] for name in READY}, READY_SECONDS)


def is_ready(results: list[NamedCheck]) -> bool:
    return not any(name in NEEDED and result.level == CheckLevel.FAILED for name, result in results)


def worst(results: list[NamedCheck]) -> CheckLevel:
    levels = {each.result.level for each in results}
    return next(
        level for level in (CheckLevel.FAILED, CheckLevel.WARNING, CheckLevel.OK) if level in levels
    )
