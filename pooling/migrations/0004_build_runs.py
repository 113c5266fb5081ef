import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from database.triggers import reject

FROZEN_BUILD = (
    "EXISTS (SELECT 1 FROM pooling_pool p "
    "WHERE p.build_id = OLD.build_id AND p.frozen_at IS NOT NULL)"
)
FROZEN_RUN = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_buildrun b ON b.build_id = p.build_id "
    "WHERE b.run_id = OLD.run_id AND p.frozen_at IS NOT NULL)"
)


def relate_builds(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Relate every build to its runs, which only its manifest named so far."""
    runs = apps.get_model("pooling", "Run").objects
    build_runs = apps.get_model("pooling", "BuildRun").objects
    for build in apps.get_model("pooling", "PoolBuild").objects.iterator():
        for used in build.manifest.get("runs", []):
            same = runs.filter(
                collection_id=build.collection_id, name=used["name"], sha256=used["sha256"]
            )
            build_runs.create(
                build=build,
                run=same.first(),
                name=used["name"],
                use=used.get("use", "drawn"),
                sha256=used["sha256"],
            )


class Migration(migrations.Migration):
    dependencies = [("pooling", "0003_inclusion")]

    operations = [
        migrations.CreateModel(
            name="BuildRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                (
                    "use",
                    models.CharField(
                        choices=[
                            ("drawn", "drawn from"),
                            ("forced", "taken whole"),
                            ("excluded", "left out"),
                        ],
                        max_length=10,
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
                (
                    "build",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="build_runs",
                        to="pooling.poolbuild",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="build_runs",
                        to="pooling.run",
                    ),
                ),
            ],
            options={
                "ordering": ["build", "name"],
                "constraints": [
                    models.UniqueConstraint(fields=("build", "name"), name="build_run_once"),
                    models.CheckConstraint(
                        condition=models.Q(("use__in", ["drawn", "forced", "excluded"])),
                        name="build_run_use_known",
                    ),
                ],
            },
        ),
        migrations.RunPython(relate_builds, migrations.RunPython.noop),
        reject(
            "build_run_of_frozen_pool_update",
            table="pooling_buildrun",
            event="UPDATE",
            when=FROZEN_BUILD,
        ),
        reject(
            "build_run_of_frozen_pool_delete",
            table="pooling_buildrun",
            event="DELETE",
            when=FROZEN_BUILD,
        ),
        reject(
            "ranking_of_frozen_pool_update",
            table="pooling_ranking",
            event="UPDATE",
            when=FROZEN_RUN,
        ),
        reject(
            "ranking_of_frozen_pool_delete",
            table="pooling_ranking",
            event="DELETE",
            when=FROZEN_RUN,
        ),
        reject(
            "pool_frozen_with_its_runs",
            table="pooling_pool",
            event="UPDATE",
            columns="frozen_at",
            when=(
                "NEW.frozen_at IS NOT NULL AND EXISTS (SELECT 1 FROM pooling_buildrun b "
                "WHERE b.build_id = NEW.build_id AND b.run_id IS NULL)"
            ),
        ),
    ]
