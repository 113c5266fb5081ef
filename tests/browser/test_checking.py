"""The correction queue in a real browser, without a mouse."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import Role
from curation.models import LabelRecord
from tests.support.factories import a_collection, a_query, member
from tests.support.judging_page import assert_accessible, eventually, log_in, read_and_press
from tests.support.labels import a_predicted_document, predicted

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


def test_labels_and_boundaries_are_corrected_by_keyboard(page, context, live_server):
    collection = a_collection()
    paper = a_query(collection).query_paper.document
    other = a_predicted_document(collection, (0.5, 0.5, 0.5))
    predicted(paper)
    log_in(context, live_server, member(collection, Role.CURATOR, "cura"))
    page.goto(live_server.url + reverse("check-next", args=["small"]))
    heading = page.get_by_role("heading", level=3)
    sentences = page.locator(".sentences > li")

    # The first sentence is a result, which leads to the second; that is joined with the third.
    expect(heading).to_have_text(paper.title)
    assert_accessible(page)
    page.keyboard.press("r")
    page.keyboard.press("n")
    expect(sentences).to_have_count(2)
    page.reload()
    expect(sentences).to_have_count(2)
    read_and_press(page, "Enter")

    # The next abstract is there at once. Its last sentence is split, and it waits.
    expect(heading).to_have_text(other.title)
    for key in ("ArrowDown", "j", "s"):
        page.keyboard.press(key)
    page.keyboard.type("of")
    page.keyboard.press("Enter")
    expect(sentences).to_have_count(4)

    # Undo leads back to the first, which is saved again.
    eventually(page, lambda: LabelRecord.objects.checked().count() == 1)
    expect(page.locator("#saved")).to_have_text("Saved")
    page.keyboard.press("u")
    expect(heading).to_have_text(paper.title)
    expect(sentences).to_have_count(2)
    read_and_press(page, "b", "Enter")
    expect(heading).to_have_text(other.title)
    expect(sentences).to_have_count(4)
    read_and_press(page, "Enter")

    expect(page.get_by_text("All predicted labels are checked")).to_be_visible()
    paper.refresh_from_db()
    other.refresh_from_db()
    assert paper.sentences[1] == f"Method of {paper.docno}. Result of {paper.docno}."
    assert paper.labels == ["background", "method"]
    assert other.sentences[2:] == ["Result", f"of {other.docno}."]
    assert other.labels == ["background", "method", "result", "result"]
    assert not LabelRecord.objects.unchecked().exists()
