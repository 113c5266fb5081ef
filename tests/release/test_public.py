"""Public pages: what an admin made public, for everybody, and nothing else."""

from __future__ import annotations

import hashlib

import pytest
from django.test import Client
from django.urls import reverse

from tests import builders
from tests.release.helpers import pair_of
from tests.release.test_pages import content_of
from tests.release.test_publishing import publish
from tests.test_blindness import assert_same, seen_at, two_worlds

pytestmark = pytest.mark.django_db
PATHS = ("/r/papers/", "/r/papers/1.0/", "/r/papers/1.0.zip", "/robots.txt")


@pytest.fixture
def published(judged, as_):
    """Version 1.0, made public on its page."""
    judged.description = "# Ours\n<script>alert(1)</script>"
    judged.save()
    release = publish(judged, "1.0", notes="First.")
    as_("admin").post(reverse("release-public", args=["papers", "1.0"]), {"public": "1"})
    release.refresh_from_db()
    return release


def test_nobody_sees_a_version_before_it_is_public_or_after(judged, client, as_):
    publish(judged, "1.0")
    button = reverse("release-public", args=["papers", "1.0"])
    for answer, status in (({}, 404), ({"public": "1"}, 200), ({}, 404)):
        as_("admin").post(button, answer)
        for reader in (client, as_("admin")):
            assert {reader.get(path).status_code for path in PATHS[:3]} == {status}


def test_the_page_shows_what_was_published(published, client):
    text = client.get("/r/papers/1.0/").content.decode()
    for said in (published.sha256, "CC-BY-4.0", "/r/papers/1.0.zip", "<h2>Verify</h2>", "version 1.0. A published"):
        assert said in text
    assert "pretty_name" not in text
    assert "<script>alert" not in text
    assert "/r/papers/1.0/" in client.get("/r/papers/").content.decode()


def test_nothing_of_later_work_or_of_others_is_public(published, people, tmp_path):
    def more():
        method = published.collection.queries.get(name="d00_method")
        builders.judge(pair_of(method, "d05"), people.bob, 3)
        builders.decide(pair_of(method, "d04"), people.ada, 1)
        publish(published.collection, "1.1", notes="SECRET")
        type(published.collection).objects.update(name="SECRET", description="SECRET", licence="SECRET")
        builders.collection("other")
        assert {Client().get(path).status_code for path in ("/r/papers/1.1/", "/r/papers/1.1.zip", "/r/other/")} == {
            404
        }
        assert not Client().get("/r/other/1.0.zip").has_header("ETag")

    assert_same(two_worlds(lambda: None, more, lambda: seen_at(Client(), PATHS)))


@pytest.mark.parametrize(
    ("asked", "status", "start", "end"),
    [
        ("", 200, 0, None),
        ("bytes=0-9", 206, 0, 10),
        ("bytes=1000-", 206, 1000, None),
        ("bytes=-100", 206, -100, None),
        ("bytes=99999999-", 416, 0, 0),
        ("bytes=0-1,5-9", 200, 0, None),  # several parts are not offered
        ("lines=1-2", 200, 0, None),
    ],
)
@pytest.mark.parametrize("username", ["", "admin"])
def test_a_download_goes_on_where_it_stopped(published, as_, asked, status, start, end, username):
    """For admins, too, on their own page."""
    whole = published.file.open().read()
    path = reverse("release-file", args=["papers", "1.0"]) if username else "/r/papers/1.0.zip"
    client = as_(username) if username else Client()
    answer = client.get(path, headers={"range": asked} if asked else {})
    assert (answer.status_code, content_of(answer)) == (status, whole[start:end])
    assert answer.get("Cache-Control") == ("private, no-store" if username else "no-cache")
    if status == 206:
        assert answer["Content-Range"].endswith(f"/{len(whole)}")
    if status != 416:
        assert answer["ETag"] == f'"{hashlib.sha256(whole).hexdigest()}"'
        assert answer["Content-Disposition"] == 'attachment; filename="papers-1.0.zip"'
        assert int(answer["Content-Length"]) == len(whole[start:end])


def test_what_a_reader_has_is_not_sent_again(published, client):
    for known in (f'"{published.sha256}"', f'W/"{published.sha256}"', f'"x", "{published.sha256}"', "*"):
        assert client.get("/r/papers/1.0.zip", headers={"if-none-match": known}).status_code == 304
    assert client.get("/r/papers/1.0.zip", headers={"if-none-match": '"x"'}).status_code == 200
    head = client.head("/r/papers/1.0.zip")
    assert (head.status_code, int(head["Content-Length"]), content_of(head)) == (200, published.size, b"")
    assert client.post("/r/papers/1.0.zip").status_code == 405


def test_a_file_that_is_gone_says_so_and_not_where_it_was(published, client):
    published.file.storage.delete(published.file.name)
    for path, status in (("/r/papers/1.0/", 409), ("/r/papers/1.0.zip", 404)):
        answer = client.get(path)
        assert answer.status_code == status
        assert published.sha256 in answer.content.decode()
        assert "releases/" not in answer.content.decode()
