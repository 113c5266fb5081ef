"""Opening queries, as an admin meets it."""

from __future__ import annotations

from collections import Counter

import pytest
from django.urls import reverse

from annotation.guidelines import save_guideline
from annotation.models import Slot
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
    pages = [as_("ann").get(reverse("guideline", args=[collection.slug]), asked) for asked in ({}, {"facet": "method"})]
    assert [page.context["guideline"].facet for page in pages] == ["background", "method"]  # the first, or the asked


@pytest.mark.parametrize(("sizes", "loads", "couples"), [([2] * 6, [6, 6, 6, 6], 6), ([2, 2, 6], [4, 4, 6, 6], 2)])
def test_shared_queries_give_everybody_as_many_pairs_and_others_to_work_with(
    as_, collection, people, papers, sizes, loads, couples
):
    """Four people make six couples. A query as large as all others leaves these to the other two people."""
    for name in ("cem", "dan"):
        builders.person(name, collection, "annotator")
    queries = [builders.query(collection, papers[number]) for number in range(len(sizes))]
    for query, size in zip(queries, sizes, strict=True):
        builders.frozen_pool(query, papers[6 : 6 + size])
    form = {"queries": [query.pk for query in queries], "first": "", "second": ""}
    assert as_("admin").post(reverse("open-queries", args=[collection.slug]), form).status_code == 302
    assert sorted(Counter(Slot.objects.values_list("judge", flat=True)).values()) == loads
    judges = [frozenset(Slot.objects.filter(pair__query=query).values_list("judge", flat=True)) for query in queries]
    assert len(set(judges)) == couples
