"""The pairs of a collection as arrays, judged and not, as the report reads them once. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

BANDS = (1, 11, 21, 51, 101, 201)  # the first depth of each


@dataclass(frozen=True)
class PairTable:
    """The queries with the candidates of their pools, one entry for each, in the order of queries.

    `query`, `facet`, `strategy` and `source` are places in `queries`, `facets`, `strategies` and
    `sources`; `source` drew the candidate. `depth` is the rank at which it did, and where the pool
    has no ranks its place among what the source drew; 0 for a forced source, which has no order.
    `sources_with_it` counts the sources that have it, and (`has_pair`, `has_source`) lists them.

    `judged`: both judged it. `labelled`: and it has a final grade, which counts as `relevant`.
    `seen`: both were shown it, so each judged or postponed it, or it was opened again. `maybe`: it
    is seen, and neither a final grade nor two judgments say that it is not relevant. `seconds` are
    those of both judges; of their `judgments`, `assumed` have no measured time. `finished` orders
    judged pairs by time.
    """

    queries: Sequence[str]
    facets: Sequence[str]
    strategies: Sequence[str]
    sources: Sequence[str]
    facet_of_query: Codes
    query: Codes
    strategy: Codes
    source: Codes
    depth: Codes
    sources_with_it: Codes
    has_pair: Codes
    has_source: Codes
    judged: Flags
    labelled: Flags
    relevant: Flags
    maybe: Flags
    seen: Flags
    seconds: Numbers
    judgments: Codes
    assumed: Codes
    finished: Codes
    seconds_a_judgment: float

    @property
    def facet(self) -> Codes:
        return self.facet_of_query[self.query]

    @property
    def relevant_or_maybe(self) -> Flags:
        """At least those that are relevant in the end, unless a decision overrules both upwards."""
        return self.relevant | self.maybe

    @property
    def band(self) -> Codes:
        """The place of the depth in BANDS; -1 for a forced source."""
        return np.searchsorted(BANDS, self.depth, side="right") - 1

    def sums(self, values: Numbers | Flags) -> Numbers:
        """The sum of the values by query."""
        weights = values.astype(np.float64)
        sums: Numbers = np.bincount(self.query, weights, len(self.queries)).astype(np.float64)
        return sums


def band_name(place: int) -> str:
    """As in "11–20"; the last is open."""
    if place < 0:
        return "forced"
    if place + 1 == len(BANDS):
        return f"{BANDS[place]} and deeper"
    return f"{BANDS[place]}–{BANDS[place + 1] - 1}"
