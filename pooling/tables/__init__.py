"""The tables of the pages about pools: queries that write nothing."""

from pooling.tables.builds import BuildRow, HowDrawn, Shortfall, build_rows, shortfalls
from pooling.tables.candidates import CANDIDATE_SORTS, candidate_rows, neighbours
from pooling.tables.freeze_preview import MOST_POOLS, Preview, preview_of
from pooling.tables.overlap import OverlapCell, heat, overlap, overlap_rows
from pooling.tables.pools import (
    POOL_SORTS,
    Draw,
    PoolTable,
    pool_numbers,
    pool_papers,
    pool_rows,
)

__all__ = [
    "CANDIDATE_SORTS",
    "MOST_POOLS",
    "POOL_SORTS",
    "BuildRow",
    "Draw",
    "HowDrawn",
    "OverlapCell",
    "PoolTable",
    "Preview",
    "Shortfall",
    "build_rows",
    "candidate_rows",
    "heat",
    "neighbours",
    "overlap",
    "overlap_rows",
    "pool_numbers",
    "pool_papers",
    "pool_rows",
    "preview_of",
    "shortfalls",
]
