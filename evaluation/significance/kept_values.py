"""Stored values and comparisons that this process keeps for the next page or file.

With 3,800 queries, reading the values of five systems takes a tenth of a second, and the sign flips
take another. The page *Compare* and each of its files need both. What is kept is found by the
state of the stored scores, so it is never of other scores.
"""

from __future__ import annotations

from functools import lru_cache

from accounts.models import Collection
from scoring.labels import relevant_from
from scoring.measures.offered import known_measure
from scoring.models import Scores
from scoring.results import per_query
from scoring.statistics.comparison import SystemComparison, compare
from web.lazy import pandas as pd

# The name of each system, and the row, digest and time of its scores.
ScoresState = tuple[tuple[str, int, str, str], ...]


class KeptValues:
    """The values of a measure of a collection; `table` is that of `results.per_query`."""

    def __init__(self, collection: Collection, measure: str, source: str) -> None:
        profile = known_measure(measure, relevant_from(collection, source)).profile
        rows = Scores.objects.filter(
            system__collection=collection, source=source, profile=profile
        ).order_by("system__name")
        state = tuple(
            (name, pk, digest, time.isoformat())
            for name, pk, digest, time in rows.values_list(
                "system__name", "pk", "state", "computed_at"
            )
        )
        self._key = (collection.pk, measure, source, state)
        self.table = _values(*self._key)

    def comparison(self, values: pd.DataFrame, baseline: str) -> SystemComparison:
        """`compare` for some of the rows of the table."""
        return _comparison(*self._key, tuple(values.index), baseline)


@lru_cache(maxsize=8)
def _values(collection: int, measure: str, source: str, state: ScoresState) -> pd.DataFrame:
    return per_query(Collection.objects.get(pk=collection), measure, source=source)


@lru_cache(maxsize=32)
def _comparison(
    collection: int,
    measure: str,
    source: str,
    state: ScoresState,
    queries: tuple[str, ...],
    baseline: str,
) -> SystemComparison:
    values = _values(collection, measure, source, state)
    return compare(values.loc[list(queries)], baseline)
