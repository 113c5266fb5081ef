"""Tokens of the API with a scope and an expiry, stored as hashes.

Until now a person had one key, stored as it is. A key stays valid as a token that may do everything
and never expires, until its owner replaces it, and only its hash stays. The table of
`rest_framework.authtoken`, which is no longer installed, is dropped.
"""

import hashlib

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def hash_keys(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make a token of every key, and drop the table of keys. A new database has none."""
    key_model = apps.get_model("accounts", "ApiKeyInTheClear")
    token_model = apps.get_model("accounts", "ApiToken")
    table = key_model._meta.db_table
    if table not in schema_editor.connection.introspection.table_names():
        return
    token_model.objects.bulk_create(
        token_model(
            user_id=row.user_id,
            name="Token from before",
            scope="admin",
            digest=hashlib.sha256(row.key.encode()).hexdigest(),
            start=row.key[:6],
            created_at=row.created,
        )
        for row in key_model.objects.all()
    )
    schema_editor.execute(f"DROP TABLE {table}")


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_proposals"),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                (
                    "scope",
                    models.CharField(
                        choices=[("read", "Read"), ("judge", "Judge"), ("admin", "Admin")],
                        max_length=8,
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of the token, in hexadecimal.", max_length=64
                    ),
                ),
                (
                    "start",
                    models.CharField(help_text="Its first characters.", max_length=16),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                (
                    "last_used_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="Written at most once a minute.",
                        null=True,
                    ),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("digest",), name="api_token_digest_once"),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ["read", "judge", "admin"])),
                        name="api_token_scope_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("expires_at", None),
                            ("expires_at__gt", models.F("created_at")),
                            _connector="OR",
                        ),
                        name="api_token_expires_after_creation",
                    ),
                ],
            },
        ),
        # What the table of keys is, for the function alone. The database has it already, or never.
        migrations.CreateModel(
            name="ApiKeyInTheClear",
            fields=[
                ("key", models.CharField(max_length=40, primary_key=True)),
                ("user_id", models.BigIntegerField()),
                ("created", models.DateTimeField()),
            ],
            options={"db_table": "authtoken_token", "managed": False},
        ),
        migrations.RunPython(hash_keys),
        migrations.DeleteModel(name="ApiKeyInTheClear"),  # not managed, so only of the state
    ]
