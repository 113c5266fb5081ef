"""An import of a release while it runs, and when it fails or is killed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError
from django.db import connection

from accounts.commands import collection_named
from accounts.models import UNFINISHED, Collection, Role, User
from corpus.services import create_collection
from jobs.context import DirectRun
from release.importing import judgments
from release.importing.service import import_release
from release.importing.unfinished import delete_abandoned, deleted_on_error
from tests.support.bundles import released_files, write_bundle
from tests.support.every_kind import a_collection_of_every_kind
from tests.support.factories import a_collection
from tests.support.running import ROOT, at_once, environment

KILLED_IMPORT = """
import os, signal, sys
from pathlib import Path
import django
django.setup()
from jobs.context import DirectRun
from release.importing import judgments
from release.importing.service import import_release

class Killed(DirectRun):
    def progress(self, done, total, note=""):
        if (done, note) == (3, "judged queries imported"):
            os.kill(os.getpid(), signal.SIGKILL)

judgments.JUDGMENTS_TOGETHER = 1
import_release(path=Path(sys.argv[1]), slug="copy", verified=True, work=Killed())
"""
WRITTEN = ("documents imported", "pools imported", "judged queries imported")


@pytest.fixture(scope="module")
def release(rolled_back, tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    with rolled_back():
        files = released_files(a_collection_of_every_kind(folder))
    return write_bundle(folder / "release.zip", files)


def left() -> tuple[dict[str, int], list[str]]:
    """How many rows each table has, and the names of the files of imports."""
    rows = {model._meta.label: model._base_manager.count() for model in apps.get_models()}
    folder = settings.DATA_DIR / "imports"
    return rows, [path.name for path in folder.iterdir()] if folder.exists() else []


@pytest.mark.one_database  # the second adds nothing: the rows are deleted as in test_archive.py
@pytest.mark.django_db(transaction=True)
@pytest.mark.by_day(2)
def test_nobody_sees_what_a_killed_import_left_and_the_next_one_deletes_it(release, client):
    a_collection()
    client.force_login(User.objects.get(username="admin"))
    before = left()

    killed = subprocess.run(
        [sys.executable, "-c", KILLED_IMPORT, release],
        cwd=ROOT,
        env=environment(DJANGO_SETTINGS_MODULE="config.settings"),
        check=False,
    )

    unfinished = Collection.objects.get(slug__startswith=UNFINISHED)
    assert killed.returncode == -9
    assert unfinished.queries.exclude(opening=None).count() == 3
    assert not unfinished.memberships.filter(user__is_active=True).exists()
    assert list(Collection.objects.active().values_list("slug", flat=True)) == ["small"]
    with pytest.raises(CommandError, match=r"Existing collections: small\."):
        collection_named(unfinished.slug)
    assert client.get(f"/c/{unfinished.slug}/").status_code == 404
    assert client.get("/c/small/").status_code == 200
    assert unfinished.name not in client.get("/").text
    assert left() != before

    delete_abandoned(DirectRun())

    assert left() == before


class Watched(DirectRun):
    """Work that calls a function in a thread of its own whenever a part of the rows is written."""

    def __init__(self, visit) -> None:
        super().__init__()
        self.visit, self.found = visit, []

    def progress(self, done, total, note="") -> None:
        if note in WRITTEN:
            assert not connection.in_atomic_block
            self.found += at_once([self.visit])


def a_visit():
    """What another connection sees, and that it can write."""
    written = User.objects.filter(username="admin").update(first_name="Written")
    return written, [*Collection.objects.active().values_list("slug", flat=True)]


@pytest.mark.django_db(transaction=True)
def test_others_can_write_while_an_import_runs_and_do_not_see_it(release, monkeypatch):
    monkeypatch.setattr(judgments, "JUDGMENTS_TOGETHER", 1)
    a_collection()
    admin = User.objects.get(username="admin")
    work = Watched(a_visit)

    import_release(path=release, slug="copy", admin=admin, verified=True, work=work)

    assert work.found == [(1, ["small"])] * (1 + 1 + 6)  # documents, pools, each open query
    slugs = (
        Collection.objects.active().with_role(admin, [Role.ADMIN]).values_list("slug", flat=True)
    )
    assert set(slugs) == {"copy", "small"}
    assert left()[1] == []


@pytest.mark.django_db
def test_an_import_whose_process_lives_is_left_alone(db):
    with pytest.raises(KeyboardInterrupt), deleted_on_error() as slug:  # noqa: PT012
        create_collection(slug=slug, name="A copy")
        delete_abandoned(DirectRun())
        assert Collection.objects.filter(slug=slug).exists()
        raise KeyboardInterrupt

    assert not Collection.objects.exists()
    assert left()[1] == []
