"""Queries whose judges may agree too little, by a lower bound over their pairs. Pure.

An admin chooses a coefficient and a threshold. A query is flagged if the lower end of the bootstrap
interval of its coefficient is below the threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from adjudication.standing import LabelledPair
from agreement.coefficients import REGISTRY, CrossTable
from agreement.consistency.stacked_tables import COEFFICIENTS_OF_TABLES, resampled_tables
from corpus.resampling import ends_of_defined

RESAMPLES = 1_000
MOST_PAIRS = 5  # of a query that are named


class AgreementRule(NamedTuple):
    """The key of a coefficient, or "" for no rule, and the least lower bound that is enough."""

    coefficient: str
    threshold: float


class WorstPairs:
    """The pairs of each query on which the judges differ most, equal ones by docno."""

    def __init__(self) -> None:
        self.of_query: dict[str, list[tuple[str, int | None, int | None]]] = {}

    def reading(self, pairs: Iterable[LabelledPair]) -> Iterator[LabelledPair]:
        """The same pairs, while they are compared. Those of a query follow each other."""
        for query, members in groupby(pairs, key=attrgetter("query")):
            found = []
            for pair in members:
                first, second = pair.blind
                if first is not None and second is not None and first != second:
                    found.append((-abs(first - second), (pair.docno, first, second)))
                yield pair
            self.of_query[query] = [row for _, row in nsmallest(MOST_PAIRS, found)]


def flagged_queries(
    tables: Mapping[str, CrossTable], worst: WorstPairs, rule: AgreementRule, seed: str
) -> list[dict[str, Any]]:
    """The flagged queries, the one with the lowest bound first.

    `tables` are those of the two judges, by query. A query whose coefficient is undefined is not
    flagged, because it says nothing.
    """
    coefficient = next((each for each in REGISTRY if each.key == rule.coefficient), None)
    if coefficient is None:
        return []
    rows = []
    for query, table in tables.items():
        value = coefficient.function(table).value
        low = None if value is None else lower_bound(table, rule.coefficient, seed, query)
        if low is not None and low < rule.threshold:
            pairs = worst.of_query.get(query, [])
            rows.append({"query": query, "value": value, "low": low, "pairs": pairs})
    return sorted(rows, key=lambda row: (row["low"], row["query"]))


def lower_bound(table: CrossTable, key: str, seed: str, query: str) -> float | None:
    """The 2.5 % point of the coefficient over resamples of the query's pairs.

    Of the resamples in which it is defined; None if there are none.
    """
    tables = resampled_tables(table, f"{seed}|agreement-pairs|{query}", RESAMPLES)
    ends = ends_of_defined(COEFFICIENTS_OF_TABLES[key](tables, table.scale))
    return None if ends is None else ends[0]
