"""Every page of the demo as its people see it: accessible in both themes, and whole from a phone to a desktop."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from accounts.models import Collection
from corpus.models import Document
from dashboard.navigation import tabs_for
from demo.loading import load_demo
from tests import builders
from tests.addresses import addresses

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = {"small phone": (320, 640), "phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
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


@pytest.mark.parametrize(("username", "path"), [("admin", ""), ("ann", "judge/"), ("ada", "cases/")])
def test_below_60rem_one_menu_has_every_tab_and_entry(query, people, page_of, username, path):
    page = page_of(username, f"/c/{query.collection.slug}/{path}")
    tabs = tabs_for(query.collection.memberships.get(user__username=username).roles)
    labels = [label for tab in tabs for label in tab.entries.values()]
    menu, search = page.locator(".topbar .menu"), page.locator(".topbar input[type=search]")
    for width, height in [(320, 640), (390, 844), (820, 1180), (960, 700)]:
        page.set_viewport_size({"width": width, "height": height})
        assert page.locator(".tabs:visible").count() == 0
        assert page.locator(".topbar .where").is_visible()
        assert search.is_visible() == (username == "admin")
        menu.locator("summary").press("Enter")
        assert menu.locator("nav a:visible").all_inner_texts() == labels
        assert menu.locator("nav a[aria-current]:visible").count() == 1
        for target in menu.locator("summary:visible, .panel a:visible, .panel button:visible").all():
            target.focus()  # the panel scrolls to it
            box = target.bounding_box()
            assert min(box["height"], box["width"]) >= 44
            assert 0 <= box["x"] <= width - box["width"]
            assert 0 <= box["y"] <= height - box["height"]
        page.keyboard.press("Escape")
        assert menu.locator(".panel").is_hidden()
        assert page.evaluate("document.activeElement.matches('.topbar .menu > summary')")
    menu.locator("summary").press("Enter")
    menu.get_by_role("link", name="Guideline").press("Enter")
    page.wait_for_url("**/guideline/")


def test_above_60rem_the_tabs_are_in_the_header_and_not_in_the_menu(query, people, page_of):
    page = page_of("admin", f"/c/{query.collection.slug}/progress/", viewport={"width": 1024, "height": 700})
    assert page.locator(".tabs:visible").count() == 2
    page.locator(".topbar .menu summary").press("Enter")
    assert page.locator(".topbar .menu nav").is_hidden()


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
