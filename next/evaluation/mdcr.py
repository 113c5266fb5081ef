"""The MDCR benchmark: published pools, scored by citations (Medić & Šnajder, SDP 2022). Pure.

    score_pools({"Art": {"q1": {"true": ["d1"], "bm25": ["d2"], "random": ["d3"]}}}, {"q1_d1": 0.9, "q1_d2": 0.4, …})

A candidate of the type `true` is cited by the query paper, any other is not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.measures import OPEN, score
from pooling.mdcr import TRUE
from retrieval.lists import best_first
from web.errors import BadInput

if TYPE_CHECKING:
    import pandas as pd

Pools = Mapping[str, Mapping[str, Mapping[str, list[str]]]]  # candidates by field, query and type
MEASURES = ("AP", "nDCG", "R@5")
ALL, MEAN = "all", "mean over fields"


def score_pools(pools: Pools, scores: Mapping[str, float]) -> pd.DataFrame:
    """Percentages of each field, and their means, by type of candidate: `all`, then what is cited with one type each.

    The index is (type, field). `scores` are by "query_candidate", the highest is the best; equal ones go by docno
    descending, as in trec_eval. Figures of fields are rounded to four decimals before they are averaged, as the
    published script does. Raises BadInput for a pair without a score.
    """
    import pandas as pd

    lists, labels = {}, {}
    for field, queries in pools.items():
        for query, types in queries.items():
            key = f"{field}|{query}"
            # A candidate of several types is cited if one of them is `true`.
            grades = {docno: 0 for docnos in types.values() for docno in docnos} | dict.fromkeys(types[TRUE], 1)
            pairs = [f"{query}_{docno}" for docno in grades]
            if unscored := [pair for pair in pairs if pair not in scores]:
                raise BadInput(f"{field}, {query}: {len(unscored):,} pairs have no score, such as {unscored[0]!r}.")
            lists[key], _ = best_first(list(grades), [scores[pair] for pair in pairs])
            labels[key] = grades
    rows = {}
    for kind in [ALL, *sorted({kind for queries in pools.values() for types in queries.values() for kind in types})]:
        for field, queries in sorted(pools.items()):
            shown = {}
            for query, types in queries.items():
                key = f"{field}|{query}"
                kept = labels[key] if kind == ALL else {*types.get(kind, ()), *types[TRUE]}
                if kind == ALL or types.get(kind):
                    shown[key] = {docno: labels[key][docno] for docno in kept}
            if shown and kind != TRUE:
                kept_lists = {key: [docno for docno in lists[key] if docno in shown[key]] for key in shown}
                rows[kind, field] = (100 * score(kept_lists, shown, MEASURES, scope=OPEN).mean()).round(4)
        if of_kind := [row for (each, _), row in rows.items() if each == kind]:
            rows[kind, MEAN] = pd.DataFrame(of_kind).mean().round(4)
    return pd.DataFrame(rows.values(), index=pd.MultiIndex.from_tuples(rows, names=["candidates", "field"]))


def read_pools(path: Path) -> Pools:
    """{field: {query: {type: [candidate, …]}}}, each query with candidates of the type `true`."""
    pools: dict[str, dict[str, dict[str, list[str]]]] = {}
    for field, queries in json_object(path).items():
        for query, types in queries.items() if isinstance(queries, dict) else [("", None)]:
            if not isinstance(types, dict) or not all(isinstance(docnos, list) for docnos in types.values()):
                raise BadInput(f'{path.name}, {field}, {query}: expected {{"bm25": [candidate, …], …, "true": […]}}.')
            if not types.get(TRUE):
                raise BadInput(f"{path.name}, {field}, {query}: no candidate is “{TRUE}”, so nothing is relevant.")
            pools.setdefault(field, {})[query] = {kind: [str(d) for d in docnos] for kind, docnos in types.items()}
    if not pools:
        raise BadInput(f"{path.name} has no pools.")
    return pools


def read_scores(path: Path) -> dict[str, float]:
    """{"query_candidate": score}"""
    scores = json_object(path)
    for pair, value in scores.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BadInput(f"{path.name}: the score of {pair!r} must be a number, got {value!r}.")
    return scores


def json_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadInput(f"{path.name} must be a JSON object.")
    return value
