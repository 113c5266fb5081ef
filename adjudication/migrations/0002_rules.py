from django.db import migrations

from database.triggers import append_only, reject

# Judgments that no slot shows any more, or that are of another pair.
NOT_SHOWN = (
    "NOT EXISTS (SELECT 1 FROM annotation_slot s WHERE s.pair_id = NEW.pair_id "
    "AND s.number = {number} AND s.judgment_id = NEW.{side}_id)"
)
SIDES = (("first", 1), ("second", 2))
# A release holds reasons, so it must not follow the words of a page. Empty where there is a grade.
CODES = "'', 'garbled', 'language', 'other', 'source'"


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0001_initial"), ("annotation", "0002_rules")]

    operations = [
        *append_only("adjudication_decision"),
        reject(
            "decision_not_by_a_judge",
            table="adjudication_decision",
            event="INSERT",
            when=(
                "EXISTS (SELECT 1 FROM annotation_slot s "
                "WHERE s.pair_id = NEW.pair_id AND s.annotator_id = NEW.adjudicator_id)"
            ),
        ),
        reject(
            "decision_on_standing_judgments",
            table="adjudication_decision",
            event="INSERT",
            when=" OR ".join(NOT_SHOWN.format(side=side, number=number) for side, number in SIDES),
        ),
        reject(
            "decision_reason_is_a_code",
            table="adjudication_decision",
            event="INSERT",
            when=f"NEW.grade IS NULL AND NEW.reason NOT IN ({CODES})",
        ),
    ]
