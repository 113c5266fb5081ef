"""The one thing to do next."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.overview import next_step, steps
from tests import builders

pytestmark = pytest.mark.django_db


def page_of_next(collection) -> str:
    return next_step(steps(collection)).to


def test_it_leads_from_documents_over_runs_to_pools(collection, people):
    assert page_of_next(collection) == "import-documents"
    paper = builders.document(collection, "d00")
    assert page_of_next(collection) == "add-queries"
    query = builders.query(collection, paper)
    assert page_of_next(collection) == "runs"
    builders.run(collection, "bm25", {query: ["d01"]})
    assert page_of_next(collection) == "build-pools"
    builders.query(collection, paper, "background")
    builders.frozen_pool(query, [builders.document(collection, "d01")])
    assert page_of_next(collection) == "open-queries"  # though the other query has no pool


def test_sentences_without_labels_come_before_queries(collection):
    builders.document(collection, "d00", labels=[])
    assert page_of_next(collection) == "labels"
    builders.document(collection, "d01")
    assert page_of_next(collection) == "add-queries"


def test_it_waits_for_an_adjudicator_by_name_or_has_one_invited(query, people, as_):
    for pair in query.pairs.all():
        builders.judge(pair, people.ann, 0)
        builders.judge(pair, people.bob, 3)
    page = as_("admin").get(reverse("collection", args=[query.collection.slug]))
    assert page.context["waiting"] == [{"name": "ada", "cases": 8}]
    assert page.context["next"].to == "cases"
    query.collection.memberships.filter(user=people.ada).update(left_at=timezone.now())
    assert page_of_next(query.collection) == "people"


def test_a_collection_without_facets_offers_topics_and_papers(db):
    plain = builders.collection("plain", facets=[])
    builders.document(plain, "d00")
    assert page_of_next(plain) == "queries"
