"""The one thing to do next."""

from __future__ import annotations

import pytest

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


def test_a_collection_without_facets_offers_topics_and_papers(db):
    plain = builders.collection("plain", facets=[])
    builders.document(plain, "d00")
    assert page_of_next(plain) == "queries"
