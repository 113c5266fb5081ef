"""A case that begins to be due and one that ends are counted by two triggers.

A first judgment ends no case. In one trigger, PostgreSQL planned the statement about the judgment
before again for each judgment, because without one nothing is left of it.
"""

from importlib import import_module

from django.db import migrations

from database.triggers import Rule, dropped, keep

REFERRALS = import_module("adjudication.migrations.0008_referrals")

COUNT_BOTH = REFERRALS.DUE_COUNTS[1]
DUE = REFERRALS.DUE.format(
    case=f"{REFERRALS.DIFFER} OR {REFERRALS.OTHERS} > 0",
    standing=f" AND d.referral_count = {REFERRALS.OTHERS}",
)


def count(name: str, row: str, statement: str) -> Rule:
    """Run the statement when a slot shows another judgment and `row` (NEW or OLD) has one."""
    return keep(
        name,
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=f"NEW.judgment_id IS NOT OLD.judgment_id AND {row}.judgment_id IS NOT NULL",
        statements=[statement.format(row=row)],
    )


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0008_referrals")]

    operations = [
        dropped(COUNT_BOTH),
        count(
            "count_4_case_due",
            "NEW",
            "INSERT INTO adjudication_duecount (query_id, difference, due) "
            f"SELECT {REFERRALS.QUERY_OF}, {REFERRALS.DIFFERENCE}, 1 {DUE} {REFERRALS.ONE_MORE}",
        ),
        count(
            "count_4_case_due_no_longer",
            "OLD",
            f"{REFERRALS.UNCOUNT}{REFERRALS.QUERY_OF} "
            f"AND difference = (SELECT {REFERRALS.DIFFERENCE} {DUE})",
        ),
    ]
