"""The page of a document: its pools, its neighbours and its releases."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.services import Answer
from corpus.services import create_query
from dashboard.document_page import relations
from tests.support.factories import DocumentFactory, a_collection, a_pool, a_query
from tests.support.release_scenes import a_judged_collection, an_opened_collection, slot_of
from tests.support.sittings import judge
from tests.support.visits import address, client_of, csv_rows, queries_of, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def page_of(docno="d1", **asked):
    return client_of("admin").get(address("document", docno), asked)


def test_every_pool_of_a_document_is_listed_with_its_grades():
    a_judged_collection()

    rows = [(row.query.name, row.pair.final) for row in page_of().context["rows"]]

    assert rows == [("q1_background", 0), ("q1_method", 3), ("q2_method", 1)]
    assert "Secret thought" in page_of("d3").text
    assert "<code>also</code> 7" in text_of(page_of())


def test_a_half_judged_pair_shows_nothing():
    collection = an_opened_collection()
    judge(slot_of(collection, "q1_method", "d1", 1), Answer(grade=3, note="only mine"))

    page = page_of()

    assert [row.pair for row in page.context["rows"]] == [None, None, None]
    assert "only mine" not in page.text
    assert {line["slot_1"] for line in csv_rows(page_of(format="csv"))} == {""}


def test_a_document_without_text_has_its_page():
    DocumentFactory(collection=a_collection(), docno="d1", title="", sentences=[], labels=[])

    assert "This document has no text." in text_of(page_of())


def test_a_document_in_many_pools_has_pages_of_fifty(django_assert_num_queries):
    collection = a_collection()
    document = DocumentFactory(collection=collection, docno="d1")
    few = queries_of(client_of("admin"), address("document", "d1"))
    for number in range(52):
        DocumentFactory(collection=collection, docno=f"q{number}", title="Mixed")
        query = create_query(collection=collection, docno=f"q{number}", facet_key="method")
        a_pool(query.query_paper, [document])
    client = client_of("admin")
    client.get(address("document", "d1"))

    with django_assert_num_queries(few + 4):  # contributions, queries, pairs and their decisions
        page = client.get(address("document", "d1"))

    assert len(page.context["rows"]) == 50
    assert "1–50 of 52" in text_of(page)
    assert len(csv_rows(page_of(format="csv"))) == 52
    assert [row.query.name for row in page_of(q="q51").context["rows"]] == ["q51_method"]


def test_cited_and_citing_documents_are_listed():
    collection = a_collection()
    DocumentFactory(collection=collection, docno="d1", references=["d2", "elsewhere"])
    DocumentFactory(collection=collection, docno="d2")
    DocumentFactory(collection=collection, docno="d3", references=["d1", "d10"])
    DocumentFactory(collection=collection, docno="d4", references=["d10"])

    page = page_of().context

    assert [paper.docno for paper in page["cites"].rows] == ["d2"]
    assert page["near"].missing == ["elsewhere"]
    assert [paper.docno for paper in page["cited_by"].rows] == ["d3"]


def test_copies_have_the_same_text_or_title():
    collection = a_collection()
    text = {"title": "Trees", "sentences": ["One."], "labels": ["method"]}
    DocumentFactory(collection=collection, docno="d1", **text)
    DocumentFactory(collection=collection, docno="d2", **text)
    DocumentFactory(collection=collection, docno="d3", title="TREES")
    DocumentFactory(collection=collection, docno="d4", title="Trees and more")

    copies = page_of().context["near"].copies

    assert [(copy.docno, copy.how) for copy in copies] == [
        ("d2", "the same text and labels"),
        ("d3", "the same title"),
    ]


def test_a_large_corpus_is_searched_when_a_person_asks(monkeypatch):
    monkeypatch.setattr(relations, "READ_AT_ONCE", 1)
    collection = a_collection()
    DocumentFactory(collection=collection, docno="d1")
    DocumentFactory(collection=collection, docno="d2", references=["d1"])

    assert "Find citing documents and copies" in page_of().text
    assert page_of(related="all").context["cited_by"].total == 1


def test_the_releases_after_its_pool_was_frozen_contain_it():
    collection = a_collection()
    query = a_query(collection, size=1)
    pool = query.query_paper.pool
    docno = pool.candidates.get().document.docno
    before = collection.releases.create(version="1", sha256="0", size=1, manifest={})
    pool.frozen_at = timezone.now()
    pool.save()
    collection.releases.create(version="2", sha256="0", size=1, manifest={})
    collection.releases.create(
        version="whole", sha256="0", size=1, manifest={"options": {"texts": "corpus"}}
    )

    releases = page_of(docno).context["releases"]

    assert [(each.version, each.is_certain) for each in releases] == [("whole", True), ("2", True)]
    assert before.version not in {each.version for each in releases}
