"""The scale of a collection. What exists is judged on 0 to 3, with 2 and 3 as relevant."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="highest_grade",
            field=models.PositiveSmallIntegerField(
                default=3,
                help_text="The grades are 0 to this one. It is fixed once a query is open.",
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="relevant_from",
            field=models.PositiveSmallIntegerField(
                default=2, help_text="This grade and the higher ones count as relevant."
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(("highest_grade__range", (1, 4))),
                name="collection_has_two_to_five_grades",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("relevant_from__gte", 1), ("relevant_from__lte", models.F("highest_grade"))
                ),
                name="collection_relevant_from_is_a_grade",
            ),
        ),
    ]
