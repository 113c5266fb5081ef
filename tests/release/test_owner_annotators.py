"""Releases of a collection whose owner judged: what they say, and what an import keeps."""

from __future__ import annotations

import json

import pytest

from accounts.models import Collection, Role, User
from bundle.datasheet.owners import owners_sentence
from bundle.names import SETTINGS
from release.gate.checks import CHECKS
from release.gate.context import GateContext
from release.importing.service import import_release
from release.snapshot import take_snapshot
from tests.support.bundles import AS_IT_IS, released_files, write_bundle
from tests.support.factories import member
from tests.support.release_scenes import a_judged_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection() -> Collection:
    """The second annotator owns it."""
    collection = a_judged_collection()
    membership = collection.memberships.get(user__username="ann2")
    membership.role = Role.OWNER_ANNOTATOR
    membership.save()
    return collection


def finding(collection: Collection):
    return CHECKS["owner-annotators"].finding(GateContext(collection, AS_IT_IS))


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_readme_and_the_datasheet_say_that_an_owner_judged(collection):
    files = released_files(collection)

    for name in ("README.md", "datasheet.md"):
        text = in_one_line(files[name].decode())
        assert "One of the annotators set up the collection (owner-annotator)." in text
        assert "It showed no source, rank or score of a candidate" in text
    assert json.loads(files[SETTINGS])["datasheet"]["owner_annotators"] == 1


def test_a_release_of_others_says_nothing_of_owners(tmp_path):
    files = released_files(a_judged_collection())

    assert "owner-annotator" not in files["README.md"].decode()
    assert "owner_annotators" not in json.loads(files[SETTINGS])["datasheet"]


def test_an_owner_who_judged_nothing_is_not_counted():
    collection = a_judged_collection()
    member(collection, Role.OWNER_ANNOTATOR, "owner")

    assert take_snapshot(collection).datasheet.owner_annotators == 0


def test_an_owner_who_ended_judging_is_counted(collection):
    collection.memberships.filter(user__username="ann2").update(role=Role.ADMIN)

    assert take_snapshot(collection).datasheet.owner_annotators == 1


def test_no_file_says_which_annotator_it_was(collection):
    files = released_files(collection)

    assert "owner" not in files["annotations/ratings.csv"].decode()


def test_an_import_keeps_the_number(collection, tmp_path):
    files = released_files(collection)
    path = write_bundle(tmp_path / "release.zip", files)

    import_release(path=path, slug="copy", admin=User.objects.get(username="admin"))

    copy = Collection.objects.get(slug="copy")
    assert take_snapshot(copy).datasheet.owner_annotators == 1


def test_owner_annotators_alone_cannot_publish(collection):
    collection.memberships.filter(role=Role.ADMIN).delete()

    found = finding(collection)

    assert (found.ok, found.can_accept, found.items) == (False, False, ("ann2",))


def test_with_an_admin_the_collection_can_be_published(collection):
    assert finding(collection).ok


def test_several_owners_are_counted_in_the_sentence():
    assert owners_sentence(2).startswith("2 of the annotators set up the collection")
    assert owners_sentence(0) == ""
