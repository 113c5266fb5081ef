"""The preference of a model for documents that a family of retrievers found. Pure.

A rater's signed error on a pair is the grade minus the final label. The preference is the mean
signed error on the documents that the family found, minus that on the others, within queries:

    Σ w_s (mean error of found in s - mean error of others in s) / Σ w_s

over strata s with f_s found documents and o_s others, w_s = f_s o_s / (f_s + o_s). It is the
coefficient of "found" in a regression of the error with a constant for each stratum. A stratum is a
query; or, for `same_label`, the pairs of a query with the same final label. A family finds more
similar documents, and a grade near the end of the scale can only be missed to one side. So the
second figure, which compares documents of equal grade, is the one that speaks of a preference.

A final label can be wrong. Of two documents with the same one, that which the family found may be
more similar, and every rater may see that. So the annotators' preference stands beside the model's,
and the `excess` is the model's minus the mean of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.consistency.estimates import EstimatedValue, undefined
from evaluation.shadow_judges.agreement import FINAL, FIRST, MODEL, SECOND
from evaluation.shadow_judges.worth.grades import RATERS, signed_errors
from evaluation.shadow_judges.worth.pairs import ComparedPairs, Mask, too_few
from evaluation.shadow_judges.worth.resamples import Array, QueryResamples, combined, ratio

STRATA = ("query", "same_label")
EXCESS = "excess"
Family = frozenset[str]  # the names of its sources


def preferences(
    pairs: ComparedPairs, families: Mapping[str, Family], resamples: QueryResamples
) -> list[dict[str, Any]]:
    """A row for each family, as JSON types, in the order given.

    Each rater, and the excess, has the preference by query, and among pairs of the same final
    label, with its interval over queries. `found` and
    `others` count the pairs of queries that have both kinds of documents.
    """
    has_final = pairs.of_rater(FINAL) >= 0
    rows = []
    for name, sources in families.items():
        found = np.array([not sources.isdisjoint(facts.found) for facts in pairs.facts], dtype=bool)
        rows.append(
            {
                "family": name,
                "sources": sorted(sources),
                **_preference(pairs, found & has_final, ~found & has_final, resamples),
            }
        )
    return rows


def _preference(
    pairs: ComparedPairs, found: Mask, others: Mask, resamples: QueryResamples
) -> dict[str, Any]:
    of_found, of_others = pairs.per_query(found), pairs.per_query(others)
    both = (of_found > 0) & (of_others > 0)
    counts = {"found": int(of_found[both].sum()), "others": int(of_others[both].sum())}
    queries = int(both.sum())
    few = too_few(min(counts.values()), queries)
    if few:
        of_raters = {
            rater: {strata: undefined(few, queries) for strata in STRATA}
            for rater in (*RATERS, EXCESS)
        }
    else:
        of_raters = _of_raters(pairs, found, others, resamples)
    numbers = {
        rater: {strata: estimate.as_json() for strata, estimate in estimates.items()}
        for rater, estimates in of_raters.items()
    }
    return {**counts, "queries": queries, "raters": numbers}


def _of_raters(
    pairs: ComparedPairs, found: Mask, others: Mask, resamples: QueryResamples
) -> dict[str, dict[str, EstimatedValue]]:
    estimates = {
        rater: {
            strata: _within(pairs, signed_errors(pairs, rater), found, others, strata, resamples)
            for strata in STRATA
        }
        for rater in RATERS
    }
    estimates[EXCESS] = {
        strata: combined(
            tuple(estimates[rater][strata] for rater in (MODEL, FIRST, SECOND)),
            lambda model, first, second: model - (first + second) / 2,
        )
        for strata in STRATA
    }
    return {
        rater: {strata: estimate for strata, (estimate, _) in of_strata.items()}
        for rater, of_strata in estimates.items()
    }


def _within(
    pairs: ComparedPairs,
    errors: npt.NDArray[np.float64],
    found: Mask,
    others: Mask,
    strata: str,
    resamples: QueryResamples,
) -> tuple[EstimatedValue, Array]:
    by_label = strata == "same_label"
    size = pairs.grades if by_label else 1
    stratum = pairs.query * size + (pairs.of_rater(FINAL) if by_label else 0)
    length = len(pairs.queries) * size

    def sums(rows: Mask, weights: npt.NDArray[np.float64] | None = None) -> Any:
        return np.bincount(
            stratum[rows], None if weights is None else weights[rows], minlength=length
        ).astype(np.float64)

    numbers = sums(found), sums(others)
    totals = sums(found, errors), sums(others, errors)
    # w (E_f / f - E_o / o) = (E_f o - E_o f) / (f + o), which needs no mean of an empty stratum.
    size_of = np.maximum(numbers[0] + numbers[1], 1)
    above = (totals[0] * numbers[1] - totals[1] * numbers[0]) / size_of
    weights = numbers[0] * numbers[1] / size_of
    of_queries = (above.reshape(-1, size).sum(axis=1), weights.reshape(-1, size).sum(axis=1))
    return ratio(*of_queries, resamples, "no two documents with the same final label")
