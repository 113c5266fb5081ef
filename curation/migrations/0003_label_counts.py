"""Indexes that count labels without reading texts."""

from django.db import migrations, models

INDEX = "CREATE INDEX {name} ON corpus_document (collection_id, id) WHERE {condition}"
CONDITIONS = {
    "document_without_labels": "labels = '[]' AND sentences <> '[]'",
    "document_without_text": "sentences = '[]'",
}


class Migration(migrations.Migration):
    dependencies = [("curation", "0002_rules")]

    operations = [
        *(
            migrations.RunSQL(INDEX.format(name=name, condition=condition), f"DROP INDEX {name}")
            for name, condition in CONDITIONS.items()
        ),
        migrations.AddIndex(
            model_name="labelrecord",
            index=models.Index(
                fields=["collection", "labeller", "checked_at"], name="label_record_by_labeller"
            ),
        ),
    ]
