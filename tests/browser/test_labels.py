"""Checking sentence labels by keyboard."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from corpus.models import Document
from tests import builders

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_labels_are_checked_by_keyboard(page_of, collection):
    for docno, certainties in (("first", [0.9, 0.3, 0.8]), ("second", [0.9, 0.9, 0.9])):
        made = builders.document(collection, docno, labels_predicted=True, certainties=certainties)
        Document.objects.filter(pk=made.pk).update(certainty=min(certainties))
    first, second = collection.documents.order_by("pk")
    page = page_of("admin", "/")
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # so a page is as new as the last press of a key
    page.goto(reverse("check-labels", args=[collection.slug, first.pk]))
    page.wait_for_load_state("networkidle")
    expect(page.locator("fieldset").nth(1).locator(":checked")).to_be_focused()  # the least certain
    for key in ("o", "ArrowUp", "ArrowUp", "2", "ArrowUp", "ArrowUp"):  # of two sentences on the way
        page.keyboard.press(key)
    expect(page.locator("fieldset").nth(0).locator(":checked")).to_be_focused()
    page.clock.run_for(1000)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("On second")
    page.keyboard.press("Enter")  # a second press, for the page before
    page.keyboard.press("u")
    expect(page.locator("h1")).to_have_text("On first")
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.labels, first.labels_predicted) == (["method", "other", "result"], False)
    assert second.labels_predicted
