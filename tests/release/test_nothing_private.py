"""No file of a bundle names a person, a note or a place on the server."""

from __future__ import annotations

import platform
import zipfile
from pathlib import Path

import pytest
from django.conf import settings

from accounts.models import User
from adjudication.models import Decision
from bundle.options import ReleaseOptions, Texts
from bundle.zip.writing import EPOCH
from release.files import open_release
from release.services import publish_release
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import EVERY_EXCEPTION

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ROOT = Path(__file__).resolve().parents[2]


def name_the_people() -> None:
    for user in User.objects.all():
        user.username = f"{user.username}-longname"
        user.first_name, user.last_name = f"Given{user.username}", f"Family{user.username}"
        user.email = f"{user.username}@people.example"
        user.save()


@pytest.mark.parametrize("texts", Texts)
def test_no_file_has_a_name_a_note_or_a_path(texts):
    collection = a_judged_collection(licence="")
    name_the_people()
    release = publish_release(
        collection=collection,
        version="1.0",
        accept=EVERY_EXCEPTION,
        options=ReleaseOptions(texts),
        published_by=User.objects.get(username__startswith="admin"),
    )
    notes = [note for note in Decision.objects.values_list("note", flat=True) if note]
    assert notes
    private = {
        *notes,
        *(settings.SECRET_KEY, str(settings.DATA_DIR), str(ROOT), str(Path.home())),
        *(user.first_name for user in User.objects.all()),
        *(user.last_name for user in User.objects.all()),
        *(user.email for user in User.objects.all()),
        *(user.username for user in User.objects.all()),
    }
    if len(platform.node()) > 6:  # a short one may be a word
        private.add(platform.node())

    with open_release(release) as file, zipfile.ZipFile(file) as archive:
        found = {
            (member.filename, text)
            for member in archive.infolist()
            for text in private
            if text.encode() in archive.read(member) or text in member.filename
        }
        stamps = {member.date_time for member in archive.infolist()}

    assert found == set()
    assert stamps == {EPOCH}
