"""Opening queries, as an admin meets it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.guidelines import save_guideline
from tests import builders

pytestmark = pytest.mark.django_db


def test_what_would_be_judged_without_a_guideline_is_named(as_, collection, people, papers):
    for facet in ("method", "background", ""):
        builders.frozen_pool(builders.query(collection, papers[0], facet), papers[1:3])
    grades = [{"definition": "Any."}] * 4
    save_guideline(collection=collection, facet="method", text="Of its method.", grades=grades, change="", by=None)
    page = as_("admin").get(reverse("open-queries", args=[collection.slug]))
    assert page.context["unguided"] == ["", "background"]
    edit = reverse("edit-guideline", args=[collection.slug])
    as_("admin").post(f"{edit}?facet=", {"text": "Of the whole paper."})
    assert set(collection.guidelines.values_list("facet", "text")) == {
        ("method", "Of its method."),
        ("", "Of the whole paper."),
    }
    assert as_("admin").get(f"{edit}?facet=colour").status_code == 404
