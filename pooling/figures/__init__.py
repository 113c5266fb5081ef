"""What the pages about runs and pools say, asked of the database. Nothing here writes."""

from pooling.figures.candidates import CANDIDATE_SORTS, candidate_rows, neighbours
from pooling.figures.freezing import Preview, preview_of
from pooling.figures.overlap import OverlapCell, heat, overlap, overlap_rows
from pooling.figures.pools import POOL_SORTS, Draw, pool_table
from pooling.figures.runs import built_in_left, catalogue_left, run_lines, run_rows
from pooling.figures.sorting import Sort, matching, sort_rows

__all__ = [
    "CANDIDATE_SORTS",
    "POOL_SORTS",
    "Draw",
    "OverlapCell",
    "Preview",
    "Sort",
    "built_in_left",
    "candidate_rows",
    "catalogue_left",
    "heat",
    "matching",
    "neighbours",
    "overlap",
    "overlap_rows",
    "pool_table",
    "preview_of",
    "run_lines",
    "run_rows",
    "sort_rows",
]
