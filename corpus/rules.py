"""The rules of the database about facets, query papers, queries and imports of documents."""

from __future__ import annotations

from accounts.rules import kept_rows
from database.triggers import reject

BESIDE_ANOTHER = (
    "EXISTS (SELECT 1 FROM corpus_facet f WHERE f.collection_id = NEW.collection_id "
    "{not_itself}AND (f.key = '') <> (NEW.key = ''))"
)
# A collection has facets with keys, or only the facet with the empty key: the whole document.
FACETS = [
    reject(
        "facet_whole_stands_alone",
        table="corpus_facet",
        event="INSERT",
        # On SQLite, a new row has no id before it is inserted.
        when=BESIDE_ANOTHER.format(not_itself=""),
    ),
    reject(
        "facet_whole_stays_alone",
        table="corpus_facet",
        event="UPDATE",
        columns="collection_id, key",
        when=BESIDE_ANOTHER.format(not_itself="AND f.id <> NEW.id "),
    ),
    reject(
        "facet_whole_begins_without_labels",
        table="corpus_facet",
        event="INSERT",
        when="NEW.key = '' AND NEW.labels <> '[]'",
    ),
    reject(
        "facet_whole_stays_without_labels",
        table="corpus_facet",
        event="UPDATE",
        columns="key, labels",
        when="NEW.key = '' AND NEW.labels <> '[]'",
    ),
]

OTHER_NAME = (
    "NEW.name <> COALESCE((SELECT d.docno FROM corpus_document d WHERE d.id = NEW.document_id), "
    "(SELECT t.name FROM corpus_topic t WHERE t.id = NEW.topic_id), '')"
)
OF_A_QUERY_PAPER = "EXISTS (SELECT 1 FROM corpus_querypaper q WHERE q.{column} = OLD.id)"
# A query paper is a document or a topic, and has its id as its name.
NAMES = [
    reject(
        "query_paper_named_as_its_source_insert",
        table="corpus_querypaper",
        event="INSERT",
        when=OTHER_NAME,
    ),
    reject(
        "query_paper_named_as_its_source_update",
        table="corpus_querypaper",
        event="UPDATE",
        columns="name, document_id, topic_id",
        when=OTHER_NAME,
    ),
    reject(
        "document_of_query_paper_keeps_docno",
        table="corpus_document",
        event="UPDATE",
        columns="docno",
        when=f"NEW.docno <> OLD.docno AND {OF_A_QUERY_PAPER.format(column='document_id')}",
    ),
    reject(
        "topic_of_query_paper_keeps_name",
        table="corpus_topic",
        event="UPDATE",
        columns="name",
        when=f"NEW.name <> OLD.name AND {OF_A_QUERY_PAPER.format(column='topic_id')}",
    ),
]

# A topic has no document, so no number is in its range.
COUNT_OF_SENTENCES = (
    "COALESCE((SELECT json_array_length(d.sentences) FROM corpus_querypaper p "
    "JOIN corpus_document d ON d.id = p.document_id WHERE p.id = NEW.query_paper_id), 0)"
)
OTHER_NUMBERS = (
    "(NEW.sentence_numbers IS NULL) <> (OLD.sentence_numbers IS NULL) "
    "OR NEW.sentence_numbers <> OLD.sentence_numbers"
)
# A query may name sentences of its query paper instead of a whole facet.
SENTENCES = [
    reject(
        "query_sentences_are_of_its_paper",
        table="corpus_query",
        event="INSERT",
        when=(
            "NEW.sentence_numbers IS NOT NULL AND (json_array_length(NEW.sentence_numbers) = 0 "
            "OR EXISTS (SELECT 1 FROM json_each(NEW.sentence_numbers) n "
            f"WHERE CAST(n.value AS integer) NOT BETWEEN 1 AND {COUNT_OF_SENTENCES}))"
        ),
    ),
    reject(
        "query_sentences_stay",
        table="corpus_query",
        event="UPDATE",
        columns="sentence_numbers, query_paper_id",
        when=(
            f"{OTHER_NUMBERS} "
            "OR (NEW.sentence_numbers IS NOT NULL AND NEW.query_paper_id <> OLD.query_paper_id)"
        ),
    ),
    # The numbers would be of other sentences than those that a person chose, or of none.
    reject(
        "document_text_of_query_by_sentences",
        table="corpus_document",
        event="UPDATE",
        columns="sentences",
        when=(
            "NEW.sentences <> OLD.sentences AND EXISTS (SELECT 1 FROM corpus_query q "
            "JOIN corpus_querypaper p ON p.id = q.query_paper_id "
            "WHERE p.document_id = OLD.id AND q.sentence_numbers IS NOT NULL)"
        ),
    ),
]

OF_IMPORT = (
    "(SELECT i.collection_id FROM corpus_documentimport i WHERE i.id = OLD.document_import_id)"
)
# A release publishes the steps from what was read to the documents of the collection.
IMPORTS = [
    *kept_rows(
        "corpus_documentimport", table="corpus_documentimport", collection="OLD.collection_id"
    ),
    *kept_rows("corpus_importstep", table="corpus_importstep", collection=OF_IMPORT),
    reject(
        "import_step_continues",
        table="corpus_importstep",
        event="INSERT",
        when="NEW.position > 0 AND NOT EXISTS (SELECT 1 FROM corpus_importstep s "
        "WHERE s.document_import_id = NEW.document_import_id "
        "AND s.position = NEW.position - 1 "
        "AND s.remaining = NEW.remaining + NEW.removed)",
    ),
]

RULES = [*FACETS, *NAMES, *SENTENCES, *IMPORTS]
