"""Counts pairs for the agreement without those on which a judge got an answer. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from adjudication.standing import LabelledPair
from agreement.coefficients import Missing
from agreement.summary import Tally, as_json_dict, summarize_tally


class WithoutAdvised:
    """Counts the judged pairs that are not among the advised ones.

    `advised` has query and docno of each pair of which a judgment came after an answer. `count`
    adds pairs of a query to a tally.
    """

    def __init__(
        self,
        advised: Collection[tuple[str, str]],
        tally: Tally,
        count: Callable[[Tally, Iterable[LabelledPair]], None],
    ) -> None:
        self._advised, self._tally, self._count = advised, tally, count
        self._left_out: Counter[str] = Counter()  # by facet

    def reading(self, pairs: Iterable[LabelledPair]) -> Iterator[LabelledPair]:
        """The same pairs, while the others are counted. Those of a query follow each other."""
        for _, members in groupby(pairs, key=attrgetter("query")):
            pairs_of_query = list(members)
            others = [
                pair for pair in pairs_of_query if (pair.query, pair.docno) not in self._advised
            ]
            advised_pairs = len(pairs_of_query) - len(others)
            self._left_out[pairs_of_query[0].facet] += advised_pairs
            self._count(self._tally, others)
            yield from pairs_of_query

    def as_json(self, missing: Missing, seed: str) -> dict[str, Any]:
        """The pairs `left_out`, and `facets` and `queries` as in the report of all pairs.

        Each of the `facets` has its `left_out`, too. Empty if no pair was left out.
        """
        if not self._left_out.total():
            return {}
        report = as_json_dict("", missing, summarize_tally(self._tally, missing, seed))
        facets = [{**row, "left_out": self._left_out[row["facet"]]} for row in report["facets"]]
        return {
            "left_out": self._left_out.total(),
            "facets": facets,
            "queries": report["queries"],
        }
