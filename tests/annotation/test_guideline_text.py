"""The page of a guideline's whole text, for everybody who grades by it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.services import open_query, write_guideline
from corpus.facets import NO_FACETS
from tests.support.factories import a_collection, a_query, annotators
from tests.support.visits import client_of
from tests.support.worlds import once_a_file


@once_a_file
def collection():
    collection = a_collection()
    a_version(collection, "Compare **how** it was done.\n\n- step\n- tool")
    open_query(query=a_query(collection), annotators=annotators(collection), opened_by=None)
    a_version(collection, "The third, <b>not</b> in use.")
    return collection


def a_version(collection, instructions, facet="method"):
    row = collection.facets.get(key=facet)
    grades = row.guidelines.first().grades
    return write_guideline(facet=row, instructions=instructions, grades=grades)


def address(facet="method"):
    return reverse("guideline-text", args=["small", facet])


@pytest.mark.parametrize("person", ["ann1", "adju", "admin"])
def test_everybody_who_grades_reads_the_version_in_use_as_formatted(collection, person):
    page = client_of(person).get(address())

    assert "Version 2, written on" in page.text
    assert "Compare <strong>how</strong> it was done." in page.text
    assert "<li>step</li>" in page.text
    assert page.text.index("grade-3") < page.text.index("grade-0") < page.text.index("Compare")
    example = collection.facets.get(key="method").guidelines.first().grades[2]["example"]
    assert example[:20] in page.text


def test_a_version_that_no_query_uses_is_not_found(collection):
    ann1 = client_of("ann1")

    assert ann1.get(address(), {"version": 3}).status_code == 404
    assert ann1.get(address(), {"version": 2}).status_code == 200
    assert ann1.get(address("background"), {"version": 1}).status_code == 200  # none is open


def test_the_entry_leads_to_the_first_facet_which_links_the_others(collection):
    page = client_of("ann1").get(reverse("guidelines", args=["small"]), follow=True)

    assert page.redirect_chain == [(address("background"), 302)]
    assert f'href="{address()}"' in page.text
    assert "edit" not in page.text


def test_a_collection_without_facets_has_one_page_and_no_list(db):
    plain = a_collection(slug="plain", facets=NO_FACETS)

    page = client_of("ann1").get(reverse("guidelines", args=[plain.slug]), follow=True)

    assert "<h1> Guideline </h1>" in " ".join(page.text.split())
    assert 'aria-label="Facets"' not in page.text
