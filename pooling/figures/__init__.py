"""What the pages about runs and pools say, asked of the database. Nothing here writes."""

from pooling.figures.builds import BuildRow, HowDrawn, Lack, build_rows, lacks
from pooling.figures.candidates import CANDIDATE_SORTS, candidate_rows, neighbours
from pooling.figures.freezing import MOST_POOLS, Preview, preview_of
from pooling.figures.models import COUNT, DEPTH, ModelChoice, model_choice, models_of
from pooling.figures.overlap import OverlapCell, heat, overlap, overlap_rows
from pooling.figures.pools import POOL_SORTS, Draw, pool_table
from pooling.figures.runs import built_in_left, catalogue_left, run_rows
from pooling.figures.sorting import Sort, matching, sort_rows

__all__ = [
    "CANDIDATE_SORTS",
    "COUNT",
    "DEPTH",
    "MOST_POOLS",
    "POOL_SORTS",
    "BuildRow",
    "Draw",
    "HowDrawn",
    "Lack",
    "ModelChoice",
    "OverlapCell",
    "Preview",
    "Sort",
    "build_rows",
    "built_in_left",
    "candidate_rows",
    "catalogue_left",
    "heat",
    "lacks",
    "matching",
    "model_choice",
    "models_of",
    "neighbours",
    "overlap",
    "overlap_rows",
    "pool_table",
    "preview_of",
    "run_rows",
    "sort_rows",
]
