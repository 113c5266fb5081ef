"""A release says how the lists of systems can be scored: closed, open or condensed, and why."""

from __future__ import annotations

import json

import pytest

from bundle.options import LabelSource, ReleaseOptions
from evaluation.leaderboard.supported_scopes import (
    ScopeSupport,
    scopes_under_citations,
    supported_scopes,
)
from release.services import publish_release
from tests.support.bundles import released_files
from tests.support.citation_scenes import an_mdcr_collection
from tests.support.release_scenes import a_judged_collection, an_opened_collection, slot_of
from tests.support.sittings import judge
from tests.support.visits import client_of

pytestmark = pytest.mark.django_db
OF_CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)


def answers(files: dict[str, bytes]) -> dict[str, str]:
    scopes = json.loads(files["manifest.json"])["scopes"]
    return {scope["scope"]: scope["answer"] for scope in scopes}


def in_readme(files: dict[str, bytes], support: ScopeSupport) -> bool:
    section = files["README.md"].decode().split("## What it supports")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("- ")]
    (line,) = [line for line in lines if line.lower().startswith(f"- **{support.scope.value}**")]
    reason = " ".join(support.reason.split()).rstrip(".").lower()
    return f"): {support.answer}. {reason}." in line.lower()


def test_a_release_states_the_scopes_of_its_collection():
    collection = a_judged_collection()

    files = released_files(collection)

    assert answers(files) == {
        "closed": "supported",
        "open": "cannot be said",
        "condensed": "supported",
    }
    assert all(in_readme(files, support) for support in supported_scopes(collection))


def test_closed_lists_are_not_supported_if_pairs_lack_a_label():
    collection = an_opened_collection()
    for number in (1, 2):
        judge(slot_of(collection, "q1_method", "d1", number), 2)

    files = released_files(collection)

    assert answers(files)["closed"] == "not supported"
    scopes = {each["scope"]: each for each in json.loads(files["manifest.json"])["scopes"]}
    assert scopes["closed"]["reason"] == "1 of 9 pooled pairs have a final label"


def test_a_release_of_citations_states_its_own():
    files = released_files(an_mdcr_collection(), OF_CITATIONS)

    assert answers(files) == {
        "closed": "supported",
        "open": "not supported",
        "condensed": "supported",
    }
    assert all(in_readme(files, support) for support in scopes_under_citations())


def test_the_pages_of_a_version_state_them():
    release = publish_release(collection=an_mdcr_collection(), version="1.0", options=OF_CITATIONS)
    client = client_of("admin")
    client.post(f"/c/small/releases/{release.version}/public/", {"confirmed": "yes"})
    reason = "cited papers outside the pools have no label and count as wrong"

    for address in ("/c/small/releases/1.0/", "/releases/small/1.0/"):
        page = " ".join(client.get(address).text.split())
        assert f"<dt>Open lists</dt> <dd>not supported: {reason}</dd>" in page, address
        assert "<dt>Closed lists</dt> <dd>supported: " in page
