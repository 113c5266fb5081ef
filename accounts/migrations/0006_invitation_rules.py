"""The triggers of `accounts/invitations/rules.py`."""

from django.db import migrations

from accounts.invitations.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_invitations")]

    operations = RULES
