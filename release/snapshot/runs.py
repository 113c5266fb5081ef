"""Runs, with their lines to be read when they are written."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Collection
from bundle.formats.run_files import file_names
from bundle.records import ReleasedBuild, ReleasedQuery, ReleasedRun, RunLines
from retrieval.models import Run
from retrieval.services import names_by_paper, run_lines
from retrieval.services.run_files import QueryNames


def released_runs(
    collection: Collection, builds: tuple[ReleasedBuild, ...]
) -> tuple[ReleasedRun, ...]:
    """All runs by name; those that the builds used have a file in the bundle.

    A run that is retired is listed only where a build used it.
    """
    used = {
        (run["name"], run["sha256"]) for build in builds for run in build.manifest.get("runs", [])
    }
    rows = Run.with_retired.filter(collection=collection).order_by("pk")
    runs: dict[tuple[str, str], ReleasedRun] = {}
    for run in rows:
        key = (run.name, run.sha256)
        if key in used or run.retired_at is None:
            runs[key] = ReleasedRun(run.name, run.kind, run.parameters, run.depth, run.sha256)
    files = file_names(used & runs.keys())
    return tuple(runs[key]._replace(file=files.get(key)) for key in sorted(runs))


def lines_of(
    collection: Collection, run: ReleasedRun, query_names: QueryNames | None = None
) -> RunLines:
    """The lines of a run. Two of one name and digest have the same."""
    rows = Run.with_retired.filter(collection=collection, name=run.name, sha256=run.sha256)
    return lambda: run_lines(rows[0], query_names)


def names_of(queries: Sequence[ReleasedQuery], run: ReleasedRun) -> QueryNames:
    """The queries of the snapshot that the run's lists are for, by query paper."""
    rows = ((query.query_paper, query.name, query.facet) for query in queries)
    return names_by_paper(rows, run.parameters.get("facet"))
