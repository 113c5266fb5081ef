"""The agreement report: from the labelled pairs of a collection to one JSON value. Pure.

"Before" compares the two judges. "After" compares each judge with the label and takes the mean of the two
coefficients: no independent agreement, since the label is made from those judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Any

import pandas as pd

from agreement.coefficients import REGISTRY, ZERO, Result, coefficients, mean
from agreement.intervals import median_interval
from annotation.models import PairState


def agreement_report(
    pairs: pd.DataFrame, *, facets: Sequence[str], grades: int, seed: str, missing: str
) -> dict[str, Any]:
    """The report on pairs as `adjudication.labels.labelled_pairs` gives them.

    `facets` are in the order in which they are listed, and `grades` is how many grades there are. Numbers have full
    precision; what is undefined is None and has its reason. The parts:

    queries: judged (pairs), pairs (compared before adjudication), missing, before, after (each by coefficient), and
        undefined (the reasons, by stage and coefficient).
    facets: the same, with the median, its interval (low, high, or None) and `defined`, the number of queries it is
        of; overruled, the percentage of labels that neither judge gave, as mean over queries and pooled; the pairs of
        a query (fewest, mean, most); labels by grade; the matrices `judges` (first judge × second judge) and
        `against_label` (both judges × label).
    couples: every two annotators, over all their pairs. facet_pairs: labels of the same document under two facets of
        a query paper, as a matrix (first × second).
    """
    has_both = pairs["first"].notna() & pairs["second"].notna()
    pairs = pairs.assign(
        lacks_grade=~has_both,
        is_compared=has_both | (missing == ZERO),
        is_labelled=pairs["final"].notna(),
        is_overruled=pairs["final"].notna() & ~_equal(pairs, "first") & ~_equal(pairs, "second"),
    )
    if missing == ZERO:
        pairs = pairs.fillna({"first": 0, "second": 0})
    queries = [_query_row(str(query), str(facet), rows) for (facet, query), rows in pairs.groupby(["facet", "query"])]
    met = {row["facet"] for row in queries}
    in_order = [*(facet for facet in facets if facet in met), *sorted(met - {*facets})]
    return {
        "missing": missing,
        "queries": queries,
        "facets": [
            _facet_row(
                facet,
                [row for row in queries if row["facet"] == facet],
                pairs[pairs["facet"] == facet],
                grades,
                seed,
            )
            for facet in in_order
        ],
        "couples": _couples(pairs),
        "facet_pairs": _facet_pairs(pairs, in_order, grades),
    }


def _equal(pairs: pd.DataFrame, judgment: str) -> pd.Series:
    return (pairs["final"] == pairs[judgment]).fillna(False).astype(bool)


def _query_row(query: str, facet: str, rows: pd.DataFrame) -> dict[str, Any]:
    compared = rows[rows["is_compared"]]
    before = coefficients(compared["first"].tolist(), compared["second"].tolist())
    waiting = int((rows["state"] == PairState.CASE).sum())
    if waiting:
        # Equal grades are labels at once and the others wait: what is there already would start at perfect agreement.
        reason = f"{waiting} of {len(rows)} pairs without a label"
        after = {each.key: Result(None, reason) for each in REGISTRY}
    else:
        labelled = compared[compared["is_labelled"]]
        first, second, final = (labelled[name].tolist() for name in ("first", "second", "final"))
        one, other = coefficients(first, final), coefficients(second, final)
        after = {key: mean(one[key], other[key]) for key in one}
    return {
        "query": query,
        "facet": facet,
        "judged": len(rows),
        "pairs": len(compared),
        "missing": int(rows["lacks_grade"].sum()),
        "labelled": int(rows["is_labelled"].sum()),
        "overruled": int(rows["is_overruled"].sum()),
        **_by_stage({"before": before, "after": after}),
    }


def _by_stage(stages: dict[str, dict[str, Result]]) -> dict[str, Any]:
    values = {stage: {key: each.value for key, each in results.items()} for stage, results in stages.items()}
    reasons = {
        stage: {key: each.reason for key, each in results.items() if each.reason} for stage, results in stages.items()
    }
    return values | {"undefined": reasons}


def _facet_row(
    facet: str, queries: list[dict[str, Any]], pairs: pd.DataFrame, grades: int, seed: str
) -> dict[str, Any]:
    def medians(stage: str) -> dict[str, Any]:
        found = {}
        for each in REGISTRY:
            values = [row[stage][each.key] for row in queries if row[stage][each.key] is not None]
            low, high = median_interval(values, seed) or (None, None)
            middle = median(values) if values else None
            found[each.key] = {"median": middle, "low": low, "high": high, "defined": len(values)}
        return found

    sizes = [row["judged"] for row in queries]
    shares = [100 * row["overruled"] / row["labelled"] for row in queries if row["labelled"]]
    compared = pairs[pairs["is_compared"]]
    labelled = compared[compared["is_labelled"]]
    return {
        "facet": facet,
        "queries": len(queries),
        "judged": len(pairs),
        "missing": int(pairs["lacks_grade"].sum()),
        "before": medians("before"),
        "after": medians("after"),
        "overruled_mean": fmean(shares) if shares else None,
        "overruled": float(100 * pairs["is_overruled"].sum() / pairs["is_labelled"].sum()) if shares else None,
        "fewest": min(sizes),
        "mean": fmean(sizes),
        "most": max(sizes),
        "labels": [int((pairs["final"] == grade).sum()) for grade in range(grades)],
        "judges": _matrix(compared["first"], compared["second"], grades),
        "against_label": _matrix(
            [*labelled["first"], *labelled["second"]], [*labelled["final"], *labelled["final"]], grades
        ),
    }


def _matrix(rows: Iterable[int], columns: Iterable[int], grades: int) -> list[list[int]]:
    """The number of pairs with each two grades, at [row][column]."""
    counts = [[0] * grades for _ in range(grades)]
    for row, column in zip(rows, columns, strict=True):
        counts[row][column] += 1
    return counts


def _couples(pairs: pd.DataFrame) -> list[dict[str, Any]]:
    judges = [sorted(couple) for couple in zip(pairs["first_judge"], pairs["second_judge"], strict=True)]
    by_name = pairs.assign(one=[first for first, _ in judges], other=[second for _, second in judges])
    rows = []
    for (first, second), members in by_name.groupby(["one", "other"]):
        compared = members[members["is_compared"]]
        results = coefficients(compared["first"].tolist(), compared["second"].tolist())
        row = {"first": first, "second": second, "pairs": len(compared), "missing": int(members["lacks_grade"].sum())}
        rows.append(row | _by_stage({"before": results}))
    return rows


def _facet_pairs(pairs: pd.DataFrame, facets: Sequence[str], grades: int) -> list[dict[str, Any]]:
    labelled = pairs[pairs["is_labelled"] & (pairs["facet"] != "")]
    paper = [query.removesuffix(f"_{facet}") for query, facet in zip(labelled["query"], labelled["facet"], strict=True)]
    of_facets = labelled.assign(paper=paper)[paper != labelled["query"]]  # not of chosen sentences, named otherwise
    by_facet = of_facets.pivot(index=["paper", "docno"], columns="facet", values="final")
    rows = []
    for first, second in combinations([facet for facet in facets if facet in by_facet], 2):
        both = by_facet[[first, second]].dropna()
        if len(both):
            counts = _matrix(both[first], both[second], grades)
            rows.append({"first": first, "second": second, "counts": counts})
    return rows
