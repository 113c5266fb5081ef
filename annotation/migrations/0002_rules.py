from django.db import migrations

from database.triggers import append_only, reject


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [
        *append_only("annotation_judgment"),
        *append_only("annotation_guideline"),
        reject(
            "judgment_by_the_slots_annotator",
            table="annotation_judgment",
            event="INSERT",
            when=(
                "NEW.annotator_id <> "
                "(SELECT annotator_id FROM annotation_slot WHERE id = NEW.slot_id)"
            ),
        ),
        reject(
            "slot_judged_keeps_its_annotator",
            table="annotation_slot",
            event="UPDATE",
            columns="annotator_id",
            when="OLD.judgment_id IS NOT NULL AND NEW.annotator_id <> OLD.annotator_id",
        ),
        reject(
            "slot_shows_its_own_judgment",
            table="annotation_slot",
            event="UPDATE",
            columns="judgment_id",
            when=(
                "(OLD.judgment_id IS NOT NULL AND NEW.judgment_id IS NULL) OR "
                "NEW.id <> (SELECT slot_id FROM annotation_judgment WHERE id = NEW.judgment_id)"
            ),
        ),
        reject(
            "slot_judged_never_deleted",
            table="annotation_slot",
            event="DELETE",
            when="OLD.judgment_id IS NOT NULL",
        ),
    ]
