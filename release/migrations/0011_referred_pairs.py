"""A pair that was sent to the adjudicator has no agreed, relevant label."""

from django.db import migrations

from database.triggers import Rule, dropped, keep

QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = NEW.pair_id)"
GRADE = "(SELECT this.grade FROM annotation_judgment this WHERE this.id = {row}.judgment_id)"
RELEVANT = (
    "CASE WHEN {row}.judgment_id IS NULL THEN 0 "
    f"WHEN {GRADE} = (SELECT other.grade FROM annotation_slot o "
    "JOIN annotation_judgment other ON other.id = o.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number) "
    f"AND {GRADE} >= (SELECT c.relevant_from FROM annotation_pair p "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE p.id = {row}.pair_id"
)
NOT_REFERRED = " AND p.referral_count = 0"
END = ") THEN 1 ELSE 0 END"
# Of a pair that was never sent to the adjudicator, as often as `row` says.
RELEVANT_PAIR = (
    "CASE WHEN {row}.referral_count = 0 AND EXISTS (SELECT 1 FROM annotation_slot a "
    "JOIN annotation_slot b ON b.pair_id = a.pair_id AND b.number = 2 "
    "JOIN annotation_judgment one ON one.id = a.judgment_id "
    "JOIN annotation_judgment two ON two.id = b.judgment_id "
    "WHERE a.pair_id = {row}.id AND a.number = 1 AND one.grade = two.grade AND one.grade >= "
    "(SELECT c.relevant_from FROM corpus_query q "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE q.id = {row}.query_id)) "
    "THEN 1 ELSE 0 END"
)


def change(expression: str) -> str:
    return f"({expression.format(row='NEW')}) - ({expression.format(row='OLD')})"


def counted(query: str, expression: str) -> str:
    return (
        "INSERT INTO release_relevantcount (query_id, agreed) "
        f"SELECT {query}, changed.by FROM (SELECT {change(expression)} AS by) changed "
        "WHERE changed.by <> 0 ON CONFLICT (query_id) DO UPDATE SET "
        "agreed = release_relevantcount.agreed + excluded.agreed"
    )


def count_relevant(referred: str) -> Rule:
    return keep(
        "count_4_relevant_pair",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id",
        statements=[counted(QUERY_OF, f"{RELEVANT}{referred}{END}")],
    )


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0010_reports_by_network"),
        ("annotation", "0012_referral_count"),
    ]

    operations = [
        dropped(count_relevant("")),
        count_relevant(NOT_REFERRED),
        # PostgreSQL runs it after `count_2_pair_referred`, which locks the counts of the query.
        keep(
            "count_4_pair_referred",
            table="annotation_pair",
            event="UPDATE",
            columns="referral_count",
            when="NEW.referral_count <> OLD.referral_count",
            statements=[counted("NEW.query_id", RELEVANT_PAIR)],
        ),
    ]
