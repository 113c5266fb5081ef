import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from database.triggers import reject

EXCLUDED = (
    "EXISTS (SELECT 1 FROM annotation_exclusion e "
    "JOIN corpus_query q ON q.query_paper_id = e.query_paper_id "
    "JOIN annotation_opening o ON o.query_id = q.id "
    "WHERE o.id = NEW.opening_id AND e.annotator_id = NEW.annotator_id)"
)
HAS_A_SEAT = (
    "EXISTS (SELECT 1 FROM annotation_seat s "
    "JOIN annotation_opening o ON o.id = s.opening_id "
    "JOIN corpus_query q ON q.id = o.query_id "
    "WHERE q.query_paper_id = NEW.query_paper_id AND s.annotator_id = NEW.annotator_id)"
)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0007_topics"),
        ("corpus", "0002_natural_order"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Exclusion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "query_paper",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exclusions",
                        to="corpus.querypaper",
                    ),
                ),
            ],
            options={
                "ordering": ["query_paper", "annotator"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("query_paper", "annotator"), name="exclusion_once"
                    )
                ],
            },
        ),
        reject("seat_not_of_an_excluded", table="annotation_seat", event="INSERT", when=EXCLUDED),
        reject(
            "seat_not_handed_to_an_excluded",
            table="annotation_seat",
            event="UPDATE",
            columns="annotator_id",
            when=EXCLUDED,
        ),
        reject(
            "exclusion_of_no_seat_holder",
            table="annotation_exclusion",
            event="INSERT",
            when=HAS_A_SEAT,
        ),
    ]
