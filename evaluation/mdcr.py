"""The MDCR benchmark: systems scored by citations, by field and type of candidate (Medić & Šnajder, SDP 2022). Pure.

score_pools({"Art": {"q1": {"true": ["d1"], "bm25": ["d2"], "random": ["d3"]}}}, {"q1_d1": 0.9, "q1_d2": 0.4, …})
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.measures import CLOSED, score
from pooling.mdcr import TRUE
from pooling.published import Pools, json_object
from retrieval.lists import best_first
from web.errors import BadInput

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("AP", "nDCG", "R@5")
ALL, MEAN = "all", "mean over fields"


def score_pools(pools: Pools, scores: Mapping[str, float]) -> pd.DataFrame:
    """The table of `score_types` for scores by "query_candidate", the highest is the best.

    Equal ones go by docno descending, as in trec_eval. Raises BadInput for a pair without a score.
    """
    lists = {}
    for field, queries in pools.items():
        for query, types in queries.items():
            lists[field, query], _ = best_first(*scored_pairs(f"{field}, {query}", query, graded(types), scores))
    return score_types(pools, lists)


def scored_pairs(
    place: str, query: str, docnos: Iterable[str], scores: Mapping[str, float]
) -> tuple[list[str], list[float]]:
    """The candidates and their scores."""
    pairs = {docno: f"{query}_{docno}" for docno in docnos}
    if unscored := [pair for pair in pairs.values() if pair not in scores]:
        raise BadInput(f"{place}: {len(unscored):,} pairs have no score, such as {unscored[0]!r}.")
    return list(pairs), [float(scores[pair]) for pair in pairs.values()]


def score_types(pools: Pools, lists: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    """Percentages of each field, and their means, by type of candidate: `all`, then what is cited with one type each.

    The index is (type, field). `lists` are by field and query. Figures of fields are rounded to four decimals before
    they are averaged, as the published script does.
    """
    import pandas as pd

    asked = [(field, query, types) for field, queries in pools.items() for query, types in queries.items()]
    shown = {str(number): lists.get((field, query), ()) for number, (field, query, _) in enumerate(asked)}
    kinds = {kind for *_, types in asked for kind in types if types[kind]}
    tables = {}
    for kind in [ALL, *sorted(kinds - {TRUE})]:
        labels = {str(n): grades for n, (*_, types) in enumerate(asked) if (grades := graded(types, kind))}
        table = 100 * score(shown, labels, MEASURES, scope=CLOSED)
        by_field = table.groupby([asked[int(number)][0] for number in table.index]).mean().round(4)
        tables[kind] = pd.concat([by_field, by_field.mean().round(4).to_frame(MEAN).T])
    return pd.concat(tables, names=["candidates", "field"])


def graded(types: Mapping[str, list[str]], kind: str = ALL) -> dict[str, int]:
    """1 for what is cited, 0 for other candidates of a type, or of all. Nothing where the type has no candidate."""
    others = [docno for docnos in types.values() for docno in docnos] if kind == ALL else types.get(kind)
    return dict.fromkeys(others, 0) | dict.fromkeys(types[TRUE], 1) if others else {}


def read_scores(path: Path) -> dict[str, float]:
    """{"query_candidate": score}"""
    scores = json_object(path)
    for pair, value in scores.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BadInput(f"{path.name}: the score of {pair!r} must be a number, got {value!r}.")
    return scores
