"""The rules of the database about labels and choices of queries.

A label record describes the text of its document as it is. The indexes count labels without
reading texts.
"""

from __future__ import annotations

from database.triggers import keep, partial_index, reject

RULES = [
    keep(
        "drop_label_record_of_old_text",
        table="corpus_document",
        event="UPDATE",
        columns="digest",
        when="OLD.digest <> NEW.digest",
        statements=[
            "DELETE FROM curation_labelrecord WHERE document_id = NEW.id AND digest <> NEW.digest"
        ],
    ),
    # A query uses the indexes only if it has the words of curation/labels/counts.py.
    partial_index(
        "document_without_labels",
        table="corpus_document",
        columns="collection_id, id",
        where="labels = '[]' AND sentences <> '[]'",
    ),
    partial_index(
        "document_without_text",
        table="corpus_document",
        columns="collection_id, id",
        where="sentences = '[]'",
    ),
    reject(
        "query_choice_stays",
        table="curation_querychoice",
        event="UPDATE",
        when=(
            "OLD.digest <> NEW.digest OR OLD.inputs <> NEW.inputs OR OLD.plan <> NEW.plan "
            "OR OLD.result <> NEW.result OR OLD.sample_id <> NEW.sample_id"
        ),
    ),
]
