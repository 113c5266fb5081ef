"""The tables of the pages about pools: queries that write nothing."""

from pooling.tables.builds import BuildRow, HowDrawn, Shortfall, build_rows, how_drawn, shortfalls
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
    "heat",
    "how_drawn",
    "overlap",
    "overlap_rows",
    "pool_numbers",
    "pool_papers",
    "pool_rows",
    "preview_of",
    "shortfalls",
]
