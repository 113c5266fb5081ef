"""A published version stays to be had, whatever changes after it."""

from __future__ import annotations

import hashlib
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from release.files import path_of
from release.models import Release
from release.services import publish_release
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def judged():
    return publish_release(collection=a_judged_collection(), version="1.0")


@once_a_file
def release():
    return judged()


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
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("publish_release", "small", "1.0", output=folder, **quiet)
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


@pytest.mark.parametrize("loss", ["gone", "cut short"])
def test_a_lost_file_is_not_handed_out_and_the_error_says_which_file_to_restore(
    release, tmp_path, loss
):
    path = path_of("small", "1.0")
    kept = path.read_bytes()
    path.unlink() if loss == "gone" else path.write_bytes(kept[:100])

    with pytest.raises(CommandError, match=f"1.0.zip from a backup .* must be {release.sha256}"):
        from_the_command(release, tmp_path)

    path.unlink(missing_ok=True)
    path.write_bytes(kept)
    assert from_the_command(release, tmp_path) == kept
