"""A published version stays to be had, whatever changes after it."""

from __future__ import annotations

import hashlib
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from release.errors import CannotRestore
from release.files import open_release, path_of
from release.models import Release
from release.services import publish_release
from release.versions.released_labels import UnknownVersion, released_qrels
from release.versions.restoring import restore_release
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.releases import accepting
from tests.support.sittings import judge

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def release():
    return publish_release(collection=a_judged_collection(), version="1.0")


def revise_a_judgment(collection, settings):
    judge(slot_of(collection, "q1_method", "d1", 1), 0)


def change_the_description(collection, settings):
    type(collection).objects.filter(pk=collection.pk).update(description="Other words", licence="")


def upgrade(collection, settings):
    settings.SOFTWARE_VERSION = "99.0"


def lose_the_runs(collection, settings):
    """As a later format would: nothing of what is written now is what was written then."""
    collection.queries.get(name="q1_method").query_paper.pool.build.__class__.objects.update(
        manifest={"format": 99}
    )


CHANGES = [revise_a_judgment, change_the_description, upgrade, lose_the_runs]


def from_the_page(release, folder):
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    return client.get(reverse("release-download", args=["small", "1.0"])).getvalue()


def from_the_api(release, folder):
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    return client.get("/api/v1/collections/small/releases/1.0/bundle.zip").getvalue()


def from_the_command(release, folder):
    call_command(
        "publish_release", "small", "1.0", output=folder, stdout=StringIO(), stderr=StringIO()
    )
    return (folder / "small-1.0.zip").read_bytes()


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("fetch", [from_the_page, from_the_api, from_the_command])
def test_the_kept_file_is_handed_out_after_any_change(release, settings, tmp_path, fetch, change):
    change(release.collection, settings)

    assert hashlib.sha256(fetch(release, tmp_path)).hexdigest() == release.sha256


def test_the_command_says_that_it_gives_an_old_version(release, tmp_path):
    errors = StringIO()

    call_command(
        "publish_release", "small", "1.0", output=tmp_path, stdout=StringIO(), stderr=errors
    )

    assert "Version 1.0 is published already" in errors.getvalue()
    assert Release.objects.count() == 1


# A lost file


@pytest.mark.parametrize("loss", ["gone", "cut short"])
def test_a_lost_file_is_built_again_by_the_command(release, tmp_path, loss):
    path = path_of("small", "1.0")
    kept = path.read_bytes()
    path.unlink() if loss == "gone" else path.write_bytes(kept[:100])

    assert from_the_command(release, tmp_path) == kept
    assert path.read_bytes() == kept


def test_a_lost_file_is_built_again_by_a_later_version_that_writes_the_same(release, settings):
    path_of("small", "1.0").unlink()
    upgrade(release.collection, settings)

    restore_release(release=release)

    assert open_release(release)


def test_an_accepted_exception_is_accepted_again():
    release = publish_release(
        collection=a_judged_collection(licence=""), version="1.0", accept=accepting(["licence"])
    )
    path_of("small", "1.0").unlink()

    restore_release(release=release)

    assert open_release(release)


@pytest.mark.parametrize(
    ("change", "differences"),
    [
        (revise_a_judgment, ["annotations/ratings.csv", "trec/qrels.method.txt", "counts"]),
        (change_the_description, ["collection", "README.md"]),
        (lose_the_runs, ["pool_builds"]),
    ],
)
def test_what_cannot_be_built_again_says_what_differs_and_what_to_do(
    release, settings, tmp_path, change, differences
):
    path_of("small", "1.0").unlink()
    change(release.collection, settings)

    with pytest.raises(CommandError) as error:
        from_the_command(release, tmp_path)

    message = str(error.value)
    assert "The file of small 1.0 is missing" in message
    assert "cannot be built again" in message
    for name in differences:
        assert name in message
    assert release.sha256 in message
    assert "Restore 1.0.zip from a backup" in message
    assert not path_of("small", "1.0").exists()
    assert not (tmp_path / "small-1.0.zip").exists()


def test_another_version_of_the_software_is_named_where_bytes_differ(release, settings):
    path_of("small", "1.0").unlink()
    revise_a_judgment(release.collection, settings)
    upgrade(release.collection, settings)

    with pytest.raises(CannotRestore, match=r"published with Qrelsmith 0\.1\.0, and this is 99\.0"):
        restore_release(release=release)


def test_a_release_of_another_format_says_that_only_its_own_software_writes_it():
    collection = a_judged_collection()
    made = publish_release(collection=collection, version="1.0")
    manifest = {**made.manifest, "format_version": 1}
    old = collection.releases.create(version="0.9", sha256="0" * 64, size=1, manifest=manifest)

    with pytest.raises(CannotRestore, match="format 1, and this software writes format 3"):
        restore_release(release=old)


def test_a_gate_that_has_become_stricter_does_not_hide_a_published_version(release, monkeypatch):
    from release.gate import checks as gate
    from release.gate.checks import Finding

    stricter = {**gate.CHECKS, "new": lambda snapshot: Finding("new", ok=False, message="No.")}
    path_of("small", "1.0").unlink()
    monkeypatch.setattr(gate, "CHECKS", stricter)

    restore_release(release=release)

    assert open_release(release)


def test_the_command_that_labels_of_a_lost_file_name_builds_it_again(release, tmp_path):
    """No page does."""
    path = path_of("small", "1.0")
    labels = released_qrels(release.collection, "1.0")
    path.unlink()

    with pytest.raises(UnknownVersion) as error:
        released_qrels(release.collection, "1.0")
    command = re.search(r"python manage\.py (.+) --output DIR$", str(error.value))
    assert command
    call_command(*command[1].split(), output=tmp_path / "out", stdout=StringIO(), stderr=StringIO())

    assert released_qrels(release.collection, "1.0") == labels
