"""Pools with the sources of their documents, from the database."""

import pytest

from corpus.services import create_query
from evaluation.pool_bias.computation.sourced_pools import SourcedDocument
from evaluation.pool_bias.reading import sourced_pools
from pooling.models import Contribution
from tests.support.factories import DocumentFactory, a_pool
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built

pytestmark = pytest.mark.django_db


def test_documents_come_in_the_order_drawn_with_those_that_found_and_listed_them():
    collection = a_listed_collection()
    documents = {row.docno: row for row in collection.documents.all()}
    paper = collection.query_papers.get(name="q1")
    pool = a_pool(paper, [documents[docno] for docno in ("d05", "d01", "d03")], "up")
    pool.depth = {"up": 3, "down": 2}
    pool.save()
    first, second, third = pool.candidates.order_by("position")
    rows = [(first, "down", 2), (second, "down", 3), (third, "other", None), (third, "far", 1)]
    Contribution.objects.bulk_create(
        Contribution(candidate=candidate, source=source, rank=rank, drawn=False)
        for candidate, source, rank in rows
    )
    (read,) = sourced_pools(collection)
    assert (read.paper, read.queries) == ("q1", ("q1_method",))
    assert read.documents == (
        SourcedDocument("d05", "up", {"up", "down"}, {"up", "down"}, is_forced=False),
        SourcedDocument("d01", "up", {"up"}, {"up", "down"}, is_forced=False),
        SourcedDocument("d03", "up", {"up", "other"}, {"up", "other", "far"}, is_forced=False),
    )


def test_each_build_has_its_own_forced_sources_and_pools_are_sorted_by_query_paper():
    collection = a_listed_collection()
    DocumentFactory(collection=collection, docno="a1", references=["d03"])
    create_query(collection=collection, docno="a1", facet_key="method")
    create_query(collection=collection, docno="a1", facet_key="background")
    a_listed_run(collection, "left", {"q1": ["d07", "d08"], "a1": ["d04", "d05"]})
    a_listed_run(collection, "known", {"q1": ["d02"], "a1": ["d09"]})
    built(collection, runs=("left",), forced=("known",), parameters={"n": 1})
    other = a_listed_collection("other")
    built(other)

    first, second = sourced_pools(collection)

    assert (first.paper, first.queries) == ("a1", ("a1_background", "a1_method"))
    assert [(row.docno, row.drawer, row.is_forced) for row in first.documents] == [
        ("d09", "known", True),
        ("d04", "left", False),
    ]
    assert [(row.docno, row.is_forced) for row in second.documents] == [
        ("d02", True),
        ("d07", False),
    ]
