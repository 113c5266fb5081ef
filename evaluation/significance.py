"""Two systems over the same queries: differences, tests by scipy, and corrections. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FEWEST = 5  # queries, from which a test says something


def paired(first: Sequence[float], second: Sequence[float], *, ranks: bool = True) -> dict[str, Any]:
    """Of two systems' values by query, NaN where undefined: queries where either is undefined take no part.

    `difference` is the mean of first − second, `effect` Cohen's d of the differences (their mean over their standard
    deviation), `t` and `wilcoxon` two-sided p-values; None, with a `reason`, where there is nothing to test. Without
    `ranks` there is no `wilcoxon`, which takes half of the time.
    """
    import numpy as np
    from scipy import stats

    pairs = np.array([(a, b) for a, b in zip(first, second, strict=True) if a == a and b == b]).reshape(-1, 2)
    gaps = pairs[:, 0] - pairs[:, 1]
    found: dict[str, Any] = {
        "queries": len(gaps),
        "difference": float(gaps.mean()) if len(gaps) else None,
        "better": int((gaps > 0).sum()),
        "worse": int((gaps < 0).sum()),
        **dict.fromkeys(("t", "wilcoxon", "effect")),
        "reason": "",
    }
    if len(gaps) < FEWEST:
        return found | {"reason": f"fewer than {FEWEST} queries"}
    if not gaps.any():
        return found | {"reason": "equal in every query"}
    spread = float(gaps.std(ddof=1))
    if not spread:
        return found | {"reason": "the same difference in every query"}
    found["t"] = float(stats.ttest_rel(pairs[:, 0], pairs[:, 1]).pvalue)
    if ranks:
        found["wilcoxon"] = float(stats.wilcoxon(gaps).pvalue)
    found["effect"] = float(gaps.mean()) / spread
    return found


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (1979) over the values that are there; in the same places."""
    order = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        corrected[place] = highest
    return corrected
