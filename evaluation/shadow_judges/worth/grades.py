"""A model and people grade by grade: recall, and the mean difference to the final label. Pure."""

from __future__ import annotations

from typing import Any

import numpy as np

from agreement.consistency.estimates import undefined
from evaluation.shadow_judges.agreement import FINAL, FIRST, MODEL, SECOND
from evaluation.shadow_judges.worth.pairs import ComparedPairs, too_few
from evaluation.shadow_judges.worth.resamples import QueryResamples, ratio

# The rater whose grades are given, and those whose recall of them is compared.
RECALLS = (
    (FINAL, (MODEL, FIRST, SECOND)),
    (FIRST, (MODEL, SECOND)),
    (SECOND, (MODEL, FIRST)),
)
RATERS = (MODEL, FIRST, SECOND)


def recalls(pairs: ComparedPairs, resamples: QueryResamples) -> list[dict[str, Any]]:
    """For each rater and grade: of the pairs with this grade, the share to which others gave it.

    A share is from 0 to 1, over all pairs together, with its bootstrap interval over queries.
    Against one annotator, model and other annotator can be compared: neither made that grade.
    """
    rows = []
    for given, raters in RECALLS:
        of_given = pairs.of_rater(given)
        for grade in range(pairs.grades):
            has_grade = of_given == grade
            below = pairs.per_query(has_grade)
            number, queries = int(below.sum()), int((below > 0).sum())
            few = too_few(number, queries)
            recalled = {
                rater: undefined(few, queries)
                if few
                else ratio(
                    pairs.per_query(has_grade & (pairs.of_rater(rater) == grade)),
                    below,
                    resamples,
                    "no pairs",
                )[0]
                for rater in raters
            }
            rows.append(
                {
                    "given": given,
                    "grade": grade,
                    "pairs": number,
                    "queries": queries,
                    "recall": {rater: each.as_json() for rater, each in recalled.items()},
                }
            )
    return rows


def mean_differences(pairs: ComparedPairs, resamples: QueryResamples) -> dict[str, Any]:
    """The mean of each rater's grade minus the final label, in grades, with its interval."""
    has_final = pairs.of_rater(FINAL) >= 0
    below = pairs.per_query(has_final)
    few = too_few(int(below.sum()), int((below > 0).sum()))
    return {
        rater: undefined(few).as_json()
        if few
        else ratio(
            pairs.per_query(has_final, signed_errors(pairs, rater)), below, resamples, "no pairs"
        )[0].as_json()
        for rater in RATERS
    }


def signed_errors(pairs: ComparedPairs, rater: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The rater's grade minus the final label; without a meaning where there is no final label."""
    return (pairs.of_rater(rater) - pairs.of_rater(FINAL)).astype(np.float64)
