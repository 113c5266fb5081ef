"""Backup and restore: the same server on an empty machine, or nothing at all."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tarfile

import psycopg
import pytest
from django.conf import settings as django_settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from annotation.models import Judgment
from tests import builders

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def backup(settings, tmp_path):
    """A backup's path: made of what the database and the storage have now."""
    settings.MEDIA_ROOT = tmp_path / "files"

    def make():
        call_command("backup", tmp_path / "backup.tar", stdout=io.StringIO())
        return tmp_path / "backup.tar"

    return make


@pytest.fixture
def empty_machine(tmp_path):
    """The environment of another server, which has nothing but a database without tables."""
    folder = tmp_path / "other"
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        yield os.environ | {"DATA_DIR": str(folder), "DATABASE_URL": f"sqlite:///{folder}/new.sqlite3"}
        return
    address = f"//{database['USER']}@{database['HOST']}:{database['PORT']}"
    name = f"{database['NAME']}_restored"
    with psycopg.connect(f"postgresql:{address}/postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield os.environ | {"DATA_DIR": str(folder), "DATABASE_URL": f"postgres:{address}/{name}"}
        server.execute(f"DROP DATABASE {name}")


def manage(environment, *arguments):
    command = [sys.executable, "manage.py", *map(str, arguments)]
    root = django_settings.BASE_DIR
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def content_of(tar):
    """Its members; of the database what PostgreSQL or SQLite say that is in it."""
    with tarfile.open(tar) as archive:
        members = {member.name: archive.extractfile(member).read() for member in archive}
    members.pop("MANIFEST.json")
    if connection.vendor == "sqlite":
        copy = tar.with_suffix(".sqlite3")
        copy.write_bytes(members["database"])
        members["database"] = list(sqlite3.connect(copy).iterdump())
    else:  # rows, sequences and triggers: its words for a schema differ after a restore
        words = rb"^COPY .*?^\\\.$|^SELECT pg_catalog.setval.*?$|^CREATE TRIGGER.*?$"
        members["database"] = re.findall(words, members["database"], re.MULTILINE | re.DOTALL)
        assert len(members["database"]) > 50
    return members


def test_a_restored_server_is_the_same_and_so_is_its_own_backup(query, people, backup, empty_machine, tmp_path):
    for pair in query.pairs.all():
        builders.judge(pair, people.ann, None, note="Ä “note”\n\u2028 with lines")
    default_storage.save("releases/papers/1.0.zip", ContentFile(os.urandom(100_000)))
    default_storage.save("uploads/1-x/a b.jsonl", ContentFile(b"{}"))
    tar = backup()
    before = content_of(tar)
    assert {"database", "files/releases/papers/1.0.zip", "files/uploads/1-x/a b.jsonl"} == before.keys()
    assert tar.stat().st_mode & 0o077 == 0
    for turn in (1, 2):
        restored = manage(empty_machine, "restore", tar)
        assert restored.returncode == 0, restored.stderr
        tar = tmp_path / f"again-{turn}.tar"
        assert manage(empty_machine, "backup", tar).returncode == 0
        assert content_of(tar) == before
        refused = manage(empty_machine, "restore", tar)
        assert "has accounts already" in refused.stderr
        if turn == 1:  # the second time, into a database that has tables
            empty_again(empty_machine)
    assert Judgment.objects.count() == query.pairs.count()


def empty_again(environment) -> None:
    """A server that was just set up: migrated, without rows."""
    code = (
        "import os, sys; from django.conf import settings; from django.db import connection as c; k = c.cursor();"
        "p = settings.DATABASES['default']['NAME'];"
        "k.execute('DROP SCHEMA public CASCADE; CREATE SCHEMA public') if c.vendor != 'sqlite' else os.remove(p)"
    )
    assert manage(environment, "shell", "-c", code).returncode == 0
    assert manage(environment, "migrate").returncode == 0


def rewritten(tar, change):
    """The same tar with other members, its manifest unchanged."""
    with tarfile.open(tar) as archive:
        members = {member.name: archive.extractfile(member).read() for member in archive}
    change(members)
    with tarfile.open(tar, "w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def manifest(**fields):
    def change(members):
        members["MANIFEST.json"] = json.dumps(json.loads(members["MANIFEST.json"]) | fields).encode()

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda members: members.update({"files/a": b"other"}), "files/a is damaged"),
        (lambda members: members.update({"files/../../escaped": b"x"}), "escaped is damaged"),
        (lambda members: members.update(database=members["database"][:-1]), "database is damaged"),
        (lambda members: members.pop("files/a"), "files/a is damaged or missing"),
        (lambda members: members.pop("MANIFEST.json"), "cut short"),
        (lambda members: members.update({"MANIFEST.json": b"{"}), "cannot be restored"),
        (lambda members: members.update({"MANIFEST.json": b"{}"}), "not that of a backup"),
        (lambda members: members.update({"MANIFEST.json": b"[]"}), "not that of a backup"),
        (manifest(sha256=["database"]), "not that of a backup"),
        (manifest(sha256={}), "is damaged or missing"),
        (manifest(migrations=7), "not that of a backup"),
        (manifest(migrations=[["corpus"]]), "newer"),
        (manifest(database="oracle"), "of oracle"),
        (manifest(migrations=["corpus.0099_later"], version="9.0"), "9.0, which is newer"),
    ],
)
def test_a_backup_that_is_not_whole_changes_nothing(backup, change, reason):
    default_storage.save("a", ContentFile(b"content"))
    tar = backup()
    default_storage.delete("a")
    rewritten(tar, change)
    with pytest.raises(CommandError, match=reason):
        call_command("restore", tar)
    assert not default_storage.exists("a")
    assert not User.objects.exists()


@pytest.mark.parametrize("size", [0, 100, 5_000])
def test_a_backup_that_was_cut_short_is_refused(backup, size):
    tar = backup()
    os.truncate(tar, size)
    with pytest.raises(CommandError, match="cannot be restored"):
        call_command("restore", tar)


def test_a_file_of_another_server_is_not_replaced(backup):
    default_storage.save("a", ContentFile(b"mine"))
    tar = backup()
    default_storage.delete("a")
    default_storage.save("a", ContentFile(b"theirs"))
    with pytest.raises(CommandError, match="another a"):
        call_command("restore", tar)
    assert default_storage.open("a").read() == b"theirs"


def test_a_backup_replaces_no_other_and_leaves_nothing_half_written(backup, tmp_path, monkeypatch):
    backup()
    with pytest.raises(CommandError, match="there already"):
        backup()
    monkeypatch.setenv("PATH", "")  # without pg_dump
    if connection.vendor == "postgresql":
        with pytest.raises(CommandError, match="pg_dump is missing"):
            call_command("backup", tmp_path / "second.tar")
    with pytest.raises(CommandError, match="No such file"):
        call_command("backup", tmp_path / "nowhere" / "third.tar")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["backup.tar"]
