"""The effect of the labels on a ranking of systems. Pure.

A set of labels gives every system a score for each query. The ranking by means is compared with
the ranking under the reference, the final labels: by τ, τ_AP and RBO, by the pairs of systems
that swap places, and by the pairs whose difference is significant under only one of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
import numpy.typing as npt

from agreement.coefficients import Result
from scoring.measures.judged_ranks import Qrels
from scoring.statistics.multiple import holm, tukey
from scoring.statistics.paired import ALPHA, mean, t_test
from scoring.statistics.rank_correlation import rbo, tau, tau_ap
from scoring.statistics.ranking import ranked, ranks_of
from web.lazy import pandas as pd


class FlipKind(StrEnum):
    """The change of a conclusion about two systems, from the reference to other labels."""

    LOST = "lost"  # significant under the reference only
    GAINED = "gained"  # significant under the other labels only
    REVERSED = "reversed"  # significant under both, and the other system is better


@dataclass(frozen=True, slots=True)
class SystemSwap:
    """Two systems that change order. `better` has the higher mean under the reference.

    `reference` and `other` are the mean of `better` minus that of `worse` under each labels.
    """

    better: str
    worse: str
    reference: float
    other: float


@dataclass(frozen=True, slots=True)
class Flip:
    """Two systems about which the conclusion changes; differences as in `SystemSwap`.

    `p_reference` and `p_other` are of paired t-tests, adjusted by Holm's method over all pairs. An
    undefined one is None, and `undefined` has the reason; it is not significant.
    """

    better: str
    worse: str
    kind: FlipKind
    reference: float
    other: float
    p_reference: float | None
    p_other: float | None
    undefined: str


class PairTests:
    """Paired t-tests between all systems over the queries of one set of labels, with Holm's method.

    `scores` has a row for each query and a column for each system. `means[i]` is the mean of
    system i.
    """

    def __init__(self, scores: pd.DataFrame) -> None:
        self.systems = [str(name) for name in scores.columns]
        values = scores.to_numpy(dtype=float)
        if not np.isfinite(values).all():
            raise ValueError("every system must have a finite score for every query")
        self.queries = len(values)
        self.means = [mean(column) for column in values.T] if self.queries else []
        self._results = self._tested(values)

    def _tested(self, values: npt.NDArray[np.float64]) -> dict[tuple[int, int], Result]:
        pairs = list(combinations(range(len(self.systems)), 2))
        tests = [t_test(values[:, first] - values[:, second]) for first, second in pairs]
        adjusted = holm([test.value for test in tests])
        return {
            pair: Result(p, test.undefined)
            for pair, test, p in zip(pairs, tests, adjusted, strict=True)
        }

    def p(self, first: int, second: int) -> Result:
        """The p of two different systems, adjusted for all pairs."""
        return self._results[min(first, second), max(first, second)]

    @property
    def results(self) -> Iterable[Result]:
        """The adjusted p of all pairs."""
        return self._results.values()

    @property
    def scores(self) -> dict[str, float]:
        return dict(zip(self.systems, self.means, strict=True))


class TukeyTests(PairTests):
    """The same by Tukey's HSD, as the page *Compare* tests all pairs of systems."""

    undefined = ""

    def _tested(self, values: npt.NDArray[np.float64]) -> dict[tuple[int, int], Result]:
        found = tukey(values)
        self.undefined = found.undefined or ""
        if found.undefined:
            pairs = combinations(range(len(self.systems)), 2)
            return {pair: Result(None, found.undefined) for pair in pairs}
        return {(pair.first, pair.second): Result(pair.p) for pair in found.pairs}

    def significant(self, alpha: float = ALPHA) -> int:
        """The number of pairs of systems whose difference is significant at this level."""
        return sum(p.value is not None and p.value < alpha for p in self._results.values())


def shared_labels(sources: Mapping[str, Qrels]) -> dict[str, dict[str, dict[str, int]]]:
    """The same sets of labels, with only the pairs that are in all of them.

    So a difference between two rankings comes from grades, never from pairs that only one of both
    has labels for. A query without a shared pair is in none of them.
    """
    first, *others = sources.values()
    shared: dict[str, list[str]] = {}
    for query, grades in first.items():
        docnos = [
            docno for docno in grades if all(docno in other.get(query, {}) for other in others)
        ]
        if docnos:
            shared[query] = docnos
    return {
        name: {
            query: {docno: qrels[query][docno] for docno in docnos}
            for query, docnos in shared.items()
        }
        for name, qrels in sources.items()
    }


def compare_rankings(
    scores: Mapping[str, pd.DataFrame], *, reference: str, queries: int
) -> list[dict[str, object]]:
    """Each set of labels compared with the reference, as JSON types, in the order given.

    `scores[source]` has the queries of that set with a relevant document as rows, and all systems
    as columns. `queries` is how many queries all sets have labels for. An undefined coefficient is
    None, with its reason in "undefined".
    """
    tests = {source: PairTests(frame) for source, frame in scores.items()}
    return [
        {
            "source": source,
            "queries": found.queries,
            "left_out": queries - found.queries,
            "systems": _ranking(found),
            **_against(tests[reference], found, is_reference=source == reference),
        }
        for source, found in tests.items()
    ]


def compare_over_time(scores: Mapping[str, pd.DataFrame]) -> list[dict[str, object]]:
    """Each set of labels compared with the last one, as `compare_rankings`, but by Tukey's HSD.

    `significant` is the number of pairs of systems whose difference is significant; None with the
    reason in `untested` if that is undefined.
    """
    tests = {source: TukeyTests(frame) for source, frame in scores.items()}
    last = list(tests)[-1]
    return [
        {
            "source": source,
            "queries": found.queries,
            "systems": _ranking(found),
            **_against(tests[last], found, is_reference=source == last),
            "significant": None if found.undefined else found.significant(),
            "untested": found.undefined,
        }
        for source, found in tests.items()
    ]


def _ranking(tests: PairTests) -> list[dict[str, object]]:
    """The systems, the highest mean first; equal means have the same rank, then go by name."""
    if not tests.queries:
        return []
    means = tests.scores
    ranks = ranks_of(means)
    return [{"system": name, "mean": means[name], "rank": ranks[name]} for name in ranked(means)]


def _against(reference: PairTests, other: PairTests, *, is_reference: bool) -> dict[str, object]:
    if is_reference:
        return {"correlations": None, "swaps": [], "flips": [], "undefined": {}}
    coefficients = _correlations(reference, other)
    return {
        "correlations": {key: result.value for key, result in coefficients.items()},
        "undefined": {
            key: result.undefined for key, result in coefficients.items() if result.undefined
        },
        "swaps": [asdict(swap) for swap in swaps(reference, other)],
        "flips": [asdict(flip) for flip in flips(reference, other)],
    }


def _correlations(reference: PairTests, other: PairTests) -> dict[str, Result]:
    if not reference.queries or not other.queries:
        reason = "no query has a relevant document"
        return {key: Result(None, reason) for key in ("tau", "tau_ap", "rbo")}
    truth, estimate = reference.scores, other.scores
    return {
        "tau": tau(estimate, truth),
        "tau_ap": tau_ap(estimate, truth),
        "rbo": rbo(estimate, truth),
    }


def swaps(reference: PairTests, other: PairTests) -> list[SystemSwap]:
    """The pairs of systems in another order; the largest reference difference first."""
    found = [
        SystemSwap(better, worse, before, after)
        for better, worse, before, after, _, _ in _pairs(reference, other)
        if before * after < 0
    ]
    return sorted(found, key=lambda swap: (-swap.reference, swap.better, swap.worse))


def flips(reference: PairTests, other: PairTests, alpha: float = ALPHA) -> list[Flip]:
    """The pairs about which the conclusion at level `alpha` changes; reversed ones first."""
    found = []
    for better, worse, before, after, p_before, p_after in _pairs(reference, other):
        was, is_now = (p.value is not None and p.value < alpha for p in (p_before, p_after))
        if was and is_now and after < 0:
            kind = FlipKind.REVERSED
        elif was != is_now:
            kind = FlipKind.LOST if was else FlipKind.GAINED
        else:
            continue
        reason = p_before.undefined or p_after.undefined or ""
        p_values = (p_before.value, p_after.value)
        found.append(Flip(better, worse, kind, before, after, *p_values, reason))
    order: Sequence[FlipKind] = (FlipKind.REVERSED, FlipKind.LOST, FlipKind.GAINED)
    return sorted(
        found, key=lambda flip: (order.index(flip.kind), -flip.reference, flip.better, flip.worse)
    )


def _pairs(
    reference: PairTests, other: PairTests
) -> Iterator[tuple[str, str, float, float, Result, Result]]:
    """Every two systems, the better one under the reference first: differences and p."""
    if not reference.queries or not other.queries:
        return
    place = {name: number for number, name in enumerate(other.systems)}
    for i, j in combinations(range(len(reference.systems)), 2):
        if reference.means[j] > reference.means[i]:
            i, j = j, i
        better, worse = reference.systems[i], reference.systems[j]
        k, m = place[better], place[worse]
        yield (
            better,
            worse,
            reference.means[i] - reference.means[j],
            other.means[k] - other.means[m],
            reference.p(i, j),
            other.p(k, m),
        )
