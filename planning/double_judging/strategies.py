"""Plans of judging: which pairs two people judge, which one, and which a model labels. Pure.

A plan is simulated over pairs that two people judged. It may read a judgment only if its budget
pays for it. A budget counts judgments of annotators: one for a pair that is judged once, two for a
pair that is judged twice. Decisions of adjudicators come on top.

Every strategy takes a `Simulation` and a budget, and gives `PlannedLabels`. docs/judging_plans.md
defines them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corpus.ordering import order_key, random_number
from planning.double_judging.calibration import (
    Calibration,
    Floats,
    Ints,
    calibrate,
    rounded,
    uncertainty,
)

PURPOSE = "judging plans"
SMALLEST_BATCH = 32  # LARA's
MOST_BATCHES = 100
NO_LABEL = -1


class JudgedTwice(NamedTuple):
    """A pair with two judgments and a final label, and what a model makes of it.

    `score` is from 0 to 1; higher means that the model takes the document for more similar.
    """

    query: str
    docno: str
    first: int
    second: int
    final: int
    score: float


class PairColumns:
    """The pairs as columns of shape (n,), ordered by query, then docno.

    `best_rank` is the best rank of each pair in the list of any system, among the compared pairs of
    its query; a pair in no list has a rank below all others.
    """

    def __init__(
        self,
        pairs: Sequence[JudgedTwice],
        *,
        highest: int,
        relevant_from: int,
        best_rank: Ints | None = None,
    ) -> None:
        self.pairs = sorted(pairs)
        self.highest, self.relevant_from = highest, relevant_from
        self.queries = sorted({pair.query for pair in pairs})
        self.first, self.second, self.final = (
            np.array([getattr(pair, name) for pair in self.pairs], dtype=np.int64)
            for name in ("first", "second", "final")
        )
        self.score: Floats = np.array([pair.score for pair in self.pairs], dtype=np.float64)
        numbers = {query: number for number, query in enumerate(self.queries)}
        self.query: Ints = np.array([numbers[pair.query] for pair in self.pairs], dtype=np.int64)
        self.best_rank: Ints = (
            np.zeros(len(self.pairs), dtype=np.int64) if best_rank is None else best_rank
        )

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True, eq=False)
class PlannedLabels:
    """The pairs under a plan: `labels` (NO_LABEL for none) and `judges`, the people of each."""

    labels: Ints
    judges: Ints
    decisions: int

    @property
    def judgments(self) -> int:
        return int(self.judges.sum())

    @property
    def by_model(self) -> int:
        return int(((self.judges == 0) & (self.labels != NO_LABEL)).sum())


class Simulation:
    """A repetition: the columns under a seed, which draws the random choices.

    A repetition keeps what several budgets share.
    """

    def __init__(self, columns: PairColumns, seed: str) -> None:
        self.columns, self.seed = columns, seed
        self._lara: list[int] = []

    @cached_property
    def place(self) -> Ints:
        """The place of each pair in the random order of all pairs, which also breaks ties."""
        keys = [
            order_key(self.seed, PURPOSE, pair.query, pair.docno) for pair in self.columns.pairs
        ]
        place = np.empty(len(keys), dtype=np.int64)
        place[np.argsort(np.array(keys), kind="stable")] = np.arange(len(keys))
        return place

    @cached_property
    def query_order(self) -> list[int]:
        """The numbers of the queries in random order."""
        keys = [order_key(self.seed, PURPOSE, query, "") for query in self.columns.queries]
        return sorted(range(len(keys)), key=lambda number: keys[number])

    @cached_property
    def first_grade(self) -> Ints:
        """The grade of the first judge of each pair: for a query, always that of the same slot."""
        swapped = [
            random_number(self.seed, f"{PURPOSE}: first judge", query, "") >= 0.5
            for query in self.columns.queries
        ]
        is_swapped = np.array(swapped, dtype=bool)[self.columns.query]
        grades: Ints = np.where(is_swapped, self.columns.second, self.columns.first)
        return grades

    @cached_property
    def after_first_judgments(self) -> Calibration:
        """The model, calibrated on one judgment of every pair."""
        return calibrate(self.columns.score, self.first_grade, self.columns.highest)

    def ordered(self, values: Floats | Ints) -> Ints:
        """The pairs, those with the lowest values first; equal values in random order."""
        order: Ints = np.lexsort((self.place, values))
        return order

    def outcome(self, twice: Ints, once: Ints, *, with_model: bool = False) -> PlannedLabels:
        """These pairs judged by two people and by one, given by their numbers.

        With the model, it labels all others, calibrated on the final labels of the judged ones.
        """
        columns = self.columns
        labels = np.full(len(columns), NO_LABEL, dtype=np.int64)
        judges = np.zeros(len(columns), dtype=np.int64)
        labels[once], judges[once] = self.first_grade[once], 1
        labels[twice], judges[twice] = columns.final[twice], 2
        if with_model and len(twice):
            model = calibrate(columns.score[twice], columns.final[twice], columns.highest)
            rest = judges == 0
            labels[rest] = model.labels(columns.score[rest])
        differing = columns.first[twice] != columns.second[twice]
        return PlannedLabels(labels, judges, int(differing.sum()))

    def whole_queries(self, budget: int, judges: int) -> Ints:
        """The pairs of the queries that `judges` people can judge, in random order of queries.

        A query that no longer fits is passed over.
        """
        sizes = np.bincount(self.columns.query, minlength=len(self.columns.queries)) * judges
        chosen = np.zeros(len(self.columns.queries), dtype=bool)
        for number in self.query_order:
            if sizes[number] <= budget:
                chosen[number] = True
                budget -= int(sizes[number])
        return np.flatnonzero(chosen[self.columns.query])

    def lara_order(self, number: int) -> Ints:
        """The first pairs in LARA's order, which learns from each batch of final labels."""
        columns = self.columns
        size = max(SMALLEST_BATCH, -(-len(columns) // MOST_BATCHES))
        while len(self._lara) < min(number, len(columns)):
            judged = np.array(self._lara, dtype=np.int64)
            likely = columns.score
            if len(judged):
                model = calibrate(columns.score[judged], columns.final[judged], columns.highest)
                likely = model.at_least(columns.score)[:, columns.relevant_from - 1]
            distance = uncertainty(likely)
            distance[judged] = np.inf
            self._lara.extend(self.ordered(distance)[: min(size, len(columns) - len(judged))])
        return np.array(self._lara[:number], dtype=np.int64)


def all_double(simulation: Simulation, budget: int) -> PlannedLabels:
    """Two people judge whole queries, as many as the budget pays for; the others have no labels."""
    return simulation.outcome(simulation.whole_queries(budget, 2), _NONE)


def second_judges(
    simulation: Simulation, budget: int, order: Callable[[Simulation], Ints]
) -> PlannedLabels:
    """A first person judges every pair, and the rest of the budget pays second judges in an order.

    If the budget does not pay one judgment of each pair, whole queries are judged once.
    """
    pairs = len(simulation.columns)
    if budget < pairs:
        return simulation.outcome(_NONE, simulation.whole_queries(budget, 1))
    ordered = order(simulation)
    seconds = min(budget - pairs, pairs)
    return simulation.outcome(ordered[:seconds], ordered[seconds:])


def random_share(simulation: Simulation, budget: int) -> PlannedLabels:
    """Second judges for a random share of the pairs."""
    return second_judges(simulation, budget, lambda each: each.ordered(each.place))


def near_boundary(simulation: Simulation, budget: int) -> PlannedLabels:
    """Second judges for the pairs whose first grade is nearest to the boundary of relevance."""
    return second_judges(simulation, budget, _by_boundary)


def _by_boundary(simulation: Simulation) -> Ints:
    boundary = 2 * simulation.columns.relevant_from - 1
    return simulation.ordered(np.abs(2 * simulation.first_grade - boundary))


def model_disagrees(simulation: Simulation, budget: int) -> PlannedLabels:
    """Second judges for the pairs whose first grade is farthest from the model's mean grade."""
    return second_judges(simulation, budget, _by_disagreement)


def _by_disagreement(simulation: Simulation) -> Ints:
    expected = simulation.after_first_judgments.expected(simulation.columns.score)
    distance = np.abs(simulation.first_grade - expected)
    return simulation.ordered(-rounded(distance))


def model_uncertain(simulation: Simulation, budget: int) -> PlannedLabels:
    """Second judges for the pairs of which the model is least certain that they are relevant."""
    return second_judges(simulation, budget, _by_uncertainty)


def _by_uncertainty(simulation: Simulation) -> Ints:
    columns = simulation.columns
    likely = simulation.after_first_judgments.at_least(columns.score)[:, columns.relevant_from - 1]
    return simulation.ordered(uncertainty(likely))


def lara(simulation: Simulation, budget: int) -> PlannedLabels:
    """Two people judge in LARA's order, and the model labels the rest."""
    return simulation.outcome(simulation.lara_order(budget // 2), _NONE, with_model=True)


def hybrid_pool(simulation: Simulation, budget: int) -> PlannedLabels:
    """Two people judge the top of the systems' lists, and the model labels what is below.

    The pool that people judge is a depth-k pool, and the deepest rank is judged as far as the
    budget goes, in random order: Otero and Parapar (2026), Hybrid Pooling with LLMs via Relevance
    Context Learning.
    """
    ordered = simulation.ordered(simulation.columns.best_rank)
    return simulation.outcome(ordered[: budget // 2], _NONE, with_model=True)


_NONE: Ints = np.zeros(0, dtype=np.int64)


class JudgingStrategy(NamedTuple):
    """A strategy with its words on pages. `run` simulates it.

    `needs_first`: its order reads the first judgment of each pair, so no list of pairs can be
    shown before both are in. `uses_model`: a model labels pairs that people do not judge.
    `statement` is what a release with such labels would have to say.
    """

    key: str
    title: str
    summary: str
    statement: str
    run: Callable[[Simulation, int], PlannedLabels]
    needs_first: bool = False
    uses_model: bool = False

    @property
    def uses_scores(self) -> bool:
        """True if its list reads the scores of a model."""
        return self.uses_model or self.run is model_uncertain


STRATEGIES = {
    strategy.key: strategy
    for strategy in (
        JudgingStrategy(
            "double",
            "Two judges, whole queries",
            "Two people judge whole queries. Queries that the budget does not pay for have no "
            "labels.",
            "Two people judged every labelled pair. The other queries have no labels.",
            all_double,
        ),
        JudgingStrategy(
            "random",
            "Second judge at random",
            "One person judges every pair, and a second one judges a random share.",
            "A random share of the pairs has two judgments, and α is of these. The other labels "
            "are one person’s.",
            random_share,
        ),
        JudgingStrategy(
            "boundary",
            "Second judge near boundary",
            "A second person judges the pairs whose first grade is nearest to the boundary "
            "between relevant and not relevant.",
            "Pairs near the boundary of relevance have two judgments. The other labels are one "
            "person’s, and α of the chosen pairs says nothing about them.",
            near_boundary,
            needs_first=True,
        ),
        JudgingStrategy(
            "disagreement",
            "Second judge where model disagrees",
            "A second person judges the pairs whose first grade is farthest from the grade that "
            "a calibrated model expects.",
            "Pairs on which a model and the first judge differ have two judgments. The other "
            "labels are one person’s, and α of the chosen pairs says nothing about them.",
            model_disagrees,
            needs_first=True,
        ),
        JudgingStrategy(
            "uncertainty",
            "Second judge where model uncertain",
            "A second person judges the pairs whose calibrated probability of being relevant is "
            "nearest to 50 %.",
            "Pairs of which a model was uncertain have two judgments. The other labels are one "
            "person’s, and α of the chosen pairs says nothing about them.",
            model_uncertain,
        ),
        JudgingStrategy(
            "lara",
            "LARA, model for the rest",
            "Two people judge in the order of LARA, and the calibrated model labels the rest.",
            "A model gave the labels of all pairs that no person judged. No person has seen these "
            "pairs.",
            lara,
            uses_model=True,
        ),
        JudgingStrategy(
            "hybrid",
            "Hybrid pool, model below",
            "Two people judge the documents that systems rank highest, and the calibrated model "
            "labels those below.",
            "Two people judged the top of the systems’ lists. A model gave the labels below, and "
            "no person has seen these pairs.",
            hybrid_pool,
            uses_model=True,
        ),
    )
}


def rank_scores(docnos: Sequence[str], pairs: Sequence[str]) -> dict[str, float]:
    """The scores of a query's pairs by their places in a list: 1 − (place − ½)/n.

    `docnos` is the list, best first. Documents that are no pairs are passed over, and pairs that it
    lacks have the score 0. n is the number of pairs.
    """
    wanted = set(pairs)
    ranked = [docno for docno in docnos if docno in wanted]
    found = {docno: 1 - (place - 0.5) / len(wanted) for place, docno in enumerate(ranked, start=1)}
    return {docno: found.get(docno, 0.0) for docno in pairs}
