"""Test a set with the code of now: `python -m tests.kept.check FOLDER`, for SQLite or PostgreSQL.

It compares the old schema with the one that the migrations of that version make now. Then it loads
the database in its old schema, migrates it, opens each kind of page as three people, and compares
its labels with those of its releases, which are also verified and imported.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sqlite3
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.kept.make import DATABASE, RULES, rules_on_postgresql
from tests.support.machine import with_path

PEOPLE = ("admin", "ann1", "adju")
PAGES_OF_A_KIND = 3  # one in each collection
FEWEST_PAGES = 70  # of different kinds, so that the check cannot open nothing


def load(folder: Path, path: Path) -> None:
    """Write the SQLite database as it was."""
    with (
        closing(sqlite3.connect(path)) as database,
        # An index has a carriage return in its condition.
        gzip.open(folder / DATABASE, "rt", encoding="utf-8", newline="") as file,
    ):
        database.executescript(file.read())


def unpack_releases(folder: Path, release_dir: Path) -> Iterator[Path]:
    """Put each release where the database expects it."""
    for packed in sorted(folder.glob("*.zip.gz")):
        slug, _, name = packed.name.removesuffix(".gz").rpartition("-")
        path = release_dir / slug / name
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        yield path


def changed_migrations(folder: Path, path: Path) -> Iterator[str]:
    """Name each table, index and trigger that the migrations of the version make in another way."""
    from django.db.migrations.executor import MigrationExecutor
    from django.db.migrations.recorder import MigrationRecorder

    fresh = path.with_name("fresh.sqlite3")
    with sqlite_connection(path) as kept, sqlite_connection(fresh) as connection:
        applied = MigrationRecorder(kept).applied_migrations()
        executor = MigrationExecutor(connection)
        migrations = [key for key in applied if key in executor.loader.disk_migrations]
        executor.migrate(migrations)
    # Tables of an app that the program no longer has.
    gone = tuple(f"{app}_" for app in {app for app, _ in applied} - {app for app, _ in migrations})
    for name, _ in sorted(definitions(path) ^ definitions(fresh)):
        if name.startswith(gone):
            continue
        yield f"A published migration makes {name} in another way. Add a migration instead."
    with gzip.open(folder / RULES, "rt", encoding="utf-8", newline="") as file:
        if file.read() != rules_on_postgresql(migrations):
            yield "A published migration makes other rules on PostgreSQL. Add a migration instead."


@contextmanager
def sqlite_connection(path: Path) -> Iterator[Any]:
    """A connection of Django's beside the default one, named as the file."""
    from django.db import connections

    sqlite = {"ENGINE": "database.fair_sqlite", "NAME": str(path), "OPTIONS": {}}
    connections.settings[path.stem] = {**connections.settings["default"], **sqlite}
    yield connections[path.stem]
    connections[path.stem].close()


def definitions(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return set(rows.fetchall())


def copy_rows(kept: Any) -> None:
    """Bring PostgreSQL to the migrations of the SQLite database, and copy its rows."""
    from django.core.management.color import no_style
    from django.db import connection, transaction
    from django.db.migrations.executor import MigrationExecutor
    from django.db.migrations.recorder import MigrationRecorder

    executor = MigrationExecutor(connection)
    applied = MigrationRecorder(kept).applied_migrations()
    targets = [key for key in applied if key in executor.loader.disk_migrations]
    executor.migrate(targets)
    models = executor.loader.project_state(targets).apps.get_models(include_auto_created=True)
    models = [model for model in models if model._meta.managed and not model._meta.proxy]
    with transaction.atomic(), connection.cursor() as cursor:
        # No trigger and no foreign key, since the rows are complete and in no order.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for model in models:
            for field in model._meta.local_fields:
                field.auto_now = field.auto_now_add = False  # type: ignore[attr-defined]
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")
            rows = list(model._base_manager.using(kept.alias))
            model._base_manager.using("default").bulk_create(rows)
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def faults(releases: list[Path], *, pages_of_a_kind: int) -> Iterator[str]:
    """What is wrong with the migrated database and the releases."""
    from accounts.models import Collection
    from bundle.names import QRELS
    from bundle.reading.manifest import read_manifest
    from bundle.reading.opened import open_bundle
    from tests.support.made_releases import labels_of, wrong_import, wrong_outcomes

    yield from pages_that_fail(pages_of_a_kind)
    for path in releases:
        yield from changed_release(path)
        yield from wrong_outcomes(path)
        yield from wrong_import(path)
        with open_bundle(path) as bundle, bundle.open(QRELS) as file:
            released = file.read().decode().splitlines()
            collection = Collection.objects.get(slug=path.parent.name)
            migrated = labels_of(collection, read_manifest(bundle))
        if differing := sorted(set(released) ^ set(migrated)):
            yield f"The labels of {collection.slug} differ from its release: {differing[:5]}"


def changed_release(path: Path) -> Iterator[str]:
    """The bytes and the agreement of a release that are not those of its row and its judgments."""
    from accounts.models import Collection
    from agreement.coefficients import Missing
    from agreement.services import both_reports
    from bundle.layouts.reports import AGREEMENT
    from bundle.reading.opened import open_bundle
    from corpus.scale import Scale
    from release.errors import ReleaseDamaged
    from release.files import open_release
    from release.snapshot.collection import queries_by_name
    from release.snapshot.judgments import stored_pairs

    collection = Collection.objects.get(slug=path.parent.name)
    try:
        open_release(collection.releases.get(version=path.stem)).close()
    except ReleaseDamaged as error:
        yield str(error)
    reports = both_reports(
        slug=collection.slug,
        facets=list(collection.facets.order_by("position").values_list("key", flat=True)),
        pairs=stored_pairs(collection, queries_by_name(collection)),
        scale=Scale(collection.highest_grade, collection.relevant_from),
        seed=collection.seed,
    )
    migrated = json.loads(json.dumps(reports.payloads[Missing.EXCLUDE]))
    with open_bundle(path) as bundle, bundle.open(AGREEMENT) as file:
        if json.loads(file.read()) != migrated:
            yield f"The agreement of {collection.slug} differs from its release."


def pages_that_fail(pages_of_a_kind: int) -> Iterator[str]:
    """Follow links from the home page, to as many pages of each kind."""
    from django.test import Client
    from django.urls import Resolver404, resolve

    from accounts.models import User
    from tests.support.crawling import Crawl, addresses_in

    opened: set[str] = set()
    for username in PEOPLE:
        client = Client(raise_request_exception=False)
        client.force_login(User.objects.get(username=username))
        crawl, kinds = Crawl(client), Counter[str]()
        waiting, seen = deque(["/"]), {"/accounts/logout/"}
        while waiting:
            address = waiting.popleft()
            try:
                kind = str(resolve(urlsplit(address).path).url_name)
            except Resolver404:
                continue
            if address in seen or kinds[kind] == pages_of_a_kind:
                continue
            seen.add(address)
            kinds[kind] += 1
            answer = crawl.ask("get", address)
            if answer.status >= 500:
                yield f"{address} fails for {username}: status {answer.status}"
            waiting.extend(addresses_in(answer, address))
        opened |= crawl.names
    if len(opened) < FEWEST_PAGES:
        yield f"Only {len(opened)} kinds of pages were opened: {sorted(opened)}"


def check(folder: Path, data_dir: Path, *, is_postgresql: bool) -> list[str]:
    import django
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    path = data_dir / ("kept.sqlite3" if is_postgresql else "qrelsmith.sqlite3")
    load(folder, path)
    releases = list(unpack_releases(folder, data_dir / "releases"))
    django.setup()
    setup_test_environment()
    found = [] if is_postgresql else list(changed_migrations(folder, path))
    if is_postgresql:
        with sqlite_connection(path) as kept:
            copy_rows(kept)
    call_command("migrate", verbosity=0)
    # Each page is opened on SQLite. On PostgreSQL, it is about the rows.
    return [*found, *faults(releases, pages_of_a_kind=1 if is_postgresql else PAGES_OF_A_KIND)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--postgresql", metavar="URL", help="Of a server, for a new database.")
    options = parser.parse_args()
    server, name = options.postgresql, f"qrelsmith_kept_{os.getpid()}"
    os.environ.pop("DATABASE_URL", None)
    if server:
        os.environ["DATABASE_URL"] = with_path(server, name)
        execute(server, f"CREATE DATABASE {name}")
    try:
        with tempfile.TemporaryDirectory() as data_dir:
            os.environ |= {"DATA_DIR": data_dir, "DJANGO_SETTINGS_MODULE": "config.settings"}
            found = check(options.folder, Path(data_dir), is_postgresql=bool(server))
    finally:
        if server:
            execute(server, f"DROP DATABASE {name} WITH (FORCE)")
    for fault in found:
        sys.stdout.write(f"{fault}\n")
    return 1 if found else 0


def execute(server: str, statement: str) -> None:
    with psycopg.connect(with_path(server, "postgres"), autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


if __name__ == "__main__":
    sys.exit(main())
