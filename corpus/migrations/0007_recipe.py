import django.db.models.deletion
from django.db import migrations, models

from database.triggers import Rule, reject


def kept(table: str, collection: str) -> list[Rule]:
    """Rows are never edited, and deleted only with a collection that is being deleted."""
    not_being_deleted = (
        f"NOT EXISTS (SELECT 1 FROM accounts_collection c WHERE c.id = ({collection}) "
        "AND c.deletion_began_at IS NOT NULL)"
    )
    return [
        reject(f"{table}_never_edited", table=table, event="UPDATE"),
        reject(f"{table}_never_deleted", table=table, event="DELETE", when=not_being_deleted),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_archive"),
        ("corpus", "0006_query_sentences"),
    ]

    operations = [
        migrations.CreateModel(
            name="DocumentImport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "source",
                    models.TextField(help_text="The name of the file, folder or data set."),
                ),
                ("format_name", models.CharField(max_length=200)),
                ("recipe", models.JSONField(default=dict)),
                (
                    "read",
                    models.PositiveIntegerField(
                        help_text="Documents and invalid lines that were read."
                    ),
                ),
                ("created", models.PositiveIntegerField()),
                ("updated", models.PositiveIntegerField()),
                ("unchanged", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="document_imports",
                        to="accounts.collection",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            read__gte=models.F("created")
                            + models.F("updated")
                            + models.F("unchanged")
                        ),
                        name="import_keeps_what_it_read",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportStep",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.TextField(help_text="What was left out, in words.")),
                ("removed", models.PositiveIntegerField()),
                ("remaining", models.PositiveIntegerField()),
                (
                    "document_import",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="steps",
                        to="corpus.documentimport",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("document_import", "position"), name="import_step_position_once"
                    )
                ],
            },
        ),
        *kept("corpus_documentimport", "SELECT OLD.collection_id"),
        *kept(
            "corpus_importstep",
            "SELECT i.collection_id FROM corpus_documentimport i "
            "WHERE i.id = OLD.document_import_id",
        ),
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
