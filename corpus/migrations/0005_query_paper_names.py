"""A query paper is a document or a topic, and has its id as its name."""

from django.db import migrations, models

from database.triggers import reject

OTHER_NAME = (
    "NEW.name <> COALESCE((SELECT d.docno FROM corpus_document d WHERE d.id = NEW.document_id), "
    "(SELECT t.name FROM corpus_topic t WHERE t.id = NEW.topic_id), '')"
)
OF_A_QUERY_PAPER = "EXISTS (SELECT 1 FROM corpus_querypaper q WHERE q.{column} = OLD.id)"

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


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_topics")]

    operations = [
        migrations.AlterField(
            model_name="querypaper", name="name", field=models.CharField(max_length=200)
        ),
        migrations.AlterModelOptions(name="querypaper", options={"ordering": ["name"]}),
        migrations.AddConstraint(
            model_name="querypaper",
            constraint=models.UniqueConstraint(
                fields=("collection", "name"), name="query_paper_name_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="querypaper",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("document__isnull", False), ("topic__isnull", True)),
                    models.Q(("document__isnull", True), ("topic__isnull", False)),
                    _connector="OR",
                ),
                name="query_paper_is_document_or_topic",
            ),
        ),
        migrations.RemoveField(model_name="document", name="is_topic"),
        *NAMES,
    ]
