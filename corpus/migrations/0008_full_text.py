import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_recipe")]

    operations = [
        migrations.CreateModel(
            name="FullText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sections", models.JSONField(default=list)),
                ("pdf_url", models.TextField(blank=True)),
                (
                    "digest",
                    models.CharField(editable=False, help_text="SHA-256 of both.", max_length=64),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="full_text",
                        to="corpus.document",
                    ),
                ),
            ],
            options={
                "ordering": ["document"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("sections", []), _negated=True)
                        | models.Q(("pdf_url", ""), _negated=True),
                        name="full_text_has_sections_or_link",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("pdf_url", ""))
                        | models.Q(("pdf_url__startswith", "https://")),
                        name="full_text_link_is_https",
                    ),
                ],
            },
        ),
    ]
