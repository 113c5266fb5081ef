"""Agreement and a release at CSFCube's size, beside a loop over the libraries."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from accounts.models import Collection
from adjudication.labels import labelled_pairs


def measure_reports(made: Collection, database: str, say: Callable[..., None]) -> None:
    from jobs.work import run_now
    from release.gate import CHECKS

    loop(labelled_pairs(made))  # once before, because it imports the libraries
    began = time.perf_counter()
    loop(labelled_pairs(made))
    theirs = time.perf_counter() - began
    began = time.perf_counter()
    run_now("compute_agreement", collection=made)
    ours = time.perf_counter() - began
    say("agreement of all facets, missing both ways", database, f"{ours:.1f} s", "≤ 2 s a facet")
    say("  beside a loop over the libraries", "ratio", f"{ours / theirs:.2f}", "")
    accept = {check.key: "Made for measuring." for check in CHECKS if check.effect}
    began = time.perf_counter()
    run_now("publish_release", collection=made, version="1.0", accept=accept, with_texts=True)
    say("release with texts", database, f"{time.perf_counter() - began:.1f} s", "≤ 3 s")


def loop(pairs: Any) -> dict[str, float]:
    """ρ, α, κ and % per query, before adjudication, by scipy, krippendorff and scikit-learn."""
    import krippendorff
    from scipy.stats import spearmanr
    from sklearn.metrics import cohen_kappa_score

    values: dict[str, list[float]] = {"rho": [], "alpha": [], "kappa": [], "percent": []}
    for _, rows in pairs.dropna(subset=["first", "second"]).groupby("query"):
        a, b = rows["first"].astype(int).to_numpy(), rows["second"].astype(int).to_numpy()
        values["rho"].append(spearmanr(a, b).statistic)
        values["alpha"].append(krippendorff.alpha([a, b], level_of_measurement="ordinal"))
        values["kappa"].append(cohen_kappa_score(a, b))
        values["percent"].append(100 * (a == b).mean())
    return {name: median(each) for name, each in values.items()}
