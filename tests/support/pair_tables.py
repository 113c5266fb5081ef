"""Tables of pairs, drawn with a character for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from planning.yields.pairs import PairTable


def a_table(
    pools: Mapping[str, str],
    *,
    depths: Sequence[int] | None = None,
    facets: Sequence[str] = ("Method",),
    facet_of: Mapping[str, int] | None = None,
    sources: Sequence[Sequence[int]] | None = None,
    seconds: float = 15.0,
) -> PairTable:
    """By query: R is relevant, . not; both are judged. m waits and may be relevant, s is set aside.

    p was postponed, ? is not judged. `depths` and the `sources` that have it, the first of which
    drew it, are of each pair, in order.
    """
    marks = np.array(list("".join(pools.values())))
    query = np.repeat(np.arange(len(pools)), [len(marks_of) for marks_of in pools.values()])
    size = len(marks)
    having = sources or [[0]] * size
    judged = np.isin(marks, list("R.ms"))
    return PairTable(
        queries=list(pools),
        facets=list(facets),
        strategies=["take_b"],
        sources=[f"source{place}" for place in range(1 + max(map(max, having), default=0))],
        facet_of_query=np.array([(facet_of or {}).get(name, 0) for name in pools]),
        query=query,
        strategy=np.zeros(size, dtype=np.int64),
        source=np.array([places[0] for places in having]),
        depth=np.array(depths if depths is not None else [1] * size),
        sources_with_it=np.array([len(places) for places in having]),
        has_pair=np.repeat(np.arange(size), [len(places) for places in having]),
        has_source=np.array([place for places in having for place in places]),
        judged=judged,
        labelled=np.isin(marks, list("R.")),
        relevant=marks == "R",
        maybe=np.isin(marks, list("mp")),
        seen=judged | (marks == "p"),
        seconds=np.where(judged, 2 * seconds, 0.0),
        judgments=2 * judged.astype(np.int64),
        assumed=np.zeros(size, dtype=np.int64),
        finished=np.where(judged, np.arange(size) + 1, 0),
        seconds_a_judgment=seconds,
    )
