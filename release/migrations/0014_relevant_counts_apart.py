"""A pair that begins to count as relevant and one that ends are counted by two triggers.

A first judgment ends nothing. In one trigger, PostgreSQL planned the statement again for each
judgment, because without a judgment before, half of it is not needed: 2 to 5 ms for each judgment.
"""

from importlib import import_module

from django.db import migrations

from database.triggers import Rule, dropped, keep

REFERRED = import_module("release.migrations.0011_referred_pairs")

QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = {row}.pair_id)"
# Each is looked up by its key. With joins, PostgreSQL read whole tables without statistics.
RELEVANT = (
    f"{REFERRED.GRADE} = (SELECT other.grade FROM annotation_slot o "
    "JOIN annotation_judgment other ON other.id = o.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number) "
    f"AND {REFERRED.GRADE} >= (SELECT c.relevant_from FROM annotation_pair p "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE p.id = {row}.pair_id AND p.referral_count = 0)"
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
    dependencies = [("release", "0013_public_decisions")]

    operations = [
        dropped(REFERRED.count_relevant(REFERRED.NOT_REFERRED)),
        # PostgreSQL runs both after `count_2_pair_judged`, which locks the counts of the query.
        count(
            "count_4_relevant_pair",
            "NEW",
            "INSERT INTO release_relevantcount (query_id, agreed) "
            f"SELECT {QUERY_OF}, 1 WHERE {RELEVANT} ON CONFLICT (query_id) DO UPDATE SET "
            "agreed = release_relevantcount.agreed + 1",
        ),
        count(
            "count_4_relevant_pair_no_longer",
            "OLD",
            "UPDATE release_relevantcount SET agreed = agreed - 1 "
            f"WHERE query_id = {QUERY_OF} AND {RELEVANT}",
        ),
    ]
