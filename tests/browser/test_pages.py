"""Every page of the demo as its people see it: accessible in both themes, and whole from a phone to a desktop."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from accounts.models import Collection
from corpus.models import Document
from demo.loading import load_demo
from tests import builders
from tests.addresses import addresses

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
# Numbers in addresses of which a few are as good as all.
ENOUGH = 2


@pytest.fixture
def demo(tmp_path, settings):
    settings.DATA_DIR = settings.MEDIA_ROOT = tmp_path
    load_demo(say=lambda words: None)
    return Collection.objects.get()


def pages(collection, client) -> list[str]:
    """One or two pages of each kind that the person may open."""
    seen: dict[str, list[str]] = {}
    for name, path in addresses(collection):
        if not name.startswith("api-") and len(seen.setdefault(name, [])) < ENOUGH:
            answer = client.get(path)
            if (
                answer.status_code == 200
                and answer["Content-Type"].startswith("text/html")
                and b"<html" in answer.content
            ):
                seen[name].append(path)
    return [path for paths in seen.values() for path in paths]


@pytest.mark.parametrize(("username", "part"), [("admin", 0), ("admin", 1), ("annotator", 0), ("adjudicator", 0)])
def test_every_page_is_accessible_and_nothing_is_cut(demo, page_of, as_, username, part):
    paths = pages(demo, as_(username))
    assert len(paths) >= {"admin": 40, "annotator": 8, "adjudicator": 7}[username]
    if username == "admin":  # in two halves, which run beside each other
        paths = paths[part::2]
    faults = []
    page = page_of(username, "/")
    for number, path in enumerate(paths):
        theme = ["light", "dark"][number // 2 % 2]
        page.emulate_media(color_scheme=theme)
        page.goto(path)
        for violation in Axe().run(page, options=RULES).response["violations"]:
            places = [node["html"][:150] for node in violation["nodes"][:3]]
            faults.append(f"{path} ({theme}): {violation['id']}: {places}")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                faults.append(f"{path}: wider than a {size}")
    assert not faults, "\n".join(faults)


def test_a_word_of_300_letters_widens_no_page(query, people, page_of, as_):
    collection, word = query.collection, "Donaudampfschifffahrt" * 15
    Collection.objects.update(name=word[:200])
    Document.objects.update(title=word, sentences=[word], labels=["method"])
    people.ann.name = word[:100]
    people.ann.save()
    builders.judge(query.pairs.first(), people.ann, None, note=word)
    builders.judge(query.pairs.first(), people.bob, 2)
    wide = []
    for username in ("admin", "ann", "ada"):
        page = page_of(username, "/", viewport={"width": 390, "height": 844})
        for path in pages(collection, as_(username)):
            page.goto(path)
            cut = "[...document.querySelectorAll('h1, h2, h3')].some((each) => each.scrollWidth > each.clientWidth + 1)"
            if page.evaluate(f"document.documentElement.scrollWidth > innerWidth || {cut}"):
                wide.append(path)
    assert wide == []
