import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

POOLS = 200  # read at a time


def keep_lists_of_pools(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The list of every pool that is there. Lists of pools that were replaced are lost."""
    pool_model = apps.get_model("pooling", "Pool")
    candidate_model = apps.get_model("pooling", "Candidate")
    drawn_list_model = apps.get_model("pooling", "DrawnList")
    pools = pool_model.objects.filter(build__manifest__pools__has_key="query_papers")
    rows = list(pools.order_by("pk").values_list("pk", "build_id", "query_paper__document__docno"))
    for start in range(0, len(rows), POOLS):
        some = rows[start : start + POOLS]
        documents = {pk: [] for pk, _, _ in some}
        candidates = candidate_model.objects.filter(pool__in=documents).order_by("pool", "position")
        for pool, docno in candidates.values_list("pool_id", "document__docno"):
            documents[pool].append(docno)
        drawn_list_model.objects.bulk_create(
            drawn_list_model(build_id=build, query_paper=docno, documents=documents[pk])
            for pk, build, docno in some
        )


class Migration(migrations.Migration):
    dependencies = [("pooling", "0004_build_runs")]

    operations = [
        migrations.CreateModel(
            name="DrawnList",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("query_paper", models.CharField(help_text="Its docno.", max_length=200)),
                ("documents", models.JSONField(help_text="Docnos in the order drawn.")),
                (
                    "build",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drawn_lists",
                        to="pooling.poolbuild",
                    ),
                ),
            ],
            options={
                "ordering": ["build", "query_paper"],
                "constraints": [
                    models.UniqueConstraint(fields=("build", "query_paper"), name="drawn_list_once")
                ],
            },
        ),
        migrations.RunPython(keep_lists_of_pools, migrations.RunPython.noop),
    ]
