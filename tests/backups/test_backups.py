"""A backup has every row and file of one moment, and an empty server can be made of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import uuid
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.models import Collection, User
from annotation.models import Judgment, Slot, SlotCount
from annotation.services import Answer, submit_judgment
from backups.archive import BackupManifest, writing
from backups.cancelling import cancelled_by_signals
from backups.databases.current import connected_to, current_engine
from backups.encryption import Encryption, decrypted, encrypted_into
from backups.errors import (
    BackupCancelled,
    BackupDamaged,
    BackupFailed,
    BackupIncomplete,
    FilesNotShared,
    RestoreRefused,
)
from backups.files import LinkedFiles
from backups.making import _moment, make_backup, plan_backup
from backups.restoring import restore_backup
from jobs.models import Job, State
from jobs.uploads import enqueue_upload
from release.files import open_release, path_of
from release.services import publish_release
from tests.support import machine
from tests.support.disks import small_disk
from tests.support.factories import a_collection, an_open_query
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import EVERY_EXCEPTION
from tests.support.running import database_url, wait_until
from tests.support.shared_storage import STORAGE_FIXTURES, contents, storage_out_of_reach
from tests.support.sittings import digest_of, slots_of
from web.disk import DiskFull

JUDGES = 2
endpoint, use_bucket, bucket = STORAGE_FIXTURES


def silently(text: str) -> None:
    """No progress."""


def backup_in(folder: Path, **options) -> Path:
    folder.mkdir(exist_ok=True)
    given = {"encryption": Encryption(), "keep": None, "report": silently, **options}
    return make_backup(folder=folder, **given).path


def restored_from(file: Path, **options):
    given = {"identity": None, "replace": "", "is_dry_run": False, "report": silently, **options}
    return restore_backup(file=file, **given)


def last_result() -> dict:
    return json.loads(Path(settings.DATA_DIR, "backups", "last.json").read_text())


@contextmanager
def an_empty_server(folder: Path, settings):
    """This process on a database without tables and a data folder without files."""
    name = f"{Path(connection.settings_dict['NAME']).stem}_empty"
    folder.mkdir()
    if connection.vendor == "sqlite":
        name = str(folder / f"{name}.sqlite3")
    else:
        execute(f'CREATE DATABASE "{name}"')
    settings.DATA_DIR = folder
    settings.UPLOAD_DIR, settings.RELEASE_DIR = folder / "uploads", folder / "releases"
    try:
        with connected_to(name):
            yield
    finally:
        if connection.vendor == "postgresql":
            execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def execute(statement: str) -> list:
    with psycopg.connect(machine.with_path(database_url(), "postgres"), autocommit=True) as server:
        cursor = server.execute(statement)
        return cursor.fetchall() if cursor.description else []


def leftovers(*folders: Path) -> list[str]:
    """Hidden files and restored databases that a command left behind."""
    found = [str(path) for folder in folders for path in folder.glob(".*")]
    if connection.vendor == "postgresql":
        prefix = f"{connection.settings_dict['NAME']}_restored_"
        found += execute(f"SELECT datname FROM pg_database WHERE starts_with(datname, '{prefix}')")
    return found


def new_key(program: str, folder: Path, monkeypatch) -> tuple[str, Path | None]:
    """The public key, and the file with the private one, if it is not in a keyring."""
    if program == "age":
        key = folder / "key.txt"
        subprocess.run(["age-keygen", "-o", key], check=True, capture_output=True)
        (line,) = [each for each in key.read_text().splitlines() if "public key: " in each]
        return line.rpartition(" ")[2], key
    home = folder / "gpg"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    command = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "backup"]
    subprocess.run([*command, "future-default"], check=True, capture_output=True)
    return "backup", None


@pytest.fixture(autouse=True)
def _no_agent_stays(tmp_path):
    """gpg starts one for each keyring, which would outlive the run."""
    yield
    if (home := tmp_path / "gpg").exists():
        end = ["gpgconf", "--homedir", str(home), "--kill", "gpg-agent"]
        subprocess.run(end, check=True, capture_output=True)


@pytest.fixture
def world(transactional_db):
    """A collection with a release, and one in which people judge."""
    collection = a_judged_collection()
    publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION, published_by=None)
    return collection


class Judges:
    """People who judge without a pause, until they are stopped. `saved` has what was answered."""

    def __init__(self, opening) -> None:
        self.saved: list[tuple[int, uuid.UUID]] = []
        self._is_stopped = threading.Event()
        self._submissions = {
            name: [
                {
                    "slot_id": slot.pk,
                    "annotator": slot.annotator,
                    "presentation_digest": digest_of(slot),
                }
                for slot in slots_of(opening, name)
            ]
            for name in ("ann1", "ann2")
        }
        self._threads = [
            threading.Thread(target=self._judge, args=(name,)) for name in self._submissions
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._is_stopped.set()
        for thread in self._threads:
            thread.join()

    def _judge(self, name: str) -> None:
        latest: dict[int, uuid.UUID] = {}
        try:
            while not self._is_stopped.is_set():
                for submission in self._submissions[name]:
                    slot, key = submission["slot_id"], uuid.uuid4()
                    submit_judgment(
                        **submission,
                        answer=Answer(grade=key.int % 4),
                        key=key,
                        supersedes=latest.get(slot),
                    )
                    latest[slot] = key
                    self.saved.append((slot, key))
        finally:
            connection.close()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_an_encrypted_backup_made_while_people_judge_restores_on_an_empty_server(
    world, tmp_path, settings, monkeypatch
):
    recipient, identity = new_key("age", tmp_path, monkeypatch)
    opening = an_open_query(Collection.objects.get(pk=world.pk), size=4, facet="background")
    before: list = []

    def note_judgments(text: str) -> None:
        """Called at the moment, and later."""
        before.append(len(judges.saved))

    with Judges(opening) as judges:
        wait_until(lambda: len(judges.saved) >= 5 * JUDGES, 60)
        acknowledged = list(judges.saved)
        encryption = Encryption("age", [recipient])
        file = backup_in(tmp_path / "out", encryption=encryption, report=note_judgments)
    published = path_of(world.slug, "1.0").read_bytes()

    assert last_result()["ok"], last_result()
    assert last_result()["file"] == str(file)
    assert before[-1] > before[0], "people judged while the backup was made"
    assert b"manifest.json" not in file.read_bytes()
    assert not leftovers(tmp_path / "out", settings.DATA_DIR)
    with an_empty_server(tmp_path / "empty", settings):
        restored_from(file, identity=identity)

        keys = set(Judgment.objects.values_list("key", flat=True))
        assert {key for _, key in acknowledged} <= keys
        assert not leftovers(settings.DATA_DIR)
        counts = SlotCount.objects.values_list("judged", flat=True)
        assert sum(counts) == Slot.objects.judged().count()  # triggers keep them: of one moment
        release = Collection.objects.get(slug=world.slug).releases.get()
        with open_release(release) as stored:
            assert stored.read() == published
        client = Client()
        client.force_login(User.objects.get(username="ann1"))
        assert world.name in client.get("/", follow=True).content.decode()
        with pytest.raises(RestoreRefused, match=r"This server has \d+ users, .*--replace"):
            restored_from(file, identity=identity)
        check_replacement(file, identity, world)


def check_replacement(file: Path, identity: Path, world: Collection) -> None:
    """A server in use is replaced only by its name, and its database and files are kept."""
    published = path_of(world.slug, "1.0")
    User.objects.create(username="later")
    published.write_bytes(b"spoiled")
    used = current_engine().database
    with pytest.raises(RestoreRefused, match=f"in use is {used}, not another"):
        restored_from(file, identity=identity, replace="another")

    restored = restored_from(file, identity=identity, replace=used)

    assert not User.objects.filter(username="later").exists()
    open_release(world.releases.get()).close()  # raises if it is not what was published
    (files, database) = restored.kept
    aside = Path(files.rpartition(" ")[2])
    assert (aside / "releases" / world.slug / "1.0.zip").read_bytes() == b"spoiled"
    name = database.removeprefix("the database ")
    with connected_to(name):
        assert User.objects.filter(username="later").exists()
    if connection.vendor == "postgresql":
        execute(f'DROP DATABASE "{name}"')


@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
def test_files_of_a_bucket_are_in_the_backup_and_come_back_in_an_empty_bucket(
    use_bucket, tmp_path, settings
):
    first = use_bucket()
    collection = a_judged_collection()
    publish_release(collection=collection, version="1.0", published_by=None)
    upload = SimpleUploadedFile("documents.jsonl", b'{"docno": "d1", "title": "A title"}\n')
    kind = {"kind": "import_documents", "parameters": {}, "requested_by": None}
    enqueue_upload(collection=collection, files={"path": upload}, **kind)
    stored = contents(first)
    assert len(stored) == 2
    planned = plan_backup(folder=tmp_path, encryption=Encryption())
    assert (planned.files, planned.size) == (2, sum(map(len, stored.values())))

    file = backup_in(tmp_path / "out")

    assert last_result()["ok"], last_result()
    assert contents(first) == stored
    assert list(Path(settings.DATA_DIR).rglob("*.zip*")) == []
    with an_empty_server(tmp_path / "empty", settings):
        with pytest.raises(RestoreRefused, match=r"files in .*releases"):
            restored_from(file)  # it would replace those of the first bucket
        second = use_bucket("-empty")
        with ExitStack() as stack:

            def lose_storage(text: str) -> None:
                if text.startswith("Comparing"):
                    stack.enter_context(storage_out_of_reach(settings))

            with pytest.raises(FilesNotShared, match="share_files"):
                restored_from(file, report=lose_storage)
        call_command("share_files")
        assert contents(second) == stored
        assert files_in(settings.RELEASE_DIR) == files_in(settings.UPLOAD_DIR) == []
        release = Collection.objects.get(slug=collection.slug).releases.get()
        open_release(release).close()  # raises if it is not what was published
        check_replaced_bucket(file, second, stored, settings)


def check_replaced_bucket(file: Path, bucket, stored: dict[str, bytes], settings) -> None:
    """What the bucket had is kept on this machine, and then the bucket has the backup's files only.

    If the storage fails, they are on this machine until they are moved.
    """
    spoiled, later = sorted(stored)[0], "some/prefix/uploads/later/file"
    bucket.put_object(Key=spoiled, Body=b"spoiled")
    bucket.put_object(Key=later, Body=b"later")

    kept, _ = restored_from(file, replace=current_engine().database).kept

    assert contents(bucket) == stored
    before = Path(kept.removeprefix("the files in "))
    assert (before / "uploads" / "later" / "file").read_bytes() == b"later"
    assert (before / Path(spoiled).relative_to("some/prefix")).read_bytes() == b"spoiled"


def files_in(folder: str | Path) -> list[Path]:
    return [path for path in Path(folder).rglob("*") if path.is_file()]


@pytest.mark.wrong_release
@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
def test_a_backup_without_a_file_that_a_row_names_is_kept_and_reported(world, tmp_path):
    folder = tmp_path / "out"
    older = folder / "qrelsmith-20250101T000000Z.tar"
    folder.mkdir()
    older.touch()
    path = path_of(world.slug, "1.0")
    content = path.read_bytes()
    path.unlink()

    with pytest.raises(BackupIncomplete, match=f"releases/{world.slug}/1.0.zip is missing"):
        backup_in(folder, keep=1)

    assert not last_result()["ok"]
    assert Path(last_result()["file"]).exists()
    assert older.exists(), "it may have the file"

    path.write_bytes(content[:-1])
    Path(last_result()["file"]).unlink()
    with pytest.raises(BackupIncomplete, match="its SHA-256 differs"):
        backup_in(folder, keep=1)

    path.write_bytes(content)
    Path(last_result()["file"]).unlink()
    file = backup_in(folder, keep=1)
    assert list(folder.iterdir()) == [file]


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_backup_that_is_cancelled_or_finds_the_disk_full_leaves_nothing(tmp_path):
    def cancel(text: str) -> None:
        if text.startswith("Copied"):
            os.kill(os.getpid(), signal.SIGTERM)

    a_collection()
    folder = tmp_path / "out"
    with pytest.raises(BackupCancelled), cancelled_by_signals():
        backup_in(folder, report=cancel)
    assert not list(folder.iterdir())
    assert last_result() | {"finished_at": ""} == {
        "finished_at": "",
        "ok": False,
        "file": None,
        "error": "Cancelled. Nothing of it remains.",
    }

    with pytest.raises(BackupFailed, match=r"nowhere is not a folder"):
        make_backup(
            folder=tmp_path / "nowhere", encryption=Encryption(), keep=None, report=silently
        )
    with small_disk(tmp_path / "disk", "2m") as disk:
        disk.fill(but=100_000)
        with pytest.raises(DiskFull, match=f"No space left on device: {disk.folder}"):
            backup_in(disk.folder)
        assert [path.name for path in disk.folder.iterdir()] == ["filler"]
    assert not leftovers(folder, settings.DATA_DIR)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_the_moment_is_taken_again_if_a_file_of_its_rows_was_removed_meanwhile(tmp_path):
    """A job that is queued just before the moment and has ended just after it."""
    collection = a_collection()
    engine = current_engine()

    class Racing:
        moments = 0

        def begin_moment(self) -> None:
            self.moments += 1
            if self.moments == 1:
                in_a_thread(begin_job)
            engine.begin_moment()
            if self.moments == 1:
                assert Job.objects.filter(state=State.QUEUED).exists()
                in_a_thread(end_job)

    def begin_job() -> None:
        upload.parent.mkdir(parents=True)
        upload.touch()
        Job.objects.create(
            kind="import_documents",
            collection=collection,
            parameters={"path": f"{collection.slug}/{upload.name}"},
        )

    def end_job() -> None:
        Job.objects.filter(state=State.QUEUED).update(state=State.SUCCEEDED)
        upload.unlink()

    upload = Path(settings.UPLOAD_DIR, collection.slug, str(uuid.uuid4()))
    racing, linked = Racing(), LinkedFiles(tmp_path / "linked")
    with _moment(racing, linked) as needed:
        assert racing.moments == 2
        assert not needed


def in_a_thread(call) -> None:
    def run() -> None:
        with closing(connection):
            call()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


@pytest.mark.parametrize("program", ["age", "gpg"])
def test_a_file_is_read_only_with_the_key_that_it_is_encrypted_for(program, tmp_path, monkeypatch):
    recipient, identity = new_key(program, tmp_path, monkeypatch)
    file = tmp_path / f"b.tar.{program}"
    with file.open("wb") as out, encrypted_into(out, Encryption(program, [recipient])) as stream:
        stream.write(b"judgments" * 100_000)

    assert b"judgments" not in file.read_bytes()
    with decrypted(file, identity) as stream:
        assert stream.read() == b"judgments" * 100_000
    if program == "gpg":
        monkeypatch.setenv("GNUPGHOME", str(tmp_path))
        another = None
    else:
        with pytest.raises(RestoreRefused, match="Name its key with --age-identity"):
            decrypted(file, None).__enter__()
        (tmp_path / "other").mkdir()
        _, another = new_key(program, tmp_path / "other", monkeypatch)
    with (
        pytest.raises(BackupFailed, match=f"{program} failed: "),
        decrypted(file, another) as stream,
    ):
        assert not stream.read()


def a_manifest(**changes) -> BackupManifest:
    engine = current_engine().name
    given = {"version": "0.1.0", "created_at": "2026-01-01", "engine": engine, "migrations": []}
    return BackupManifest(**{**given, "tables": {}, **changes})


def an_archive(path: Path, manifest: BackupManifest, *, name: str = "database/000001") -> Path:
    with path.open("wb") as file, writing(file) as archive:
        archive.add_manifest(manifest)
        archive.add(name, b"nothing")
    return path


@pytest.mark.django_db
@pytest.mark.may_differ
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "has format 99, and this version reads formats up to 1"),
        ({"version": "99.0"}, "of version 99.0, and this is version"),
        ({"migrations": ["release.0999_later"]}, "Its database has release.0999_later"),
        ({"engine": "oracle"}, "The backup is of oracle, and DATABASE_URL names"),
    ],
)
def test_a_backup_of_a_later_version_or_another_database_is_refused(changes, message, tmp_path):
    file = an_archive(tmp_path / "b.tar", a_manifest(**changes))

    with pytest.raises((RestoreRefused, BackupDamaged), match=message):
        restored_from(file, is_dry_run=True)


@pytest.mark.django_db
@pytest.mark.may_differ
def test_a_damaged_backup_is_refused(tmp_path):
    file = an_archive(tmp_path / "b.tar", a_manifest())
    whole = file.read_bytes()

    with pytest.raises(BackupFailed):  # it has no database, although all digests are right
        restored_from(file, is_dry_run=True)
    for content, message in (
        (whole.replace(b"nothing", b"nothIng"), "/000001 in the backup is damaged|pg_restore"),
        (whole[:2_048], "SHA256SUMS is missing|pg_restore"),
        (b"no tar", "is not a backup"),
    ):
        file.write_bytes(content)
        with pytest.raises((BackupDamaged, BackupFailed), match=message):
            restored_from(file, is_dry_run=True)
    an_archive(file, a_manifest(), name="files/../../evil")
    with pytest.raises(BackupDamaged, match="evil, which none has"):
        restored_from(file, is_dry_run=True)
    assert not leftovers(settings.DATA_DIR)
