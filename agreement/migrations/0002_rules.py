from django.db import migrations

from database.triggers import reject

# All but `revision` and `checked_at`, which say when a report was last found to be the present one.
WRITTEN_ONCE = "id, collection_id, missing, statistics, state, created_at, confusion, payload"


class Migration(migrations.Migration):
    dependencies = [("agreement", "0001_initial")]

    operations = [
        reject(
            "agreement_report_never_edited",
            table="agreement_report",
            event="UPDATE",
            columns=WRITTEN_ONCE,
        ),
        reject("agreement_report_never_deleted", table="agreement_report", event="DELETE"),
    ]
