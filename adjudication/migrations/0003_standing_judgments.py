import importlib

from django.db import migrations

from database.triggers import lifted, reject

earlier = importlib.import_module("adjudication.migrations.0002_rules")

SHOWN = (
    "NOT EXISTS (SELECT 1 FROM annotation_slot s WHERE s.pair_id = NEW.pair_id "
    "AND s.number = {number} AND s.judgment_id = NEW.{side}_id)"
)
SIDES = (("first", 1), ("second", 2))


def on(name: str, condition: str) -> migrations.RunPython:
    return reject(
        name,
        table="adjudication_decision",
        event="INSERT",
        when=" OR ".join(condition.format(side=side, number=number) for side, number in SIDES),
    )


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0002_rules"), ("annotation", "0004_rows_of_judgments")]

    operations = [
        # The stricter rule replaces the other: a slot shows only judgments of its own pair.
        lifted(on("decision_on_judgments_of_its_pair", earlier.SLOT_OF_THE_PAIR)),
        on("decision_on_standing_judgments", SHOWN),
    ]
