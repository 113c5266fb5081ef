"""What makes the checks of the gate and the list of releases quick."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from database.triggers import keep
from release.gate.white_space import CONDITION

INDEX = "release_docno_with_white_space"


def make_index(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    condition = CONDITION[schema_editor.connection.vendor].format(column="docno")
    schema_editor.execute(
        f"CREATE INDEX {INDEX} ON corpus_document (collection_id, docno) WHERE {condition}",
        params=None,
    )


def drop_index(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute(f"DROP INDEX {INDEX}")


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0002_rules"),
        ("annotation", "0003_counts"),
        ("pooling", "0002_rules"),
    ]

    operations = [
        # Nullable and without a default, so that SQLite keeps the table and its triggers.
        migrations.AddField(
            model_name="release",
            name="summary",
            field=models.JSONField(
                help_text="What a list of releases shows, without reading manifests or files.",
                null=True,
            ),
        ),
        migrations.CreateModel(
            name="UnsourcedPair",
            fields=[
                (
                    "pair",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="without_source",
                        serialize=False,
                        to="annotation.pair",
                    ),
                )
            ],
        ),
        keep(
            "mark_pair_without_source",
            table="annotation_pair",
            event="INSERT",
            statements=[
                "INSERT INTO release_unsourcedpair (pair_id) SELECT NEW.id WHERE NOT EXISTS "
                "(SELECT 1 FROM pooling_contribution c WHERE c.candidate_id = NEW.candidate_id)"
            ],
        ),
        migrations.RunPython(make_index, drop_index),
    ]
