"""Topics become rows of their own, and query papers have a name.

A topic was a document that was marked as one, and the narrative was in the metadata of its query
paper. Judges did not see the narrative. Where a query of the topic is open, they go on without it,
so that both judges of a pair see the same.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from corpus.digests import topic_digest
from database.natural_order import NaturalKeyField

# Of the query papers that a new database does not have.
OPEN_PAPERS = (
    "SELECT q.query_paper_id FROM corpus_query q JOIN annotation_opening o ON o.query_id = q.id"
)


def name_query_papers(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute(
        "UPDATE corpus_querypaper SET "
        "name = (SELECT d.docno FROM corpus_document d WHERE d.id = document_id), "
        "name_order = (SELECT d.docno_order FROM corpus_document d WHERE d.id = document_id)"
    )


def move_topics(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """A topic document without a query paper is deleted: its last query was removed."""
    papers = apps.get_model("corpus", "QueryPaper").objects.filter(document__is_topic=True)
    topics = apps.get_model("corpus", "Topic").objects
    open_papers = _open_papers(schema_editor)
    for paper in papers.select_related("document").order_by("pk"):
        document, metadata = paper.document, dict(paper.metadata)
        narrative = metadata.pop("narrative", "")
        text = " ".join(document.sentences)
        description = "" if _without_space(text) == _without_space(document.title) else text
        paper.topic = topics.create(
            collection_id=paper.collection_id,
            name=document.docno,
            name_order=document.docno_order,
            title=document.title,
            description=description,
            narrative=narrative,
            sentences=document.sentences,
            narrative_is_shown=not narrative or paper.pk not in open_papers,
            digest=topic_digest(document.title, description, narrative),
        )
        paper.document, paper.metadata = None, metadata
        paper.save(update_fields=["document", "topic", "metadata"])
    apps.get_model("corpus", "Document").objects.filter(is_topic=True).delete()
    if schema_editor.connection.vendor == "postgresql":
        # Checks that wait for the end of the transaction would forbid changes of the tables.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        schema_editor.execute("SET CONSTRAINTS ALL DEFERRED")


def _without_space(text: str) -> str:
    return "".join(text.split())


def _open_papers(schema_editor: BaseDatabaseSchemaEditor) -> set[int]:
    """The query papers with an open query."""
    connection = schema_editor.connection
    if "annotation_opening" not in connection.introspection.table_names():
        return set()
    with connection.cursor() as cursor:
        cursor.execute(OPEN_PAPERS)
        return {paper for (paper,) in cursor.fetchall()}


class Migration(migrations.Migration):
    dependencies = [("corpus", "0003_whole_facet")]

    operations = [
        migrations.CreateModel(
            name="Topic",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="The id in the topic file, with its prefix.", max_length=200
                    ),
                ),
                (
                    "name_order",
                    NaturalKeyField(editable=False, max_length=401, null=True, of="name"),
                ),
                ("title", models.TextField(blank=True)),
                ("description", models.TextField(blank=True)),
                ("narrative", models.TextField(blank=True)),
                ("sentences", models.JSONField(default=list)),
                (
                    "narrative_is_shown",
                    models.BooleanField(
                        default=True,
                        help_text="False where judging began before narratives were shown to "
                        "judges.",
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        editable=False, help_text="SHA-256 of the text.", max_length=64
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="topics",
                        to="accounts.collection",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(fields=("collection", "name"), name="topic_name_once"),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="topic_has_name"
                    ),
                ],
            },
        ),
        migrations.AlterField(
            model_name="querypaper",
            name="document",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="query_paper",
                to="corpus.document",
            ),
        ),
        migrations.AddField(
            model_name="querypaper",
            name="topic",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="query_paper",
                to="corpus.topic",
            ),
        ),
        migrations.AddField(
            model_name="querypaper", name="name", field=models.CharField(max_length=200, null=True)
        ),
        migrations.AddField(
            model_name="querypaper",
            name="name_order",
            field=NaturalKeyField(editable=False, max_length=401, null=True, of="name"),
        ),
        migrations.RunPython(name_query_papers, migrations.RunPython.noop),
        # The way back fails if there are topics, because query papers need documents there.
        migrations.RunPython(move_topics, migrations.RunPython.noop),
    ]
