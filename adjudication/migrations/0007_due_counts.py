"""Counts of due cases by the difference of their grades, kept by triggers."""

import django.db.models.deletion
from django.db import migrations, models

from database.triggers import keep

QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = {row}.pair_id)"
DIFFERENCE = (
    "CASE WHEN one.grade IS NULL OR two.grade IS NULL THEN 5 ELSE ABS(one.grade - two.grade) END"
)
DIFFERS = "(one.grade IS NULL OR two.grade IS NULL OR one.grade <> two.grade)"
# The case that the judgment of this slot makes with that of the other slot, if it is due.
DUE = (
    "FROM annotation_slot o JOIN annotation_judgment one ON one.id = {row}.judgment_id "
    "JOIN annotation_judgment two ON two.id = o.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    f"AND {DIFFERS} AND NOT EXISTS (SELECT 1 FROM adjudication_decision d "
    "WHERE d.pair_id = o.pair_id "
    "AND d.first_id = CASE o.number WHEN 1 THEN two.id ELSE one.id END "
    "AND d.second_id = CASE o.number WHEN 1 THEN one.id ELSE two.id END)"
)
# The case of a decision on the judgments that both slots show.
DECIDED = (
    "FROM adjudication_decision d "
    "JOIN annotation_slot a ON a.pair_id = d.pair_id AND a.number = 1 "
    "AND a.judgment_id = d.first_id "
    "JOIN annotation_slot b ON b.pair_id = d.pair_id AND b.number = 2 "
    "AND b.judgment_id = d.second_id "
    "JOIN annotation_judgment one ON one.id = d.first_id "
    "JOIN annotation_judgment two ON two.id = d.second_id "
    f"WHERE {DIFFERS}"
)
UNCOUNT = "UPDATE adjudication_duecount SET due = due - 1 WHERE query_id = "
# The numbers in the names give the order in which PostgreSQL runs and locks, by name.
COUNTS = [
    keep(
        "count_4_case_due",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id",
        statements=[
            f"{UNCOUNT}{QUERY_OF} AND difference = (SELECT {DIFFERENCE} {DUE})".format(row="OLD"),
            "INSERT INTO adjudication_duecount (query_id, difference, due) "
            f"SELECT {QUERY_OF}, {DIFFERENCE}, 1 {DUE} ".format(row="NEW")
            + "ON CONFLICT (query_id, difference) "
            "DO UPDATE SET due = adjudication_duecount.due + 1",
        ],
    ),
    keep(
        "count_4_case_decided",
        table="adjudication_decision",
        event="INSERT",
        statements=[
            f"{UNCOUNT}{QUERY_OF.format(row='NEW')} "
            f"AND difference = (SELECT {DIFFERENCE} {DECIDED} AND d.id = NEW.id) "
            f"AND NOT EXISTS (SELECT 1 {DECIDED} AND d.pair_id = NEW.pair_id AND d.id <> NEW.id)"
        ],
    ),
]
COUNT_PRESENT_CASES = (
    "INSERT INTO adjudication_duecount (query_id, difference, due) "
    f"SELECT p.query_id, {DIFFERENCE}, COUNT(*) FROM annotation_pair p "
    "JOIN annotation_slot a ON a.pair_id = p.id AND a.number = 1 "
    "JOIN annotation_slot b ON b.pair_id = p.id AND b.number = 2 "
    "JOIN annotation_judgment one ON one.id = a.judgment_id "
    "JOIN annotation_judgment two ON two.id = b.judgment_id "
    f"WHERE {DIFFERS} AND NOT EXISTS (SELECT 1 FROM adjudication_decision d "
    "WHERE d.pair_id = p.id AND d.first_id = one.id AND d.second_id = two.id) "
    "GROUP BY 1, 2"
)


class Migration(migrations.Migration):
    dependencies = [
        ("adjudication", "0006_judgment_import"),
        ("annotation", "0010_unchecked_labels"),
    ]

    operations = [
        migrations.CreateModel(
            name="DueCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "difference",
                    models.PositiveSmallIntegerField(help_text="As that of a case."),
                ),
                ("due", models.IntegerField()),
                (
                    "query",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="due_counts",
                        to="corpus.query",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("query", "difference"), name="due_count_once")
                ],
            },
        ),
        *COUNTS,
        migrations.RunSQL(COUNT_PRESENT_CASES, migrations.RunSQL.noop),
    ]
