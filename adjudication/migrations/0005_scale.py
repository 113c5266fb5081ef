"""A decision's grade is on the scale of its collection."""

from django.db import migrations, models

from database.triggers import reject

NOT_ON_THE_SCALE = (
    "NEW.grade > 1 AND NEW.grade > (SELECT c.highest_grade FROM annotation_pair p "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE p.id = NEW.pair_id)"
)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_scale"),
        ("adjudication", "0004_set_aside"),
        ("annotation", "0006_scale"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="decision", name="decision_grade_or_reason"),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(grade__isnull=False, grade__lte=4, reason="")
                | (models.Q(grade__isnull=True) & ~models.Q(reason="")),
                name="decision_grade_or_reason",
            ),
        ),
        reject(
            "decision_grade_on_the_scale",
            table="adjudication_decision",
            event="INSERT",
            when=NOT_ON_THE_SCALE,
        ),
    ]
