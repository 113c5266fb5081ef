"""The worth of a plan's labels: errors, agreement, and the ranking of systems. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

import numpy as np

from agreement.coefficients import CrossTable, alpha_ordinal_of
from agreement.consistency.stacked_tables import alphas
from corpus.resampling import FEWEST_QUERIES, Ends, draw_counts, ends_of_defined
from planning.double_judging.calibration import Floats, Ints
from planning.double_judging.strategies import NO_LABEL, PairColumns, PlannedLabels
from scoring.measures.judged_ranks import JudgedDocuments, JudgedRanks
from scoring.measures.names import Measure
from scoring.measures.scoring import ours
from scoring.statistics.rank_correlation import tau, tau_ap

Values = dict[str, float | None]


def label_errors(columns: PairColumns, outcome: PlannedLabels) -> Values:
    """The labels against the final labels, over the pairs with a label.

    `labelled` is the share of all pairs that have one. `different`: the share with another grade.
    `distance`: the mean absolute difference of the grades. `false_relevant`: the share of the pairs
    that are not relevant whose label is relevant. `false_nonrelevant`: the share of the relevant
    pairs whose label is not. None without such pairs.
    """
    labelled = outcome.labels != NO_LABEL
    labels, final = outcome.labels[labelled], columns.final[labelled]
    relevant, is_labelled_so = final >= columns.relevant_from, labels >= columns.relevant_from
    return {
        "labelled": float(labelled.mean()),
        "different": _share(labels != final),
        "distance": _share(np.abs(labels - final)),
        "false_relevant": _share(is_labelled_so[~relevant]),
        "false_nonrelevant": _share(~is_labelled_so[relevant]),
    }


def _share(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None


class AlphaIntervals:
    """Krippendorff's ordinal α of the pairs judged twice, with bootstrap intervals over queries.

    α is that of all these pairs together. The queries with such a pair are drawn with replacement,
    as many as there are; a resample without variation is left out.
    """

    def __init__(self, columns: PairColumns, seed: str) -> None:
        self._columns, self._seed = columns, seed
        self._weights: dict[int, Ints] = {}

    def of(self, outcome: PlannedLabels) -> Values:
        """`alpha`, `alpha_low` and `alpha_high`; None where they are undefined."""
        columns, twice = self._columns, outcome.judges == 2
        size = columns.highest + 1
        cells = (columns.query * size + columns.first) * size + columns.second
        counts = np.bincount(cells[twice], minlength=len(columns.queries) * size * size)
        counts = counts.reshape(-1, size, size)
        together = counts.sum(axis=0)
        table = CrossTable(
            ((int(a), int(b)), int(together[a, b])) for a, b in np.argwhere(together)
        )
        ends = self._ends(counts[counts.any(axis=(1, 2))])
        low, high = ends or (None, None)
        return {"alpha": alpha_ordinal_of(table).value, "alpha_low": low, "alpha_high": high}

    def _ends(self, counts: Ints) -> Ends | None:
        """`counts[q, a, b]`: the pairs of query q with these grades in slots 1 and 2."""
        if len(counts) < FEWEST_QUERIES:
            return None
        resampled = self._weights_of(len(counts)) @ counts.reshape(len(counts), -1)
        tables = resampled.reshape(-1, *counts.shape[1:]).astype(np.float64)
        return ends_of_defined(alphas(tables))

    def _weights_of(self, number: int) -> Ints:
        """The number of times that each query is in each resample: (resamples, number)."""
        if number not in self._weights:
            name = f"{self._seed}|judging-plans|{number}"
            self._weights[number] = np.vstack(list(draw_counts(number, name)))
        return self._weights[number]


class SystemsUnderLabels:
    """The systems' lists of the compared pairs, scored by one measure under any labels.

    `lists` gives each system's name with its lists: (query, docnos best first).
    """

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        lists: Iterable[tuple[str, Iterable[tuple[str, Sequence[str]]]]],
        measure: Measure,
    ) -> None:
        self.measure = measure
        self._pairs = sorted(pairs)
        # The number of each pair stands in for its grade, so that a list is looked up once.
        judged = JudgedDocuments(self._by_query(range(len(self._pairs))))
        self._ranks: dict[str, JudgedRanks] = {
            name: judged.ranks_of(by_query) for name, by_query in lists
        }

    @property
    def systems(self) -> list[str]:
        return sorted(self._ranks)

    @cached_property
    def best_rank(self) -> Ints:
        """The best rank of each pair in any list, as `PairColumns` has it."""
        ranks = [each.condensed() for each in self._ranks.values()]
        best = np.full(len(self._pairs), np.iinfo(np.int64).max, dtype=np.int64)
        for each in ranks:
            np.minimum.at(best, each.grade, each.rank)
        return best

    def means(self, labels: Ints) -> dict[str, float]:
        """The mean of each system over the queries with a relevant document; none without one.

        NO_LABEL is a pair without a label.
        """
        judged = JudgedDocuments(self._by_query(labels.tolist()))
        scored = judged.relevant(self.measure.least) > 0
        if not scored.any():
            return {}
        return {
            name: float(np.mean(self._values(ranks, judged, labels)[scored]))
            for name, ranks in self._ranks.items()
        }

    def _values(self, ranks: JudgedRanks, judged: JudgedDocuments, labels: Ints) -> Floats:
        under_labels = replace(ranks, judged=judged, grade=labels[ranks.grade])
        (values,) = ours(under_labels, [self.measure]).values()
        return np.asarray(values, dtype=np.float64)

    def _by_query(self, grades: Iterable[int]) -> dict[str, dict[str, int]]:
        qrels: dict[str, dict[str, int]] = {}
        for (query, docno), grade in zip(self._pairs, grades, strict=True):
            qrels.setdefault(query, {})[docno] = grade
        return qrels


def ranking_figures(truth: Mapping[str, float], estimate: Mapping[str, float]) -> Values:
    """`tau`, `tau_ap` and `swaps`: how a ranking by means differs from that by final labels.

    A swap is a pair of systems in another order; a tie is none. All are None without a score, and
    a coefficient is None where it is undefined.
    """
    if not truth or not estimate:
        return {"tau": None, "tau_ap": None, "swaps": None}
    swaps = sum(
        (truth[first] - truth[second]) * (estimate[first] - estimate[second]) < 0
        for first, second in combinations(sorted(truth), 2)
    )
    return {
        "tau": tau(estimate, truth).value,
        "tau_ap": tau_ap(estimate, truth).value,
        "swaps": float(swaps),
    }
