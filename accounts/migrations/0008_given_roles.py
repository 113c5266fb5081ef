"""Every role that a person was ever given is kept, and a former admin never annotates.

Roles that were removed before this migration are not known.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from database.triggers import keep, reject

TABLE = "accounts_givenrole"
RECORD = (
    f"INSERT INTO {TABLE} (collection_id, user_id, role) "
    "SELECT NEW.collection_id, NEW.user_id, NEW.role WHERE NOT EXISTS "
    f"(SELECT 1 FROM {TABLE} g WHERE g.user_id = NEW.user_id "
    "AND g.collection_id = NEW.collection_id AND g.role = NEW.role)"
)
FORMER_ADMIN = (
    f"NEW.role = 'annotator' AND EXISTS (SELECT 1 FROM {TABLE} g WHERE g.user_id = NEW.user_id "
    "AND g.collection_id = NEW.collection_id AND g.role = 'admin')"
)
NOT_BEING_DELETED = (
    "NOT EXISTS (SELECT 1 FROM accounts_collection c WHERE c.id = OLD.collection_id "
    "AND c.deletion_began_at IS NOT NULL)"
)
MEMBERSHIP = "accounts_membership"


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_exported_rows")]

    operations = [
        migrations.CreateModel(
            name="GivenRole",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("admin", "Admin"),
                            ("annotator", "Annotator"),
                            ("adjudicator", "Adjudicator"),
                            ("curator", "Curator"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="given_roles",
                        to="accounts.collection",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="given_roles",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "collection", "role"), name="given_role_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(
            f"INSERT INTO {TABLE} (collection_id, user_id, role) "
            f"SELECT collection_id, user_id, role FROM {MEMBERSHIP}",
            migrations.RunSQL.noop,
        ),
        keep("mark_given_role", table=MEMBERSHIP, event="INSERT", statements=[RECORD]),
        keep("mark_changed_role", table=MEMBERSHIP, event="UPDATE", statements=[RECORD]),
        reject("given_role_never_edited", table=TABLE, event="UPDATE"),
        reject("given_role_never_deleted", table=TABLE, event="DELETE", when=NOT_BEING_DELETED),
        reject(
            "membership_former_admin_never_annotator",
            table=MEMBERSHIP,
            event="INSERT",
            when=FORMER_ADMIN,
        ),
        reject(
            "membership_former_admin_stays_no_annotator",
            table=MEMBERSHIP,
            event="UPDATE",
            when=FORMER_ADMIN,
        ),
    ]
