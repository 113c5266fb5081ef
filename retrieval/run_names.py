"""Names of runs: of an imported run by its file, and those that no run can have. Pure."""

from __future__ import annotations

from pathlib import PurePath

ENDINGS = {
    ".gz", ".zip", ".bz2", ".xz", ".zst",
    ".txt", ".run", ".trec", ".res", ".results", ".out", ".tsv", ".csv", ".dat", ".qrels", ".qrel",
    ".npy", ".json", ".jsonl",
}  # fmt: skip

CITED = "cited"  # the source of what a query paper cites
RESERVED_NAMES = (CITED, "budget")  # sources of pooled documents that are not runs


def name_from(filename: str) -> str:
    """A run's name from a filename, without known endings: "my run.trec.gz" gives "my-run"."""
    path = PurePath(filename)
    while path.suffix.lower() in ENDINGS and path.stem:
        path = path.with_suffix("")
    return "-".join(path.name.split())[:60]
