"""Counts of decisions, kept by triggers."""

from django.db import migrations

from database.triggers import keep

QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = {row}.pair_id)"
# A decision on the judgments that both slots show, which differ or lack a grade.
SETTLED = (
    "SELECT 1 FROM adjudication_decision d "
    "JOIN annotation_slot a ON a.pair_id = d.pair_id AND a.number = 1 "
    "AND a.judgment_id = d.first_id "
    "JOIN annotation_slot b ON b.pair_id = d.pair_id AND b.number = 2 "
    "AND b.judgment_id = d.second_id "
    "JOIN annotation_judgment one ON one.id = d.first_id "
    "JOIN annotation_judgment two ON two.id = d.second_id "
    "WHERE (one.grade IS NULL OR two.grade IS NULL OR one.grade <> two.grade)"
)
COUNTS = [
    keep(
        "count_3_case_decided",
        table="adjudication_decision",
        event="INSERT",
        statements=[
            "INSERT INTO adjudication_casecount (query_id, settled, decisions) "
            f"SELECT {QUERY_OF.format(row='NEW')}, CASE WHEN EXISTS ({SETTLED} AND d.id = NEW.id) "
            f"AND NOT EXISTS ({SETTLED} AND d.pair_id = NEW.pair_id AND d.id <> NEW.id) "
            "THEN 1 ELSE 0 END, 1 WHERE TRUE ON CONFLICT (query_id) DO UPDATE SET "
            "settled = adjudication_casecount.settled + excluded.settled, "
            "decisions = adjudication_casecount.decisions + 1"
        ],
    ),
    # A new judgment opens a settled case again: no decision was made on that judgment.
    keep(
        "count_3_case_reopened",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id AND OLD.judgment_id IS NOT NULL",
        statements=[
            "UPDATE adjudication_casecount SET settled = settled - 1 "
            f"WHERE query_id = {QUERY_OF.format(row='OLD')} AND EXISTS "
            "(SELECT 1 FROM adjudication_decision d JOIN annotation_slot o "
            "ON o.pair_id = d.pair_id AND o.number <> OLD.number "
            "JOIN annotation_judgment this ON this.id = OLD.judgment_id "
            "JOIN annotation_judgment other ON other.id = o.judgment_id "
            "WHERE d.pair_id = OLD.pair_id AND OLD.judgment_id IN (d.first_id, d.second_id) "
            "AND o.judgment_id IN (d.first_id, d.second_id) AND (this.grade IS NULL "
            "OR other.grade IS NULL OR this.grade <> other.grade))"
        ],
    ),
]


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0002_rules"), ("annotation", "0003_counts")]

    operations = COUNTS
