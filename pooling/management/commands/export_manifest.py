from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from accounts.models import Collection
from pooling.models import PoolBuild
from pooling.services import builds_with_pools, manifest_text


class Command(BaseCommand):
    help = "Print the manifest of a pool build, for rebuild_pools."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument(
            "--build",
            type=int,
            metavar="ID",
            help="The build, if the pools come from several. Without it, an error lists them.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
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
