"""A query may name sentences of its query paper instead of a whole facet."""

from django.db import migrations, models

from database.triggers import reject

# A topic has no document, so no number is in its range.
SENTENCES = (
    "COALESCE((SELECT json_array_length(d.sentences) FROM corpus_querypaper p "
    "JOIN corpus_document d ON d.id = p.document_id WHERE p.id = NEW.query_paper_id), 0)"
)
OTHER_NUMBERS = (
    "(NEW.sentence_numbers IS NULL) <> (OLD.sentence_numbers IS NULL) "
    "OR NEW.sentence_numbers <> OLD.sentence_numbers"
)

RULES = [
    reject(
        "query_sentences_are_of_its_paper",
        table="corpus_query",
        event="INSERT",
        when=(
            "NEW.sentence_numbers IS NOT NULL AND (json_array_length(NEW.sentence_numbers) = 0 "
            "OR EXISTS (SELECT 1 FROM json_each(NEW.sentence_numbers) n "
            f"WHERE CAST(n.value AS integer) NOT BETWEEN 1 AND {SENTENCES}))"
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


class Migration(migrations.Migration):
    dependencies = [("corpus", "0005_query_paper_names")]

    operations = [
        migrations.AddField(
            model_name="query",
            name="sentence_numbers",
            field=models.JSONField(
                blank=True,
                null=True,
                help_text="Numbers of its sentences from 1, in order; NULL for the whole facet.",
            ),
        ),
        migrations.RemoveConstraint(model_name="query", name="query_facet_once"),
        migrations.AddConstraint(
            model_name="query",
            constraint=models.UniqueConstraint(
                condition=models.Q(("sentence_numbers__isnull", True)),
                fields=("query_paper", "facet"),
                name="query_facet_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="query",
            constraint=models.UniqueConstraint(
                fields=("query_paper", "facet", "sentence_numbers"), name="query_sentences_once"
            ),
        ),
        *RULES,
    ]
