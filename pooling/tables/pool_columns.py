"""The filters and columns of the table of pools."""

from __future__ import annotations

from django.db.models import Q

from pooling.tables.pools import PoolRow
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice

STATE = Filter(
    "state",
    "State",
    [
        FilterChoice("none", "No pool", Q(pool=None)),
        FilterChoice("draft", "Draft", Q(pool__isnull=False, pool__frozen_at=None)),
        FilterChoice("frozen", "Frozen", Q(pool__frozen_at__isnull=False)),
    ],
)
SHORTFALL = Filter(
    "shortfall",
    "Shortfall",
    [FilterChoice("yes", "Too few documents", Q(pool__shortfall_sum__gt=0))],
)
POOL_FILTERS = [STATE, SHORTFALL]


def _state(row: PoolRow) -> str:
    if row.pool is None:
        return "no pool"
    return "frozen" if row.pool.is_frozen else "draft"


POOLS: Table[PoolRow] = Table(
    "pools",
    [
        Column(
            "docno",
            "Query paper",
            {"docno": lambda row: row.docno, "title": lambda row: row.title},
        ),
        Column("queries", "Queries", {"queries": lambda row: row.queries}),
        Column("size", "Size", {"size": lambda row: row.size}),
        Column("forced", "Forced", {"forced": lambda row: row.forced}),
        Column(
            "retrievers",
            "Retrievers",
            {"drawn": lambda row: " ".join(f"{d.source}:{d.documents}" for d in row.draws)},
        ),
        Column("shortfall", "Shortfall", {"shortfall": lambda row: row.shortfall}),
        Column(
            "excluded",
            "Not judged",
            {"not_judged": lambda row: row.excluded, "without_text": lambda row: row.without_text},
        ),
        Column("state", "State", {"state": _state}),
    ],
)
