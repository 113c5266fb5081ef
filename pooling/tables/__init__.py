"""The tables of the pages about pools: queries that write nothing."""

from pooling.tables.builds import BuildRow, HowDrawn, Shortfall, build_rows, shortfalls
from pooling.tables.candidate_columns import CANDIDATES, candidate_filters
from pooling.tables.candidates import CANDIDATE_SORTS, candidate_rows, neighbours
from pooling.tables.freeze_preview import MOST_POOLS, Preview, preview_of
from pooling.tables.overlap import OverlapCell, heat, overlap, overlap_rows
from pooling.tables.pool_columns import POOL_FILTERS, POOLS
from pooling.tables.pools import (
    POOL_SORTS,
    PoolTable,
    RetrieverDraw,
    pool_numbers,
    pool_papers,
    pool_rows,
)

__all__ = [
    "CANDIDATES",
    "CANDIDATE_SORTS",
    "MOST_POOLS",
    "POOLS",
    "POOL_FILTERS",
    "POOL_SORTS",
    "BuildRow",
    "HowDrawn",
    "OverlapCell",
    "PoolTable",
    "Preview",
    "RetrieverDraw",
    "Shortfall",
    "build_rows",
    "candidate_filters",
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
