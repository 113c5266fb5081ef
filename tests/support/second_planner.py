"""A second program for docs/judging_plans.md: it follows that page and imports nothing of ours.

Systems come as TREC run files, each named by its file. CSFCube's own rankings by SPECTER are the
system `specter`.
"""

from __future__ import annotations

import hashlib
import json
import math
import statistics
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np

SEED = "csfcube"
G, R = 3, 2
BUDGETS = ("0.5", "1", "1.1", "1.25", "1.5", "1.75", "2")
RANDOM_PLANS = ("random", "boundary", "disagreement", "uncertainty")
PLANS = ("double", *RANDOM_PLANS, "lara", "hybrid")

Pair = tuple[str, str]
Lists = dict[str, dict[str, list[str]]]  # by system and query, docnos best first


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Data:
    """CSFCube's pairs with both grades and the final label, its pools and SPECTER's rankings."""

    def __init__(self, folder: Path) -> None:
        self.slots: dict[Pair, tuple[int, int]] = {}
        self.final: dict[Pair, int] = {}
        self.systems: Lists = {"specter": {}}
        pools = json.loads((folder / "test-pid2pool-csfcube.json").read_text())
        for facet in ("background", "method"):
            rated = json.loads((folder / f"test-pid2anns-csfcube-{facet}.json").read_text())
            ranked = json.loads(
                (
                    folder
                    / "eval_scripts/sample_ranked_pools"
                    / f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
                ).read_text()
            )
            for paper, entry in rated.items():
                query = f"{paper}_{facet}"
                one, two = sorted(name for name in entry if name.startswith("relevance_ann"))
                for docno, first, second, final in zip(
                    entry["cands"], entry[one], entry[two], entry["relevance_adju"], strict=True
                ):
                    if docno != paper and min(first, second, final) >= 0:
                        self.slots[query, docno] = first, second
                        self.final[query, docno] = final
                self.systems["specter"][query] = [docno for docno, _ in ranked[paper]]
                self._add_sources(query, paper, pools[paper])
        self.pairs = sorted(self.final)
        self.of_query: dict[str, list[Pair]] = defaultdict(list)
        for pair in self.pairs:
            self.of_query[pair[0]].append(pair)

    def _add_sources(self, query: str, paper: str, pool: dict) -> None:
        for docno, sources in zip(pool["cands"], pool["cand_source"], strict=True):
            for source in sources:
                if source not in ("cited", "specter") and docno != paper:
                    lists = self.systems.setdefault(f"pool:{source}", {})
                    lists.setdefault(query, []).append(docno)

    def add_run(self, path: Path) -> None:
        rows: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for line in path.read_text().splitlines():
            query, _, docno, _, score, _ = line.split()
            rows[query].append((float(score), docno))
        self.systems[path.stem] = {
            query: [docno for _, docno in sorted(scored, reverse=True)]
            for query, scored in rows.items()
        }


class Calibration:
    def __init__(self, scores: list[float], grades: list[int]) -> None:
        x = np.array(scores) - 0.5
        self.lines = []
        for t in range(1, G + 1):
            y = (np.array(grades) >= t).astype(float)
            line = prior = np.array([0.0, 4.0])
            design = np.column_stack([np.ones(len(x)), x])
            for _ in range(25):
                p = 1 / (1 + np.exp(-(design @ line)))
                gradient = design.T @ (p - y) + 0.01 * (line - prior)
                hessian = (design * (p * (1 - p))[:, None]).T @ design + 0.01 * np.eye(2)
                step = np.linalg.solve(hessian, gradient)
                line = line - step * min(1, 10 / max(np.linalg.norm(step), 1e-12))
            self.lines.append(line)

    def probabilities(self, score: float) -> list[float]:
        """That of grade t or higher at [t - 1]."""
        least, result = 1.0, []
        for a, b in self.lines:
            least = min(least, 1 / (1 + math.exp(-a - b * (score - 0.5))))
            result.append(round(least, 9))
        return result

    def label(self, score: float) -> int:
        return sum(p >= 0.5 for p in self.probabilities(score))


class Repetition:
    """The plans of one repetition: labels and how often each pair was judged."""

    def __init__(
        self, data: Data, number: int, score: dict[Pair, float], best: dict[Pair, float]
    ) -> None:
        self.data, self.score, self.best = data, score, best
        self.n = len(data.pairs)
        seed = f"{SEED}-{number}"
        self.tie = {pair: digest(f"{seed}|judging plans|{pair[0]}|{pair[1]}") for pair in score}
        self.queries = sorted(
            data.of_query, key=lambda query: digest(f"{seed}|judging plans|{query}|")
        )
        slot = {}
        for query in self.queries:
            drawn = digest(f"{seed}|judging plans: first judge|{query}|")[:13]
            slot[query] = 0 if int(drawn, 16) / 16**13 < 0.5 else 1
        self.first = {pair: data.slots[pair][slot[pair[0]]] for pair in data.pairs}
        on_first = Calibration(
            [score[pair] for pair in data.pairs], [self.first[pair] for pair in data.pairs]
        )
        likely = {s: on_first.probabilities(s) for s in set(score.values())}
        self.orders = {
            "random": self.by(dict.fromkeys(data.pairs, 0)),
            "boundary": self.by(
                {pair: abs(2 * self.first[pair] - (2 * R - 1)) for pair in data.pairs}
            ),
            "disagreement": self.by(
                {
                    pair: -round(abs(self.first[pair] - sum(likely[score[pair]])), 9)
                    for pair in data.pairs
                }
            ),
            "uncertainty": self.by(
                {pair: round(abs(likely[score[pair]][R - 1] - 0.5), 9) for pair in data.pairs}
            ),
            "hybrid": self.by(best),
            "lara": self.lara_order(),
        }

    def by(self, values: dict[Pair, float]) -> list[Pair]:
        return sorted(values, key=lambda pair: (values[pair], self.tie[pair]))

    def lara_order(self) -> list[Pair]:
        size = max(32, math.ceil(self.n / 100))
        order = self.by({pair: round(abs(s - 0.5), 9) for pair, s in self.score.items()})[:size]
        while len(order) < self.n:
            model = self.calibrated(order)
            likely = {s: model.probabilities(s)[R - 1] for s in set(self.score.values())}
            rest = set(self.data.pairs) - set(order)
            distances = {pair: round(abs(likely[self.score[pair]] - 0.5), 9) for pair in rest}
            order += self.by(distances)[:size]
        return order

    def calibrated(self, judged: list[Pair]) -> Calibration:
        return Calibration(
            [self.score[pair] for pair in judged], [self.data.final[pair] for pair in judged]
        )

    def whole_queries(self, budget: int, judges: int) -> list[Pair]:
        chosen: list[Pair] = []
        for query in self.queries:
            pairs = self.data.of_query[query]
            if judges * len(pairs) <= budget:
                budget -= judges * len(pairs)
                chosen += pairs
        return chosen

    def plan(self, name: str, budget: str) -> tuple[dict[Pair, int], list[Pair], list[Pair]]:
        """The labels, the pairs judged twice, and those judged once."""
        allowed = math.floor(Fraction(budget) * self.n)
        twice: list[Pair] = []
        once: list[Pair] = []
        if name == "double":
            twice = self.whole_queries(allowed, 2)
        elif name in RANDOM_PLANS and allowed < self.n:
            once = self.whole_queries(allowed, 1)
        elif name in RANDOM_PLANS:
            twice = self.orders[name][: allowed - self.n]
            once = self.orders[name][allowed - self.n :]
        else:
            twice = self.orders[name][: allowed // 2]
        labels = {pair: self.data.final[pair] for pair in twice}
        labels |= {pair: self.first[pair] for pair in once}
        if name in ("lara", "hybrid") and twice:
            model = self.calibrated(twice)
            given = {s: model.label(s) for s in set(self.score.values())}
            for pair in self.data.pairs:
                labels.setdefault(pair, given[self.score[pair]])
        return labels, twice, once


def alphas(tables: np.ndarray) -> np.ndarray:
    """Ordinal α of each table of the pairs with each two grades, at [table, first, second]."""
    values = tables + tables.transpose(0, 2, 1)
    n = values.sum(axis=1)
    observed = np.zeros(len(tables))
    expected = np.zeros(len(tables))
    for c in range(G + 1):
        for k in range(G + 1):
            between = n[:, min(c, k) : max(c, k) + 1].sum(axis=1) - (n[:, c] + n[:, k]) / 2
            observed += values[:, c, k] * between**2
            expected += n[:, c] * n[:, k] * between**2
    with np.errstate(invalid="ignore"):
        return 1 - (n.sum(axis=1) - 1) * observed / expected  # NaN without variation


class Resamples:
    """How often each of Q queries is in each of the 2,000 resamples."""

    def __init__(self) -> None:
        self.of: dict[int, np.ndarray] = {}

    def counts(self, number: int) -> np.ndarray:
        if number not in self.of:
            stream = hashlib.shake_256(f"{SEED}|judging-plans|{number}".encode())
            data = stream.digest(4 * 2000 * number)
            words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
            rows = np.zeros((2000, number), dtype=int)
            for place, word in enumerate(words):
                rows[place // number, word * number >> 32] += 1
            self.of[number] = rows
        return self.of[number]


def agreement(data: Data, twice: list[Pair], resamples: Resamples) -> list[float | None]:
    by_query: dict[str, np.ndarray] = {}
    for pair in twice:
        table = by_query.setdefault(pair[0], np.zeros((G + 1, G + 1), dtype=int))
        table[data.slots[pair]] += 1
    if not by_query:
        return [None, None, None]
    tables = np.array([by_query[query] for query in sorted(by_query)])
    (value,) = (None if math.isnan(each) else each for each in alphas(tables.sum(axis=0)[None]))
    if len(tables) < 10:
        return [value, None, None]
    sums = np.tensordot(resamples.counts(len(tables)), tables, axes=1)
    drawn = [each for each in alphas(sums) if not math.isnan(each)]
    low, high = np.percentile(drawn, [2.5, 97.5]) if drawn else (None, None)
    return [value, low, high]


def dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(max(rank, 2)) for rank, gain in enumerate(gains, 1))


def means_of(data: Data, systems: Lists, labels: dict[Pair, int]) -> dict[str, float]:
    """Mean NDCG%20 of each system over the queries with a relevant label."""
    scored = sorted({query for (query, _), label in labels.items() if label >= R})
    means = {}
    for name, lists in systems.items():
        values = []
        for query in scored:
            grades = {docno: labels[query, docno] for _, docno in data.of_query[query]}
            cutoff = len(grades) * 20 // 100
            gains = [grades[docno] for docno in lists.get(query, ()) if docno in grades]
            ideal = dcg(sorted(grades.values(), reverse=True)[:cutoff])
            values.append(dcg(gains[:cutoff]) / ideal)
        if values:
            means[name] = float(np.mean(values))
    return means


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def rankings(truth: dict[str, float], estimate: dict[str, float]) -> list[float | None]:
    """τ-b, τ_AP and swaps."""
    if not estimate:
        return [None, None, None]
    names = sorted(truth)
    agreeing = swaps = 0
    untied = [0, 0]
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            a, b = sign(truth[first] - truth[second]), sign(estimate[first] - estimate[second])
            agreeing += a * b
            untied[0] += abs(a)
            untied[1] += abs(b)
            swaps += a * b < 0
    tau = agreeing / math.sqrt(untied[0] * untied[1]) if all(untied) else None
    right = sorted(names, key=lambda name: (-truth[name], name))
    order = sorted(names, key=lambda name: (-estimate[name], name))
    shares = [
        sum(right.index(above) < right.index(name) for above in order[:place]) / place
        for place, name in enumerate(order)
        if place
    ]
    return [tau, 2 * sum(shares) / len(shares) - 1, float(swaps)]


def share(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def figures_of(data, systems, truth, resamples, planned) -> dict[str, float | None]:
    labels, twice, once = planned
    final = data.final
    relevant = [pair for pair in labels if final[pair] >= R]
    others = [pair for pair in labels if final[pair] < R]
    alpha_and_ends = agreement(data, twice, resamples)
    correlations = rankings(truth, means_of(data, systems, labels))
    return {
        "judgments": 2 * len(twice) + len(once),
        "twice": len(twice),
        "once": len(once),
        "by_model": len(labels) - len(twice) - len(once),
        "decisions": sum(len(set(data.slots[pair])) == 2 for pair in twice),
        "labelled": len(labels) / len(data.pairs),
        "different": share([labels[pair] != final[pair] for pair in labels]),
        "distance": share([abs(labels[pair] - final[pair]) for pair in labels]),
        "false_relevant": share([labels[pair] >= R for pair in others]),
        "false_nonrelevant": share([labels[pair] < R for pair in relevant]),
        **dict(zip(("alpha", "alpha_low", "alpha_high"), alpha_and_ends, strict=True)),
        **dict(zip(("tau", "tau_ap", "swaps"), correlations, strict=True)),
    }


def compare(data: Data, model: str, repetitions: int) -> dict[str, dict[str, dict]]:
    """By plan and budget ("lara 1.25") and figure: mean, sd and defined."""
    score: dict[Pair, float] = {}
    for query, pairs in data.of_query.items():
        wanted = {docno for _, docno in pairs}
        kept = [docno for docno in data.systems[model].get(query, ()) if docno in wanted]
        places = {docno: place for place, docno in enumerate(kept, 1)}
        for pair in pairs:
            place = places.get(pair[1])
            score[pair] = 0.0 if place is None else 1 - (place - 0.5) / len(pairs)
    systems = {name: lists for name, lists in data.systems.items() if name != model}
    best: dict[Pair, float] = dict.fromkeys(data.pairs, math.inf)
    for lists in systems.values():
        for query, docnos in lists.items():
            places = Counter[str]()
            for docno in docnos:
                if (query, docno) in best:
                    places["kept"] += 1
                    best[query, docno] = min(best[query, docno], places["kept"])
    truth = means_of(data, systems, data.final)
    resamples = Resamples()
    found: dict[str, list[dict[str, float | None]]] = defaultdict(list)
    for number in range(1, repetitions + 1):
        repetition = Repetition(data, number, score, best)
        for name in PLANS:
            for budget in BUDGETS:
                found[f"{name} {budget}"].append(
                    figures_of(data, systems, truth, resamples, repetition.plan(name, budget))
                )
    return {
        key: {name: summary([each[name] for each in rows]) for name in rows[0]}
        for key, rows in found.items()
    }


def summary(values: list[float | None]) -> dict[str, float | int | None]:
    defined = [value for value in values if value is not None]
    return {
        "mean": statistics.fmean(defined) if defined else None,
        "sd": statistics.stdev(defined) if len(defined) > 1 else None,
        "defined": len(defined),
    }
