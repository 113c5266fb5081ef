"""A published version does not change."""

from django.db import migrations

from web.triggers import append_only


class Migration(migrations.Migration):
    dependencies = [("release", "0001_initial")]
    operations = append_only("release_release")
