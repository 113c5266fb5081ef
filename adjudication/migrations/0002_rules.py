from django.db import migrations

from database.triggers import append_only, reject

SLOT_OF_THE_PAIR = (
    "NOT EXISTS (SELECT 1 FROM annotation_judgment j JOIN annotation_slot s ON s.id = j.slot_id "
    "WHERE j.id = NEW.{side}_id AND s.pair_id = NEW.pair_id AND s.number = {number})"
)


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
            "decision_on_judgments_of_its_pair",
            table="adjudication_decision",
            event="INSERT",
            when=" OR ".join(
                SLOT_OF_THE_PAIR.format(side=side, number=number)
                for side, number in (("first", 1), ("second", 2))
            ),
        ),
    ]
