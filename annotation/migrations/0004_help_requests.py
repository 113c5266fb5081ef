"""Help requests: their tables, and the triggers of `annotation/rules/help_requests.py`."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.rules import JUDGES_SQL
from annotation.rules.help_requests import HAS_THE_PAIR, HELP_REQUEST, HELP_REQUESTS, MEMBER
from database.triggers import reject

# As they were when only judges asked. `0008_adjudicators_ask` replaces them.
ASKERS_BEFORE = [
    reject(
        "help_request_on_an_own_pair",
        table=HELP_REQUEST,
        event="INSERT",
        when=f"NEW.pair_id IS NOT NULL AND NOT {HAS_THE_PAIR}",
    ),
    reject(
        "help_request_by_a_judge",
        table=HELP_REQUEST,
        event="INSERT",
        when=f"NOT {MEMBER.format(column='asker_id', roles=f'IN {JUDGES_SQL}')}",
    ),
    reject(
        "help_request_keeps_its_words",
        table=HELP_REQUEST,
        event="UPDATE",
        columns="facet_id, pair_id, token, asker_id, text, key, asked_at",
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0003_proposals"),
        ("corpus", "0002_rules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HelpRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.CharField(blank=True, default="", max_length=32)),
                ("text", models.TextField()),
                (
                    "key",
                    models.UUIDField(
                        help_text="The same submission sent twice counts once.", unique=True
                    ),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("answer", models.TextField(blank=True, default="")),
                (
                    "for_all",
                    models.BooleanField(
                        default=False, help_text="Whether all judges of the facet read the answer."
                    ),
                ),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "asker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="help_requests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "facet",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="help_requests",
                        to="corpus.facet",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="help_requests",
                        to="annotation.pair",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="HelpReading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("read_at", models.DateTimeField(auto_now_add=True)),
                (
                    "reader",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="readings",
                        to="annotation.helprequest",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="HelpExample",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("shows_pair", models.BooleanField()),
                ("written_at", models.DateTimeField(auto_now_add=True)),
                (
                    "guideline",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="help_example",
                        to="annotation.guideline",
                    ),
                ),
                (
                    "written_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="examples",
                        to="annotation.helprequest",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="helprequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("answered_at", None), ("pair__isnull", False)),
                fields=("asker", "pair", "token"),
                name="help_request_open_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="helprequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("answered_at", None), ("pair", None)),
                fields=("asker", "facet"),
                name="help_request_on_guideline_open_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="helprequest",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="help_request_has_text"
            ),
        ),
        migrations.AddConstraint(
            model_name="helprequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("pair", None), ("token", "")),
                    models.Q(
                        models.Q(("pair__isnull", False)), models.Q(("token", ""), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="help_request_on_pair_has_token",
            ),
        ),
        migrations.AddConstraint(
            model_name="helprequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("answer", ""),
                        ("answered_at", None),
                        ("answered_by", None),
                        ("for_all", False),
                    ),
                    models.Q(
                        models.Q(("answer", ""), _negated=True),
                        ("answered_at__isnull", False),
                        ("answered_by__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="help_request_answered_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="helpreading",
            constraint=models.UniqueConstraint(
                fields=("request", "reader"), name="help_reading_once"
            ),
        ),
        *ASKERS_BEFORE,
        *HELP_REQUESTS,
    ]
