"""Deadlines: their table, and the triggers of `annotation/rules/deadlines.py`."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from annotation.rules.deadlines import DEADLINES


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_languages"),
        ("annotation", "0004_help_requests"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Deadline",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_on", models.DateField()),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deadlines",
                        to="accounts.collection",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("annotator", None)),
                        fields=("collection",),
                        name="deadline_of_collection_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("annotator__isnull", False)),
                        fields=("collection", "annotator"),
                        name="deadline_of_annotator_once",
                    ),
                ],
            },
        ),
        *DEADLINES,
    ]
