import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from jobs.work import InPerson
from pooling.services import PoolingError, rebuild_pools


class Command(BaseCommand):
    help = (
        "Run the built-in retrievers again, draw every pool of a manifest again, and prove them "
        "equal or name the first difference (exit code 1). Changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("manifest", type=Path, help="as downloaded from the pools page")
        parser.add_argument("--collection", default="", help="default: the manifest's")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["manifest"]
        manifest = _read(path)
        collection = collection_named(options["collection"] or manifest.get("collection", ""))
        try:
            proof = rebuild_pools(collection=collection, manifest=manifest, work=InPerson())
        except PoolingError as error:
            raise CommandError(str(error)) from error
        again = ", ".join(proof.ranked_again) or "no run"
        self.stdout.write(
            f"Equal: {proof.pools:,} pools with {proof.candidates:,} candidates, drawn again after "
            f"ranking again with {again}; SHA-256 {proof.sha256}"
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}.") from error
    except ValueError as error:
        raise CommandError(f"{path}: {error}. A manifest is a JSON file.") from error
    if not isinstance(manifest, dict):
        raise CommandError(f"{path}: a manifest is a JSON object, this is another value.")
    return manifest
