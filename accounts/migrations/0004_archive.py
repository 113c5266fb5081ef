"""A collection can be archived, and deleted once it is archived and exported."""

from django.db import migrations, models

from database.triggers import reject


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_analysis")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="archived_at",
            field=models.DateTimeField(
                blank=True, help_text="Since when it can be read but not changed.", null=True
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="exported_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When all of it was last downloaded, while archived.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="deletion_began_at",
            field=models.DateTimeField(
                blank=True,
                help_text="From then on, its rows and files may be deleted.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("exported_at", None), ("archived_at__isnull", False), _connector="OR"
                ),
                name="collection_exported_while_archived",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("deletion_began_at", None), ("exported_at__isnull", False), _connector="OR"
                ),
                name="collection_deleted_after_export",
            ),
        ),
        reject(
            "collection_deletion_never_undone",
            table="accounts_collection",
            event="UPDATE",
            columns="deletion_began_at",
            # Some of its rows may be gone already.
            when="OLD.deletion_began_at IS NOT NULL AND NEW.deletion_began_at IS NULL",
        ),
    ]
