from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from pooling.models import PoolBuild
from pooling.services import builds_with_pools, manifest_text


class Command(ProjectCommand):
    help = "Print the manifest of a pool build, for rebuild_pools."
    stage = "Pools"
    writes = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--build",
            type=int,
            metavar="ID",
            help="The build, if the pools come from several. Without it, an error lists them.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        self.stdout.write(manifest_text(_build(collection, options["build"])), ending="")


def _build(collection: Collection, pk: int | None) -> PoolBuild:
    builds = list(builds_with_pools(collection).defer("manifest"))
    if not builds:
        raise CommandError(
            f"{collection.slug} has no pools. Build them with: build_pools {collection.slug}"
        )
    matches = [build for build in builds if pk in (None, build.pk)]
    if len(matches) == 1:
        return matches[0]
    build_texts = ", ".join(f"{build.pk} ({build.created_at:%Y-%m-%d %H:%M})" for build in builds)
    problem = "Its pools come from several builds" if pk is None else f"It has no build {pk}"
    raise CommandError(f"{collection.slug}: {problem}. Choose with --build: {build_texts}.")
