from django.db import migrations

from database.triggers import append_only


class Migration(migrations.Migration):
    dependencies = [("agreement", "0001_initial")]

    operations = append_only("agreement_report")
