from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from pooling.models import PoolBuild, PoolRound
from pooling.rounds.manifest import round_manifest_text
from pooling.services import builds_with_pools, manifest_text


class Command(ProjectCommand):
    help = "Print the manifest of a pool build or of a pool round, for rebuild_pools."
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
        parser.add_argument(
            "--round", type=int, metavar="N", help="The pool round, from 2, instead of a build."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        if options["round"] is not None:
            pool_round = _round(collection, options["round"])
            self.stdout.write(round_manifest_text(pool_round), ending="")
            return
        self.stdout.write(manifest_text(_build(collection, options["build"])), ending="")


def _round(collection: Collection, number: int) -> PoolRound:
    pool_round = collection.pool_rounds.filter(number=number).first()
    if pool_round is None:
        numbers = list(collection.pool_rounds.values_list("number", flat=True))
        has = f"It has {', '.join(map(str, numbers))}." if numbers else "Its builds are round 1."
        raise CommandError(f"{collection.slug} has no pool round {number}. {has}")
    return pool_round


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
