"""How often a pair was sent to the adjudicator, and the count of pairs for adjudication with it."""

from django.db import migrations, models

from database.triggers import Rule, dropped, keep

QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = {row}.pair_id)"
BOTH = (
    "CASE WHEN {row}.judgment_id IS NOT NULL AND EXISTS (SELECT 1 FROM annotation_slot o "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    "AND o.judgment_id IS NOT NULL) THEN 1 ELSE 0 END"
)
DISPUTED = (
    "CASE WHEN EXISTS (SELECT 1 FROM annotation_slot o "
    "JOIN annotation_judgment other ON other.id = o.judgment_id "
    "JOIN annotation_judgment this ON this.id = {row}.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    "AND (other.grade IS NULL OR this.grade IS NULL OR other.grade <> this.grade{referred})) "
    "THEN 1 ELSE 0 END"
)
REFERRED = " OR (SELECT p.referral_count FROM annotation_pair p WHERE p.id = {row}.pair_id) > 0"
# Of a pair: whether both slots are judged, and its grades differ or it was sent to the adjudicator.
DISPUTED_PAIR = (
    "CASE WHEN EXISTS (SELECT 1 FROM annotation_slot a "
    "JOIN annotation_slot b ON b.pair_id = a.pair_id AND b.number = 2 "
    "JOIN annotation_judgment one ON one.id = a.judgment_id "
    "JOIN annotation_judgment two ON two.id = b.judgment_id "
    "WHERE a.pair_id = {row}.id AND a.number = 1 AND (one.grade IS NULL OR two.grade IS NULL "
    "OR one.grade <> two.grade OR {row}.referral_count > 0)) THEN 1 ELSE 0 END"
)


def change(expression: str) -> str:
    return f"({expression.format(row='NEW')}) - ({expression.format(row='OLD')})"


def count_judged(referred: str) -> Rule:
    return keep(
        "count_2_pair_judged",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id",
        lock="SELECT 1 FROM annotation_paircount WHERE query_id = " + QUERY_OF.format(row="NEW"),
        statements=[
            f"UPDATE annotation_paircount SET judged = judged + {change(BOTH)}, "
            f"disputed = disputed + {change(DISPUTED.replace('{referred}', referred))}, "
            f"revision = revision + 1 WHERE query_id = {QUERY_OF.format(row='NEW')}"
        ],
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0011_former_admins")]

    operations = [
        migrations.AddField(
            model_name="pair",
            name="referral_count",
            field=models.SmallIntegerField(
                db_default=0,
                default=0,
                help_text="How often an admin sent it to the adjudicator since it was last opened "
                "for two judges. Triggers count; see adjudication.Referral.",
            ),
        ),
        migrations.AddIndex(
            model_name="pair",
            index=models.Index(
                condition=models.Q(("referral_count__gt", 0)),
                fields=["query"],
                name="pair_referred",
            ),
        ),
        dropped(count_judged("")),
        count_judged(REFERRED),
        keep(
            "count_2_pair_referred",
            table="annotation_pair",
            event="UPDATE",
            columns="referral_count",
            when="NEW.referral_count <> OLD.referral_count",
            lock="SELECT 1 FROM annotation_paircount WHERE query_id = NEW.query_id",
            statements=[
                f"UPDATE annotation_paircount SET disputed = disputed + {change(DISPUTED_PAIR)}, "
                "revision = revision + 1 WHERE query_id = NEW.query_id"
            ],
        ),
    ]
