"""`pools/` and `runs/`: the pools with their sources, and the runs they were drawn from."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.formats.run_files import ROUND_LISTS, RUNS, write_round_lists, write_runs
from bundle.names import POOLS
from bundle.zip.draft_files import DraftFolder

FILES = (
    FileNote(
        POOLS,
        "every pooled document: who drew it, all its sources with rank and score",
    ),
    FileNote(
        f"{RUNS}<name>.txt",
        "the runs that pools were drawn from, as TREC run files; `manifest.json` has their names",
    ),
    FileNote(
        ROUND_LISTS,
        "the lists that a later pool round was chosen from, to its depth, as TREC run files",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    papers = groupby(snapshot.pools, attrgetter("query_paper"))
    return {
        POOLS: folder.write(
            formats.write_pools(paper, with_rounds=bool(snapshot.rounds)) for _, paper in papers
        ),
        **write_runs(folder, snapshot.runs, snapshot.run_lines),
        **write_round_lists(folder, snapshot.rounds, snapshot.run_lines),
    }
