"""Topics that were documents become rows of their own, and nothing else changes."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.models import Pair
from annotation.services import open_query, presentation_of
from annotation.stale_presentations import pairs_shown_otherwise
from corpus.digests import text_digest, topic_digest
from corpus.models import Document, Query, QueryPaper, Topic
from corpus.state import corpus_digest
from release.gate.current_facts import facts_now
from retrieval.services.query_texts import whole_paper
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    a_pool,
    a_query,
    annotators,
    create_query,
)

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [
    ("corpus", "0003_whole_facet"),
    ("annotation", "0006_scale"),
    ("pooling", "0004_last_plan"),
]
TITLE = "Neural ranking"
SENTENCES = ["How do networks rank?", "Name  one."]


def migrate(targets: list[tuple[str, str | None]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


def migrate_to_latest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def triggers() -> set[str]:
    sql = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if connection.vendor == "sqlite"
        else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return {name for (name,) in cursor.fetchall()}


def marked_topic(collection, docno: str, title: str, sentences: list[str]) -> Document:
    """A document as an import made one of a topic, but for the mark itself."""
    labels = ["method"] * len(sentences)
    return DocumentFactory(
        collection=collection,
        docno=docno,
        title=title,
        sentences=sentences,
        labels=labels,
        digest=text_digest(title, sentences, labels),
        year=None,
    )


def old_digest(pair: Pair) -> str:
    """The digest of a presentation, spelled out as it was before there were topics."""
    document, query = pair.candidate.document, pair.query
    content = {
        "candidate": {
            "sentences": [
                [text, label == "method"]
                for text, label in zip(document.sentences, document.labels, strict=True)
            ],
            "title": document.title,
        },
        "docno": document.docno,
        "facet": "method",
        "guideline_version": 1,
        "query": {"sentences": [[text, True] for text in SENTENCES], "title": TITLE},
        "query_name": query.name,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


@pytest.fixture
def old_state():
    """Open topics with a frozen pool, others without; marked as topics in the old schema."""
    before = triggers()
    collection = a_collection()
    topics = {
        "open": (TITLE, SENTENCES, {"narrative": "Only networks."}),
        "waiting": (TITLE, SENTENCES, {"narrative": "Only networks."}),
        "short": ("Is it. So?", ["Is it.", "So?"], {}),
        "removed": ("Gone", ["Gone"], {}),
    }
    a_query(collection)
    for docno, (title, sentences, metadata) in topics.items():
        marked_topic(collection, docno, title, sentences)
        if docno != "removed":
            create_query(collection=collection, docno=docno, facet_key="method", metadata=metadata)
    opened = collection.queries.get(name="open_method")
    a_pool(opened.query_paper, DocumentFactory.create_batch(2, collection=collection))
    open_query(query=opened, annotators=annotators(collection), opened_by=None)
    digests = {pair.pk: pair.presentation_digest for pair in Pair.objects.filter(query=opened)}
    manifest = opened.query_paper.pool.build.manifest
    apps = migrate(BEFORE)
    apps.get_model("corpus", "Document").objects.filter(docno__in=topics).update(is_topic=True)
    yield collection, digests, manifest
    migrate_to_latest()
    assert triggers() == before


def test_topics_become_rows_of_their_own_and_nothing_else_changes(old_state):
    """One test, because each way back to the old schema and forth takes seconds."""
    collection, digests, manifest = old_state

    migrate_to_latest()

    check_topics_are_rows_of_their_own()
    check_open_topic_shows_what_it_showed(collection, digests, manifest)
    check_retrievers_read_the_same_text(collection)
    check_topics_can_be_opened(collection)
    check_digest_of_the_corpus_has_no_topics(collection)


def check_topics_are_rows_of_their_own() -> None:
    assert not Document.objects.filter(docno__in=["open", "waiting", "short", "removed"]).exists()
    assert list(
        Topic.objects.order_by("name").values_list(
            *("name", "name_order", "title", "description", "narrative", "narrative_is_shown")
        )
    ) == [
        ("open", "open", TITLE, "How do networks rank? Name  one.", "Only networks.", False),
        ("short", "short", "Is it. So?", "", "", True),
        ("waiting", "waiting", TITLE, "How do networks rank? Name  one.", "Only networks.", True),
    ]
    assert Topic.objects.get(name="open").digest == topic_digest(
        TITLE, "How do networks rank? Name one.", "Only networks."
    )
    papers = QueryPaper.objects.filter(topic__isnull=False).order_by("name")
    assert [(paper.name, paper.topic.name, paper.metadata) for paper in papers] == [
        (name, name, {}) for name in ("open", "short", "waiting")
    ]
    assert (
        QueryPaper.objects.get(topic=None).name == QueryPaper.objects.get(topic=None).document.docno
    )


def check_open_topic_shows_what_it_showed(collection, digests, manifest) -> None:
    pairs = Pair.objects.filter(pk__in=digests).select_related(
        "query__facet", "candidate__document"
    )
    assert len(pairs) == 2
    for pair in pairs:
        assert not pair.text_changed
        assert digests[pair.pk] == pair.presentation_digest == old_digest(pair)
        assert presentation_of(pair, 1).digest == pair.presentation_digest
    assert list(pairs_shown_otherwise(collection)) == []
    assert facts_now(collection).shown_otherwise.count == 0
    opened = collection.queries.get(name="open_method").query_paper
    assert (opened.pool.is_frozen, opened.pool.build.manifest) == (True, manifest)


def check_retrievers_read_the_same_text(collection) -> None:
    text = whole_paper(QueryPaper.objects.get(name="short"))
    assert text[:3] == ("short", "Is it. So?", "Is it. So?")
    assert collection.documents.count() == 1 + 3 + 2


def check_digest_of_the_corpus_has_no_topics(collection) -> None:
    with_topics = corpus_digest(collection)
    Topic.objects.filter(name="short").update(title="Other")
    assert corpus_digest(collection) == with_topics


def check_topics_can_be_opened(collection) -> None:
    query = Query.objects.get(name="waiting_method")
    a_pool(query.query_paper, DocumentFactory.create_batch(2, collection=collection))

    opening = open_query(query=query, annotators=annotators(collection), opened_by=None)

    pair = opening.query.pairs.first()
    assert presentation_of(pair, 1).query.narrative == "Only networks."
