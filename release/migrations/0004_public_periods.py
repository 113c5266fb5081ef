"""When releases are public. A row changes once, when its period ends."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from database.triggers import reject

TABLE = "release_publicperiod"


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0003_facts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PublicPeriod",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "page",
                    models.JSONField(
                        help_text="The content of the public page, copied from the bundle, "
                        "which is long."
                    ),
                ),
                ("began_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "began_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ended_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="public_periods",
                        to="release.release",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("release",),
                        name="public_period_current_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("ended_by", None)),
                            models.Q(
                                ("ended_at__gte", models.F("began_at")), ("ended_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="public_period_ends_after_it_begins",
                    ),
                ],
            },
        ),
        reject(
            "public_period_keeps_its_beginning",
            table=TABLE,
            event="UPDATE",
            columns="release_id, page, began_at, began_by_id",
        ),
        reject(
            "public_period_ends_once",
            table=TABLE,
            event="UPDATE",
            when="OLD.ended_at IS NOT NULL",
        ),
        reject("public_period_never_deleted", table=TABLE, event="DELETE"),
    ]
