"""Which judged pairs show something else now than what was judged."""

from __future__ import annotations

import tracemalloc
from dataclasses import asdict
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import stale_presentations
from annotation.models import Judgment, Slot
from annotation.presentation import Presentation, shown_text
from annotation.services import open_query, presentation_of
from annotation.stale_presentations import pairs_shown_otherwise
from corpus.digests import canonical_json
from corpus.models import Document
from corpus.services import create_query
from tests.support.factories import DocumentFactory, a_collection, a_pool, annotators
from tests.support.rules import rule_suspended

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(texts, st.lists(texts, max_size=3), st.lists(st.sampled_from(["method", "x"]), max_size=4))
def test_the_digest_is_that_of_everything_but_labels_in_canonical_json(title, sentences, labels):
    shown = Presentation(
        query_name="q1_method",
        facet="method",
        query=shown_text(title, sentences, labels, ["method"]),
        docno="d1",
        candidate=shown_text("t", sentences[::-1], labels, ["method"]),
        guideline_version=2,
    )

    fields = asdict(shown)
    for text in (fields["query"], fields["candidate"]):
        text["sentences"] = [sentence[:2] for sentence in text["sentences"]]
    assert shown.digest == sha256(canonical_json(fields)).hexdigest()


def test_the_digest_of_a_pair_is_this():
    """Pinned: judgments hold it, so it may never come out otherwise."""
    shown = Presentation(
        query_name="q1_method",
        facet="method",
        query=shown_text("Über", ["A.", "B."], ["method"], ["method"]),
        docno="d1",
        candidate=shown_text("", [], [], ["method"]),
        guideline_version=1,
    )

    spelled = (
        '{"candidate":{"sentences":[],"title":""},"docno":"d1","facet":"method",'
        '"guideline_version":1,"query":{"sentences":[["A.",true],["B.",false]],"title":"Über"},'
        '"query_name":"q1_method"}'
    )
    assert shown.digest == sha256(spelled.encode()).hexdigest()


def a_judged_query(collection, docno, candidates):
    """Both slots of every pair judged, about what the pair shows."""
    DocumentFactory(collection=collection, docno=docno)
    query = create_query(collection=collection, docno=docno, facet_key="method")
    a_pool(query.query_paper, candidates)
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    slots = Slot.objects.filter(pair__query=query).select_related("pair__candidate__document")
    for slot in slots:
        slot.pair.query = query
        slot.judgment = Judgment.objects.create(
            slot=slot,
            sequence=1,
            annotator_id=slot.annotator_id,
            grade=1,
            presentation_digest=presentation_of(slot.pair, 1).digest,
            guideline_version=1,
            key=f"{slot.pk:032}",
        )
    Slot.objects.bulk_update(slots, ["judgment"])


@pytest.mark.django_db
@pytest.mark.parametrize("queries", [1, 4])
def test_it_asks_the_database_three_times_however_many_pairs_there_are(
    queries, django_assert_num_queries
):
    collection = a_collection()
    candidates = DocumentFactory.create_batch(3, collection=collection)
    for number in range(queries):
        a_judged_query(collection, f"q{number}", candidates)
    with rule_suspended("document_text_in_frozen_pool", "corpus_document"):
        Document.objects.filter(pk=candidates[0].pk).update(title="Another")

    with django_assert_num_queries(3):
        changed = sorted(pairs_shown_otherwise(collection))

    assert changed == [(f"q{n}_method", candidates[0].docno) for n in range(queries)]


@pytest.mark.django_db
def test_another_collection_is_left_alone():
    mine, other = a_collection(), a_collection("other")
    for collection in (mine, other):
        a_judged_query(collection, "q1", DocumentFactory.create_batch(2, collection=collection))
    with rule_suspended("document_text_in_frozen_pool", "corpus_document"):
        other.documents.update(title="Another")

    assert list(pairs_shown_otherwise(mine)) == []
    assert len(list(pairs_shown_otherwise(other))) == 2


@pytest.mark.django_db
def test_texts_pass_through_memory_and_do_not_stay(monkeypatch):
    collection = a_collection()
    long = ["Much of it. " * 4000, "Method.", "Result."]  # 48 kB
    candidates = DocumentFactory.create_batch(200, collection=collection, sentences=long)
    a_judged_query(collection, "q1", candidates)
    monkeypatch.setattr(stale_presentations, "READ_TOGETHER", 10)

    tracemalloc.start()
    assert list(pairs_shown_otherwise(collection)) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 4_000_000  # all of them are 10 MB
