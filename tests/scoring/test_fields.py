"""The groups of MDCR's evaluation: fields of query papers, and candidates by source, by hand."""

from __future__ import annotations

import pytest

from corpus.services import create_query
from pooling.models import Contribution
from pooling.services import freeze_pools
from scoring.fields import qrels_by_type, query_fields
from scoring.score_tables import NO_FIELD
from tests.support.factories import DocumentFactory, a_collection, a_pool

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def a_pooled_collection(slug: str = "small"):
    """Pools of q1 and q2 are frozen, that of q3 is not. bm25 and scincl drew into q1's.

    scincl has d2 of q1 too, but bm25 drew it. graph drew a positive of q2 only.
    """
    collection = a_collection(slug)
    fields = {"q1": ["Biology", "Other"], "q2": [], "q3": ["Physics"]}
    documents = {
        docno: DocumentFactory(collection=collection, docno=docno, fields=fields.get(docno, []))
        for docno in ("q1", "q2", "q3", "d1", "d2", "d3", "d4", "d5")
    }
    queries = [
        create_query(collection=collection, docno=docno, facet_key=facet)
        for docno, facet in (
            ("q1", "method"), ("q1", "background"), ("q2", "method"), ("q3", "method")
        )
    ]  # fmt: skip
    first, _, second, third = (query.query_paper for query in queries)
    a_pool(first, [documents[docno] for docno in ("d1", "d2", "d3")], "bm25")
    a_pool(second, [documents[docno] for docno in ("d2", "d4")], "scincl")
    drawn = Contribution.objects.filter(candidate__pool__query_paper__collection=collection)
    drawn.filter(candidate__document__docno="d3").update(source="scincl")
    drawn.filter(candidate__document__docno="d4").update(source="graph")
    shared = drawn.get(candidate__pool__query_paper=first, candidate__document__docno="d2")
    Contribution.objects.create(candidate=shared.candidate, source="scincl", drawn=False)
    freeze_pools(collection=collection)
    a_pool(third, [documents["d1"], documents["d2"]], "late")
    return collection


def test_a_query_has_the_first_field_of_its_paper():
    collection = a_pooled_collection()
    a_pooled_collection("other")

    assert query_fields(collection) == {
        "q1_method": "Biology",
        "q1_background": "Biology",
        "q2_method": NO_FIELD,
        "q3_method": "Physics",
    }


def test_a_source_has_all_relevant_documents_and_the_others_that_it_drew():
    collection = a_pooled_collection()
    qrels = {
        "q1_method": {"d1": 2, "d2": 1, "d3": 0},
        "q1_background": {"d2": 2, "d3": 3},  # no source drew another document
        "q2_method": {"d2": 0, "d4": 2, "d5": 3},
        "q3_method": {"d1": 2, "d2": 0},
    }

    found = qrels_by_type(collection, qrels, 2)

    assert list(found.items()) == [
        ("bm25", {"q1_method": {"d1": 2, "d2": 1}}),
        ("scincl", {"q1_method": {"d1": 2, "d3": 0}, "q2_method": {"d2": 0, "d4": 2, "d5": 3}}),
    ]
