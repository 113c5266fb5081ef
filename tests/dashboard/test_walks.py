"""The ways from a collection's overview to the answers that admins look for, by links alone."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def admin(client, world) -> Client:
    client.force_login(User.objects.get(username="admin"))
    return client


def follow(admin: Client, start: str, *links: str) -> str:
    """The address after these links, each the beginning of an address on the page before."""
    address = start
    for link in links:
        shown = re.findall(r'href="([^"]+)"', admin.get(address).text.replace("&amp;", "&"))
        address = urljoin(address, next(found for found in shown if found.startswith(link)))
    return address


@pytest.mark.parametrize(
    ("links", "text"),
    [
        (["/c/small/documents/", "/c/small/documents/id/"], "Pools"),
        (["/c/small/evaluation/", "/c/small/evaluation/comparison/lists/"], "Ranked lists"),
        (["/c/small/judging/"], "Progress"),
        (["/c/small/releases/"], "Checks"),
        (["/c/small/evaluation/"], "Leaderboard"),
    ],
)
def test_an_answer_is_two_links_away_from_the_overview(admin, world, links, text):
    assert text in admin.get(follow(admin, reverse("collection", args=["small"]), *links)).text


def test_the_grades_of_one_facet_are_a_file_two_links_away(admin, world):
    address = follow(admin, "/c/small/", "/c/small/queries/", "?facet=method&format=qrels")

    file = b"".join(admin.get(address).streaming_content).decode()
    assert all(re.fullmatch(r"\S+_method\S* 0 \S+ [0-3]", line) for line in file.splitlines())
