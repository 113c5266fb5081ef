"""Rows that break the rules of `corpus`."""

from __future__ import annotations

from corpus.models import QueryPaper, Topic
from tests.database.rules.world import Case, again, change, delete, elsewhere
from tests.support.factories import DocumentFactory

CASES = [
    Case(
        "facet_key_once",
        lambda world: again(world.facet, position=9),
        behind=("facet_never_added_once_opened",),
    ),
    Case(
        "facet_position_once",
        lambda world: again(world.facet, key="other"),
        behind=("facet_never_added_once_opened",),
    ),
    Case("document_docno_once", lambda world: again(world.document)),
    Case("document_has_docno", lambda world: again(world.document, docno="")),
    Case("import_keeps_what_it_read", lambda world: again(world.document_import, created=4)),
    Case("corpus_documentimport_never_edited", lambda world: change(world.document_import, read=4)),
    Case("corpus_documentimport_never_deleted", lambda world: delete(world.document_import)),
    Case("import_step_position_once", lambda world: again(world.import_step)),
    Case(
        "import_step_continues",
        lambda world: again(world.import_step, position=1, removed=1, remaining=1),
    ),
    Case("corpus_importstep_never_edited", lambda world: change(world.import_step, removed=1)),
    Case("corpus_importstep_never_deleted", lambda world: delete(world.import_step)),
    Case("topic_name_once", lambda world: again(world.topic)),
    Case("topic_has_name", lambda world: again(world.topic, name="")),
    Case("topic_of_query_paper_keeps_name", lambda world: change(world.topic, name="other")),
    Case("corpus_querypaper.document_id", lambda world: elsewhere(world.query_paper)),
    Case("corpus_querypaper.topic_id", lambda world: elsewhere(world.topic_query.query_paper)),
    Case(
        "query_paper_name_once",
        lambda world: QueryPaper.objects.create(
            collection=world.collection,
            document=DocumentFactory(collection=world.collection, docno=world.topic.name),
            name=world.topic.name,
        ),
    ),
    Case(
        "query_paper_is_document_or_topic",
        lambda world: change(
            world.query_paper,
            topic=Topic.objects.create(collection=world.collection, name="another"),
        ),
    ),
    Case(
        "query_paper_named_as_its_source_insert",
        lambda world: QueryPaper.objects.create(
            collection=world.collection, document=world.document, name="other"
        ),
    ),
    Case(
        "query_paper_named_as_its_source_update",
        lambda world: change(world.query_paper, name="other"),
    ),
    Case(
        "document_of_query_paper_keeps_docno",
        lambda world: change(world.query_paper.document, docno="other"),
    ),
    Case("query_name_once", lambda world: again(world.query, facet=world.other_facet)),
    Case("query_facet_once", lambda world: again(world.query, name="other")),
    Case("query_sentences_once", lambda world: again(world.sentence_query, name="other")),
    Case(
        "query_sentences_are_of_its_paper",
        lambda world: again(world.sentence_query, name="other", sentence_numbers=[2, 4]),
    ),
    Case(
        "query_sentences_are_of_its_paper",
        lambda world: again(world.sentence_query, name="other", sentence_numbers=[]),
    ),
    Case(
        "query_sentences_are_of_its_paper",
        lambda world: again(world.topic_query, name="other", sentence_numbers=[1]),
    ),
    Case("query_sentences_stay", lambda world: change(world.sentence_query, sentence_numbers=[1])),
    Case("query_sentences_stay", lambda world: change(world.sentence_query, sentence_numbers=None)),
    Case(
        "query_sentences_stay",
        lambda world: change(world.sentence_query, query_paper=world.opening.query.query_paper),
    ),
    Case(
        "document_text_of_query_by_sentences",
        lambda world: change(world.query_paper.document, sentences=["One."]),
    ),
    Case(
        "facet_whole_stands_alone",
        lambda world: again(world.facet, key="", labels=[], position=9),
        behind=("facet_never_added_once_opened",),
    ),
    Case("facet_whole_stays_alone", lambda world: change(world.other_facet, key="", labels=[])),
    Case(
        "facet_whole_begins_without_labels",
        lambda world: again(world.facet, key="", position=9),
        behind=("facet_never_added_once_opened", "facet_whole_stands_alone"),
    ),
    Case(
        "facet_whole_stays_without_labels",
        lambda world: change(world.other_facet, key=""),
        behind=("facet_whole_stays_alone",),
    ),
    Case("corpus_fulltext.document_id", lambda world: again(world.full_text)),
    Case(
        "full_text_has_sections_or_link",
        lambda world: again(world.full_text, document=world.document, sections=[]),
    ),
    Case(
        "full_text_link_is_https",
        lambda world: again(world.full_text, document=world.document, pdf_url="http://a.org"),
    ),
]
