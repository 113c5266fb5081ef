from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def plan_imported_folds(apps: Any, schema_editor: Any) -> None:
    """Until now a collection had rows of `Fold` only if its folds were imported."""
    fold_plans = apps.get_model("evaluation", "FoldPlan").objects
    folds = apps.get_model("evaluation", "Fold").objects.order_by()
    for collection in folds.values_list("query__collection", flat=True).distinct():
        fold_plans.create(collection_id=collection, imported_from="evaluation_splits.json")


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_corpus_licence"),
        ("corpus", "0008_full_text"),
        ("evaluation", "0007_error_tags"),
    ]

    operations = [
        migrations.CreateModel(
            name="FoldPlan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made", models.PositiveSmallIntegerField(default=0)),
                (
                    "imported_from",
                    models.CharField(blank=True, help_text="The name of the file.", max_length=200),
                ),
                (
                    "collection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fold_plan",
                        to="accounts.collection",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("imported_from", ""), ("made", 0), _connector="OR"),
                        name="folds_are_imported_or_made",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("made__lte", 20)), name="made_folds_are_not_too_many"
                    ),
                ]
            },
        ),
        migrations.RemoveConstraint(model_name="fold", name="fold_is_first_or_second"),
        migrations.AddConstraint(
            model_name="fold",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__lte", 20)), name="fold_number_is_not_too_high"
            ),
        ),
        migrations.RunPython(plan_imported_folds, migrations.RunPython.noop),
    ]
