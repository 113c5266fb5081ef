from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from jobs.context import DirectRun
from rebuilding.manifest_files import ReleaseFile, open_manifests
from rebuilding.services import rebuild_pools
from web.errors import UserFacingError


class Command(ProjectCommand):
    help = (
        "Draw the pools of a manifest again, and compare. Runs the built-in retrievers first. "
        "Prints that the pools are equal, or the first difference (exit code 1). Changes nothing."
    )
    stage = "Pools"
    writes = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file",
            type=Path,
            help="A manifest, from the page Pools, the API or export_manifest; or the zip of a "
            "release, or its unpacked folder.",
        )
        parser.add_argument(
            "--kept-runs",
            action="store_true",
            help="Take every run from the release or the collection, without ranking again.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            with open_manifests(path) as (manifests, release_file):
                for manifest in manifests:
                    self._rebuild(
                        manifest, release_file, options["collection"], options["kept_runs"]
                    )
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from error
        except UserFacingError as error:
            raise CommandError(f"{path}: {error}") from error

    def _rebuild(
        self,
        manifest: dict[str, Any],
        release_file: ReleaseFile | None,
        collection: Collection,
        kept_runs: bool,
    ) -> None:
        proof = rebuild_pools(
            collection=collection,
            manifest=manifest,
            work=DirectRun(),
            release_file=release_file,
            rank_again=not kept_runs,
        )
        run_names = ", ".join(proof.ranked_again) or "no run"
        self.stdout.write(
            f"Equal: {proof.pools:,} pools with {proof.candidates:,} candidates, drawn again after "
            f"ranking again with {run_names}; SHA-256 {proof.sha256}"
        )
        for note in proof.notes:
            self.stdout.write(f"Differs without effect on the pools: {note}")
