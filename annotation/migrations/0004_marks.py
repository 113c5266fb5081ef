"""More of what marks a pair, so that the gate of a release finds every changed text."""

from django.db import migrations

from database.triggers import Rule, keep

MARK = "UPDATE annotation_pair SET text_changed = TRUE WHERE NOT text_changed AND "
OF_CANDIDATE = "candidate_id IN (SELECT c.id FROM pooling_candidate c WHERE c.document_id = NEW.id)"
OF_QUERIES = "query_id IN (SELECT q.id FROM corpus_query q WHERE {condition})"


def mark(name: str, *, table: str, columns: tuple[str, ...], pairs: str) -> Rule:
    """Mark `pairs` (SQL over NEW) when one of the columns changes."""
    return keep(
        f"mark_pairs_of_a_changed_{name}",
        table=table,
        event="UPDATE",
        columns=", ".join(columns),
        when=" OR ".join(f"NEW.{column} <> OLD.{column}" for column in columns),
        statements=[MARK + pairs],
    )


# What a pair shows beside titles, sentences and their labels. The rules keep it as it is once a
# query is opened; the mark shows what was changed past them.
SHOWN = [
    mark("docno", table="corpus_document", columns=("docno",), pairs=OF_CANDIDATE),
    mark(
        "facet",
        table="corpus_facet",
        columns=("key", "labels"),
        pairs=OF_QUERIES.format(condition="q.facet_id = NEW.id"),
    ),
    mark(
        "query",
        table="corpus_query",
        columns=("name", "facet_id", "query_paper_id"),
        pairs="query_id = NEW.id",
    ),
    mark(
        "query_paper",
        table="corpus_querypaper",
        columns=("document_id",),
        pairs=OF_QUERIES.format(condition="q.query_paper_id = NEW.id"),
    ),
    mark(
        "opening",
        table="annotation_opening",
        columns=("guideline_id",),
        pairs="query_id = NEW.query_id",
    ),
]
# A judgment that is not about what the pair showed when its query opened.
JUDGED = keep(
    "mark_pair_judged_of_another_text",
    table="annotation_slot",
    event="UPDATE",
    columns="judgment_id",
    when="NEW.judgment_id IS NOT OLD.judgment_id",
    statements=[
        f"{MARK} id = NEW.pair_id AND presentation_digest <> "
        "(SELECT j.presentation_digest FROM annotation_judgment j WHERE j.id = NEW.judgment_id)"
    ],
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_counts")]

    operations = [*SHOWN, JUDGED]
