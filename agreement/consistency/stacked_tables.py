"""Coefficients of many tables of grades at once, for bootstrap intervals. Pure.

`coefficients.py` computes one table exactly, with the reason where a coefficient is undefined. Here
each row of an array is the table of a resample, and NaN says that its coefficient is undefined.
The tests compare both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Tables: TypeAlias = npt.NDArray[np.float64]  # (tables, grades, grades): numbers of pairs
Values: TypeAlias = npt.NDArray[np.float64]  # (tables,); NaN where the value is undefined


def spearmans(tables: Tables) -> Values:
    """Pearson's r of the mid-ranks; NaN if either rater is constant."""
    first, second = tables.sum(axis=2), tables.sum(axis=1)
    total = first.sum(axis=1)
    of_first, of_second = _mid_ranks(first), _mid_ranks(second)
    squared_mean = total * ((total + 1) / 2) ** 2
    joint = np.einsum("trc,tr,tc->t", tables, of_first, of_second) - squared_mean
    spread = ((first * of_first**2).sum(axis=1) - squared_mean) * (
        (second * of_second**2).sum(axis=1) - squared_mean
    )
    varies = ((first > 0).sum(axis=1) > 1) & ((second > 0).sum(axis=1) > 1)
    return _ratio(joint, np.sqrt(np.maximum(spread, 0)), varies)


def _mid_ranks(used: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.cumsum(used, axis=1) - (used - 1) / 2


def alphas(tables: Tables) -> Values:
    """Krippendorff's ordinal alpha of two values a unit; NaN if all grades are the same.

    Units with more values have the alpha of half of their coincidences, as a table. Source:
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section E.
    """
    used = tables.sum(axis=1) + tables.sum(axis=2)  # (tables, grades): both values of each unit
    ends = np.cumsum(used, axis=1)
    # The grades from c to k were used Σ n_g times, of which half of c's and k's count.
    between = ends[:, None, :] - ends[:, :, None] + (used[:, :, None] - used[:, None, :]) / 2
    distances = between**2
    observed = 2 * (tables * distances).sum(axis=(1, 2)) * (used.sum(axis=1) - 1)
    expected = np.einsum("tr,tc,trc->t", used, used, distances)
    return 1 - _ratio(observed, expected, expected > 0)


def kappas(tables: Tables) -> Values:
    """Cohen's kappa; NaN if all grades are the same."""
    total = tables.sum(axis=(1, 2))
    agreed = np.einsum("tgg->t", tables)
    expected = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1)  # n² p_e
    left = total**2 - expected
    return _ratio(total * agreed - expected, left, left > 0)


def percents(tables: Tables) -> Values:
    """The share of pairs with the same grade, in percent; NaN without a pair."""
    total = tables.sum(axis=(1, 2))
    return 100 * _ratio(np.einsum("tgg->t", tables), total, total > 0)


def _ratio(
    above: npt.NDArray[np.float64],
    below: npt.NDArray[np.float64],
    is_defined: npt.NDArray[np.bool_],
) -> Values:
    values = np.full(above.shape, np.nan)
    np.divide(above, below, out=values, where=is_defined)
    return values


STACKED: Mapping[str, Callable[[Tables], Values]] = {
    "spearman": spearmans,
    "alpha": alphas,
    "kappa": kappas,
    "percent": percents,
}
"""By the key of the coefficient in `coefficients.COEFFICIENTS`."""
