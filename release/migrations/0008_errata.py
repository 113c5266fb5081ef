"""Reports of errors in published versions. A row changes once, when it is settled."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from database.triggers import reject

TABLE = "release_erratum"


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0007_exceptions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Erratum",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="From 1, among the reports of the version."
                    ),
                ),
                ("query", models.CharField(max_length=240)),
                (
                    "docno",
                    models.CharField(
                        blank=True, help_text="Empty: the whole query.", max_length=200
                    ),
                ),
                ("problem", models.TextField(help_text="In the reader's words. Never published.")),
                (
                    "email",
                    models.EmailField(
                        blank=True, help_text="Of the reader. Never published.", max_length=254
                    ),
                ),
                ("reported_at", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("accepted", "accepted"),
                            ("declined", "declined"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "answer",
                    models.TextField(
                        blank=True, help_text="The outcome or the reason. It is published."
                    ),
                ),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="errata",
                        to="release.release",
                    ),
                ),
                (
                    "reported_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "settled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "number"), name="erratum_number_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("query", ""), _negated=True),
                            models.Q(("problem", ""), _negated=True),
                        ),
                        name="erratum_names_query_and_problem",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("answer", ""),
                                ("settled_at", None),
                                ("settled_by", None),
                                ("state", "open"),
                            ),
                            models.Q(
                                ("settled_at__isnull", False),
                                ("state__in", ["accepted", "declined"]),
                                models.Q(("answer", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="erratum_settled_with_answer",
                    ),
                ],
            },
        ),
        reject(
            "erratum_keeps_its_report",
            table=TABLE,
            event="UPDATE",
            columns="release_id, number, query, docno, problem, email, reported_at, reported_by_id",
        ),
        reject("erratum_settled_once", table=TABLE, event="UPDATE", when="OLD.state <> 'open'"),
        reject(
            "erratum_never_deleted",
            table=TABLE,
            event="DELETE",
            when="NOT EXISTS (SELECT 1 FROM release_release r JOIN accounts_collection c "
            "ON c.id = r.collection_id WHERE r.id = OLD.release_id "
            "AND c.deletion_began_at IS NOT NULL)",
        ),
    ]
