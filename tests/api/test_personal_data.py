"""Export and erasure of people by the API, with the services of the pages."""

from __future__ import annotations

import io
import zipfile

import pytest

from accounts.actions.kinds import ActionKind
from accounts.actions.models import RecordedAction
from accounts.models import User
from tests.support.api_world import client_of
from tests.support.factories import UserFactory

pytestmark = pytest.mark.one_database

API = "/api/v1/personal-data/"


def files_in(answer) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_person_sees_and_downloads_the_own_data(world):
    ann1 = client_of("ann1")

    stored = {row["file"]: row for row in ann1.get(API).json()["stored"]}
    files = files_in(ann1.post(f"{API}export/"))

    assert stored["judgments.jsonl"]["fate"] == "kept"
    assert stored["roles.jsonl"]["fate"] == "removed"
    assert set(stored) | {"README.txt"} == set(files)
    assert len(files["judgments.jsonl"].splitlines()) == stored["judgments.jsonl"]["number"]
    assert RecordedAction.objects.filter(kind=ActionKind.PERSON_EXPORTED).count() == 1
    assert client_of("ann1", "read").get(API).status_code == 200
    assert client_of("ann1", "read").post(f"{API}export/").status_code == 403
    assert ann1.post(f"{API}export/", {"more": 1}, format="json").status_code == 400


def test_staff_find_export_and_erase_a_person_who_has_no_work_left(world):
    UserFactory(username="root", is_staff=True)
    root = client_of("root")
    ann1, ann2 = (User.objects.get(username=name) for name in ("ann1", "ann2"))

    found = root.post(f"{API}people/", {"login": "ann2"}, format="json").json()
    assert found == {"id": ann2.pk, "username": "ann2", "erased_at": None}
    nobody = root.post(f"{API}people/", {"login": "nobody"}, format="json")
    assert nobody.status_code == 404
    where = f"{API}people/{ann2.pk}/"
    own, theirs = (
        files_in(client_of("ann2").post(f"{API}export/")),
        files_in(root.post(f"{where}export/")),
    )
    # ann2 alone has judged some pairs, which staff do not see.
    assert len(theirs["judgments.jsonl"]) < len(own["judgments.jsonl"])
    assert b"left out" in theirs["README.txt"]

    waiting = root.get(f"{API}people/{ann1.pk}/").json()
    assert "pairs to judge" in waiting["obstacles"][0]
    refused = root.post(f"{API}people/{ann1.pk}/erasure/", {"username": "ann1"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_erase")
    assert root.get(where).json()["obstacles"] == []
    wrong = root.post(f"{where}erasure/", {"username": "Ann2"}, format="json")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "wrong_username")
    erased = root.post(f"{where}erasure/", {"username": "ann2"}, format="json").json()
    assert erased["username"].startswith("erased-")
    assert erased["erased_at"]
    again = root.post(f"{where}erasure/", {"username": erased["username"]}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "already_erased")
    action = RecordedAction.objects.get(kind=ActionKind.PERSON_ERASED)
    assert (action.person.username, action.about_id) == ("root", ann2.pk)


def test_staff_who_judge_with_the_person_learn_nothing(world):
    User.objects.filter(username__in=["ann1", "adju"]).update(is_staff=True)
    where = f"{API}people/{User.objects.get(username='ann2').pk}/"

    for name in ("ann1", "adju"):
        client = client_of(name)
        for answer in (
            client.get(where),
            client.post(f"{where}export/"),
            client.post(f"{where}erasure/", {"username": "ann2"}, format="json"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (409, "not_for_you")
    assert User.objects.get(username="ann2").erased_at is None
