"""The printable pages of guidelines."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from annotation.services import open_query, write_guideline
from bundle.formats.guideline_page import guideline_page
from bundle.records import ReleasedGuideline
from corpus.facets import NO_FACETS
from tests.support.factories import a_collection, a_query, annotators
from tests.support.release_scenes import a_judged_collection
from tests.support.released_files import files_of
from tests.support.sittings import judge_both

GUIDELINE = ReleasedGuideline(
    "method",
    2,
    "First <b>line</b>\nsecond line\r\n\r\nNext & last",
    (
        {"grade": 0, "name": "Unrelated", "definition": "", "detail": "", "example": ""},
        {
            "grade": 1,
            "name": "Related",
            "definition": "Alike",
            "detail": "One.\n\nTwo.",
            "example": 'The "query" > 2',
        },
    ),
)


def page(guideline: ReleasedGuideline = GUIDELINE, facet: str = "Method") -> str:
    return guideline_page(
        guideline, collection="Small & new", facet=facet, queries=3, digest="0" * 64
    )


def test_the_page_has_the_whole_text_with_its_paragraphs_and_no_markup_of_its_own():
    html = page()

    assert "<p>First &lt;b&gt;line&lt;/b&gt;<br>\nsecond line</p>\n<p>Next &amp; last</p>" in html
    assert '<p class="definition">Alike</p>\n<p>One.</p>\n<p>Two.</p>' in html
    assert "<p>The &quot;query&quot; &gt; 2</p>" in html
    assert html.index("Related</h3>") < html.index("Unrelated</h3>")
    assert html.count("Example<") == 1


def test_the_page_has_a_title_and_a_language_and_needs_no_other_file():
    tags = Tags()
    tags.feed(page())

    assert ("html", {"lang": "en"}) in tags.found
    assert "<title>Method guideline, version 2: Small &amp; new</title>" in page()
    assert not {"script", "link", "img", "a"} & {tag for tag, _ in tags.found}
    assert not {"src", "href", "style"} & {name for _, values in tags.found for name in values}
    assert "@media print" in page()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.wrongly_closed: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            self.wrongly_closed.append(tag)


def test_every_element_of_the_page_is_closed_in_its_place():
    tags = Tags()
    tags.feed(page())

    assert tags.open == []
    assert tags.wrongly_closed == []


@pytest.mark.django_db
@pytest.mark.one_database
def test_every_version_that_queries_were_judged_under_has_a_page():
    collection = a_judged_collection()
    facet = collection.facets.get(key="method")
    grades = facet.guidelines.get(version=1).grades
    for version in (2, 3):
        write_guideline(facet=facet, instructions=f"Text {version}.", grades=grades)
        if version == 2:
            query = a_query(collection, 1)
            opening = open_query(query=query, annotators=annotators(collection), opened_by=None)
            judge_both(opening, (1, 1))

    files = files_of(collection)
    pages = sorted(name for name in files if name.startswith("guidelines/"))

    assert pages == [
        "guidelines/background-v1.html",
        "guidelines/method-v1.html",
        "guidelines/method-v2.html",
    ]
    second = files["guidelines/method-v2.html"].decode()
    assert "Text 2." in second
    assert "Queries judged under this version: 1." in second


@pytest.mark.django_db
@pytest.mark.one_database
def test_a_collection_without_facets_has_a_page_without_a_facet():

    collection = a_collection(licence="CC0-1.0", facets=NO_FACETS)
    query = a_query(collection, 1, facet="")
    judge_both(open_query(query=query, annotators=annotators(collection), opened_by=None), (1, 1))

    html = files_of(collection)["guidelines/guideline-v1.html"].decode()

    assert "<h1>Guideline, version 1</h1>" in html
