"""A label record describes the text of its document as it is."""

from django.db import migrations

from database.triggers import keep


class Migration(migrations.Migration):
    dependencies = [("curation", "0001_initial")]

    operations = [
        keep(
            "drop_label_record_of_old_text",
            table="corpus_document",
            event="UPDATE",
            columns="digest",
            when="OLD.digest <> NEW.digest",
            statements=[
                "DELETE FROM curation_labelrecord "
                "WHERE document_id = NEW.id AND digest <> NEW.digest"
            ],
        )
    ]
