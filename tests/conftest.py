"""What every test stands on. The database is real; artefacts go to a folder of the test's own."""

from __future__ import annotations

import gc
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import hypothesis
import pytest
from celery import Celery

from bench.chromium import chromium
from tests.support import machine

# Before Django reads its settings: tests never touch the folder or the broker of a real install.
_data = tempfile.mkdtemp(prefix="qrelsmith-tests-")
os.environ["DATA_DIR"] = _data
os.environ.setdefault("SECRET_KEY", "only for tests")
os.environ["CELERY_QUEUE"] = f"qrelsmith-tests-{os.getpid()}"
_redis_server = machine.redis_server()
for _name in ("CELERY_BROKER_URL", "REDIS_URL"):
    os.environ.pop(_name, None)
# Playwright's sync API keeps an event loop in the thread that also arranges rows.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from django.core.management.commands import flush as flush_command  # noqa: E402
from django.db import OperationalError, connection, transaction  # noqa: E402
from django.db.backends.postgresql import base as postgresql  # noqa: E402
from django.db.backends.sqlite3 import base as sqlite  # noqa: E402
from django.test import override_settings  # noqa: E402

from tests.support.kept_rows import (  # noqa: E402
    FILLED_BY_MIGRATIONS,
    can_put_rows,
    sqlite_triggers,
)
from tests.support.migrated_once import MIGRATED, migrate_once  # noqa: E402
from tests.support.running import SHORT_TIMES, Worker, environment, sending_through  # noqa: E402
from tests.support.smtp import smtp_server  # noqa: E402
from tests.support.worlds import KeptWorld  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
# A test's time says how busy the machine is. Each run draws other examples.
hypothesis.settings.register_profile(
    "untimed",
    deadline=None,
    max_examples=50,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("untimed")
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A seventh less CPU: the tabs of a context share a process, and the browser paints itself.
    "--renderer-process-limit=1",
    "--in-process-gpu",
    "--disable-software-rasterizer",
]
FOLDERS_OF_WORLD = {
    "DATA_DIR": ".",
    "ARTEFACT_DIR": "artefacts",
    "RELEASE_DIR": "releases",
    "UPLOAD_DIR": "uploads",
}
# Reasons to skip that hold even where everything is required.
ALLOWED_SKIPS = (
    "needs PostgreSQL",
    "needs SQLite",
    "needs systemd",
    "no CSFCube release",
    "the extra is",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep Python's garbage collector off what stays until the end: the program and 12,000 tests.

    It looked through all of it again and again, which took a quarter of the time of collecting
    tests and 9% of running them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)


def pytest_sessionfinish() -> None:
    shutil.rmtree(_data, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from tests.support.side_by_side import Scheduling

    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Under REQUIRE_ALL a skipped test is a failed one, unless only absent data explains it."""
    report = yield
    if machine.REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(allowed in reason for allowed in ALLOWED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"{reason} (REQUIRE_ALL is set: nothing may be skipped)"
    return report


@pytest.fixture(scope="session", autouse=True)
def _settings_of_tests(tmp_path_factory):
    """A quick hash, static files that are looked up when they are requested, a folder of uploads.

    WhiteNoise would search all static folders each time a test makes a client: 30 ms. The folder
    is of no test, because tests look whether a failed build leaves theirs empty.
    """
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    folder = tmp_path_factory.mktemp("incoming")
    with override_settings(
        PASSWORD_HASHERS=hashers, WHITENOISE_AUTOREFRESH=True, FILE_UPLOAD_TEMP_DIR=folder
    ):
        yield


_numbers = count()


@pytest.fixture
def tmp_path(request, tmp_path_factory) -> Path:
    """A folder of the test alone.

    To find a free number, pytest's own looks through the folders of all earlier tests of the run.
    """
    name = re.sub(r"\W+", "-", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{next(_numbers)}-{name}"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def _empty_cache():
    """Without the counts of other tests, whose people have the same primary keys."""
    from django.core.cache import cache

    cache.clear()


@pytest.fixture(autouse=True)
def _own_data_dir(tmp_path):
    folders = {name: tmp_path / part for name, part in FOLDERS_OF_WORLD.items()}
    with override_settings(**folders, MEDIA_ROOT=folders["UPLOAD_DIR"]):
        yield


@pytest.fixture(scope="session", autouse=True)
def _made_releases(tmp_path_factory):
    from tests.support.made_releases import kept_releases

    with kept_releases(tmp_path_factory.mktemp("made-releases")) as made:
        yield made


@pytest.fixture(autouse=True)
def _every_release_is_right(request, _made_releases, django_db_blocker):
    """Each release that a test makes passes every check and can be imported again."""
    yield
    if request.node.get_closest_marker("wrong_release"):
        _made_releases.forget()
    try:
        with django_db_blocker.unblock():
            assert not (wrong := list(_made_releases.check())), "\n".join(wrong)
    finally:
        _made_releases.forget()


@pytest.fixture(scope="session", autouse=True)
def _flush_past_the_triggers():
    """Let the test runner empty tables whose rows can never be deleted: DELETE without triggers.

    On SQLite those on deletions step aside and come back. PostgreSQL fires none, and checks no
    foreign key, for a session that a superuser calls a replica. TRUNCATE fires none either, but it
    takes a second or two for these tables, against five milliseconds. Only other roles need it.
    """
    changed = {sqlite: _sqlite_flush, postgresql: _postgresql_flush}
    kept = {backend: backend.DatabaseWrapper.ops_class.sql_flush for backend in changed}
    for backend, flush in changed.items():
        backend.DatabaseWrapper.ops_class.sql_flush = flush(kept[backend])
    yield
    for backend, flush in kept.items():
        backend.DatabaseWrapper.ops_class.sql_flush = flush


def _of_tests(tables):
    return [table for table in tables if table not in FILLED_BY_MIGRATIONS]


def _sqlite_flush(flush):
    def sql_flush(self, style, tables, **options):
        triggers = sqlite_triggers("DELETE")
        drops = [f"DROP TRIGGER {name}" for name in triggers]
        deletes = flush(self, style, _of_tests(tables), **options)
        return [*drops, *deletes, *triggers.values()]

    return sql_flush


def _postgresql_flush(flush):
    def sql_flush(self, style, tables, *, reset_sequences=False, allow_cascade=False):
        if reset_sequences or not can_put_rows():
            options = {"reset_sequences": reset_sequences, "allow_cascade": allow_cascade}
            return flush(self, style, tables, **options)
        deletes = [f"DELETE FROM {self.quote_name(table)}" for table in _of_tests(tables)]
        return ["SET LOCAL session_replication_role = replica", *deletes]

    return sql_flush


@pytest.fixture(scope="session", autouse=True)
def _flush_without_signals():
    """The signals fill the tables that a flush leaves alone here: 65 ms, on PostgreSQL 165 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush_command, "emit_post_migrate_signal", lambda *arguments: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _flush_past_the_last_request():
    """A page left open may still ask the live server something, and a flush deadlock with it."""
    operations = postgresql.DatabaseWrapper.ops_class
    execute = operations.execute_sql_flush

    def execute_sql_flush(self, statements):
        for last_try in (False, False, True):
            try:
                execute(self, statements)
            except OperationalError:
                if last_try:
                    raise
            else:
                break

    operations.execute_sql_flush = execute_sql_flush
    yield
    operations.execute_sql_flush = execute


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request, folder_of_run, django_db_modify_db_settings_parallel_suffix
):
    if hasattr(request.config, "workerinput"):
        migrate_once(folder_of_run, connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="session")
def migrated(django_db_setup, folder_of_run) -> Path | None:
    """A SQLite file to copy for what migrates a database of its own, where workers share one."""
    path = folder_of_run / MIGRATED
    return path if path.exists() else None


@pytest.fixture(scope="session")
def rolled_back(django_db_setup, django_db_blocker):
    """`with rolled_back():` in a fixture of a module or class: rows for all its tests.

    Every test then runs in a savepoint inside this transaction. It is marked as Django marks those
    of its TestCase, so that a durable block may be opened in it. Its tests must not flush tables:
    `db`, never `transactional_db`.
    """

    @contextmanager
    def block():
        outermost = transaction.atomic()
        outermost._from_testcase = True
        with django_db_blocker.unblock(), outermost:
            yield
            transaction.set_rollback(True)

    return block


@pytest.fixture(scope="module")
def made_once(rolled_back, tmp_path_factory):
    """`with made_once(make) as made:` in a fixture of a module: rows and files for all its tests.

    A fixture of a test takes its copy of what `make()` returned: `own_copy(made)`. The other tests
    of the module run before (tests/support/side_by_side.py), so they do not see the rows.
    """

    @contextmanager
    def block(make):
        folder = tmp_path_factory.mktemp("world")
        with rolled_back():
            with override_settings(
                **{name: folder / part for name, part in FOLDERS_OF_WORLD.items()}
            ):
                made = make()
            yield made, folder

    return block


@pytest.fixture
def own_copy(db, settings):
    """Each test has its own rows, objects and files of what a module made once."""

    def copy(made):
        rows, folder = made
        shutil.copytree(folder, settings.DATA_DIR, dirs_exist_ok=True)
        return deepcopy(rows)

    return copy


@pytest.fixture(scope="session")
def folder_of_run(request, tmp_path_factory) -> Path:
    """A folder that the workers of this run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if hasattr(request.config, "workerinput") else own


@pytest.fixture(scope="session")
def kept_world(folder_of_run):
    """Call it in an empty database for the rows and files of tests/support/api_world.py."""
    return KeptWorld(folder_of_run / "world")


@pytest.fixture(scope="module")
def world_of_file(made_once, kept_world):
    with made_once(kept_world) as rows_and_files:
        yield rows_and_files


@pytest.fixture
def world(world_of_file, own_copy):
    """The rows of tests/support/api_world.py for all tests of a file."""
    return own_copy(world_of_file)


@pytest.fixture
def collection():
    """An empty collection with an admin, two annotators and an adjudicator."""
    from tests.support.factories import a_collection

    return a_collection()


@pytest.fixture
def admin(collection):
    """The collection's admin, logged in."""
    from tests.support.visits import client_of

    return client_of("admin")


@pytest.fixture
def on_postgresql(db):
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL; this turn is SQLite's")


@pytest.fixture
def on_sqlite(db):
    if connection.vendor != "sqlite":
        pytest.skip("needs SQLite; this turn is PostgreSQL's")


@pytest.fixture
def smtp(settings):
    """A real mail server, with what it `received`."""
    with smtp_server(settings) as handler:
        yield handler


@pytest.fixture(scope="session")
def csfcube() -> Path:
    """The folder of a CSFCube checkout, read where it lies."""
    folder = Path(os.environ.get("CSFCUBE_DIR", ROOT.parent / "shared" / "csfcube"))
    if not (folder / "test-pid2pool-csfcube.json").exists():
        pytest.skip(f"no CSFCube release in {folder}; set CSFCUBE_DIR")
    return folder


@pytest.fixture(scope="session")
def redis_url():
    """An empty database of the Redis server, emptied again afterwards."""
    import redis

    if _redis_server is None:
        machine.absent("no Redis at REDIS_URL or 127.0.0.1:6379")
    for number in range(15, 0, -1):
        url = machine.with_path(_redis_server, str(number))
        client = redis.Redis.from_url(url)
        # Taken by a key that only one run can set, in a database that only tests use.
        if client.dbsize() == 0 and client.set("qrelsmith-tests", os.getpid(), nx=True):
            break
    else:
        machine.absent("no empty Redis database between 1 and 15 to test in")
    yield url
    client.flushdb()
    client.close()


@pytest.fixture(params=["filesystem", "redis"])
def broker(request, settings):
    """This turn's broker, for this process and for the environment of its workers."""
    from config.celery import app

    if request.param == "redis":
        env = {"CELERY_BROKER_URL": request.getfixturevalue("redis_url")}
        url, transport = env["CELERY_BROKER_URL"], None
        options = {"max_retries": 0, "socket_connect_timeout": 2}
    else:
        env, url, transport = {}, "filesystem://localhost", "jobs.filesystem_broker:Transport"
        folders = {name: settings.DATA_DIR / "broker" / name for name in ("messages", "control")}
        for folder in folders.values():
            folder.mkdir(parents=True)
        options = {
            "data_folder_in": str(folders["messages"]),
            "data_folder_out": str(folders["messages"]),
            "control_folder": str(folders["control"]),
        }
    with sending_through(app, url=url, transport=transport, options=options):
        yield Broker(name=request.param, app=app, env=env)


@dataclass(frozen=True)
class Broker:
    name: str
    app: Celery
    env: dict[str, str]

    def purge(self) -> int:
        """Drop every message that waits, as a broker that lost its memory would."""
        with self.app.connection_for_write() as link:
            return link.default_channel.queue_purge(self.app.conf.task_default_queue)


@pytest.fixture
def start_worker(transactional_db, broker, settings, tmp_path):
    """Start real workers on the test's database and broker; all of them end with the test.

    What they logged is printed then, so that a failure shows it.
    """
    workers: list[Worker] = []

    def start(*, include="tests.support.slow_jobs", options=(), **env):
        worker = Worker(
            log=tmp_path / f"worker-{len(workers)}.log",
            env=environment(
                CELERY_QUEUE=broker.app.conf.task_default_queue,
                **{**SHORT_TIMES, **broker.env, **env},
            ),
            include=include,
            options=options,
        )
        workers.append(worker)
        return worker.wait_until_ready()

    yield start
    for worker in workers:
        worker.kill()
        print(f"--- {worker.log.name}\n{worker.log_text()}")  # noqa: T201


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Playwright drives the Chromium that this machine has; none is downloaded."""
    path = chromium()
    if path is None:
        machine.absent("no Chromium found; install the package chromium or set CHROMIUM")
    return {**browser_type_launch_args, "executable_path": path, "args": CHROMIUM_OPTIONS}
