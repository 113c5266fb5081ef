from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from jobs.context import DirectRun
from pooling.rounds.manifest import is_round
from rebuilding.manifest_files import ReleaseFile, open_manifests
from rebuilding.rounds import prove_round
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
            help="A manifest of a pool build or pool round, from the page Pools, the API or "
            "export_manifest; or the zip of a release, or its unpacked folder.",
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
        if is_round(manifest):
            self._prove_round(manifest, collection)
            return
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

    def _prove_round(self, manifest: dict[str, Any], collection: Collection) -> None:
        proof = prove_round(collection=collection, manifest=manifest, work=DirectRun())
        self.stdout.write(
            f"Equal: round {proof.number} adds {proof.documents:,} documents to "
            f"{proof.pools:,} pools, chosen again; SHA-256 {proof.sha256}"
        )
        self.stdout.write(
            f"Equal: {proof.earlier_pools:,} pools of the first round, as stored, with the "
            "manifests of their builds, which were not drawn again"
        )
        if proof.imported_pools:
            self.stdout.write(
                f"{proof.imported_pools:,} imported pools: their documents equal those before "
                "the round"
            )
        for note in proof.notes:
            self.stdout.write(f"Differs without effect on the pools: {note}")
