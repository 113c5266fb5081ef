"""The pairs of the pools that two people have not judged, under a plan. A proposal: writes nothing.

A list never depends on a single judgment. So plans whose order reads the first judgment of a pair
have none, and models are calibrated on finished queries only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from django.db.models import Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from annotation.models import Pair, PairCount
from planning.double_judging.calibration import Floats, Ints, calibrate, uncertainty
from planning.double_judging.comparison import judgments_of
from planning.double_judging.predictors import checked_model, model_scores
from planning.double_judging.reading import (
    NothingToCompare,
    docnos_by_query,
    finished_pairs,
    measure_of_plans,
    system_ranking,
)
from planning.double_judging.strategies import (
    STRATEGIES,
    JudgedTwice,
    JudgingStrategy,
    PairColumns,
    Simulation,
    second_judges,
)
from web.errors import UserFacingError

MOST_LISTED = 50_000  # pairs
COLUMNS = ("query", "docno", "judges", "label", "place")
LABELS = {2: "final", 1: "first judge"}


class NoPairList(UserFacingError):
    """The plan has no list of pairs here."""


class PairsToJudge(NamedTuple):
    """The number of pairs of the pools, over all queries, and of those that two people judged."""

    total: int
    judged: int

    @property
    def remaining(self) -> int:
        return self.total - self.judged


class ListedPair(NamedTuple):
    """A line of the list; see docs/judging_plans.md."""

    query: str
    docno: str
    judges: int
    label: str
    place: int


def pairs_to_judge(collection: Collection) -> PairsToJudge:
    """From counts that are kept: no pair is read."""
    pools = collection.queries.order_by().aggregate(
        total=Coalesce(Sum("query_paper__pool__to_judge"), 0)
    )
    counts = PairCount.objects.filter(query__collection=collection)
    return PairsToJudge(**pools, **counts.aggregate(judged=Coalesce(Sum("judged"), 0)))


def listed_pairs(
    collection: Collection, strategy: JudgingStrategy, *, budget: str, model: str = ""
) -> list[ListedPair]:
    """Every pair that two people have not judged, in the order of the plan.

    `budget` is the number of judgments for each of these pairs.

    Raises NoPairList, UnknownModel, and ValueError for an invalid budget.
    """
    if strategy.needs_first:
        raise NoPairList(
            f"“{strategy.title}” has no list. Its order needs the first judgment of each pair, and "
            "no judgment is revealed before both are in."
        )
    if pairs_to_judge(collection).remaining > MOST_LISTED:
        raise NoPairList(f"A list has at most {MOST_LISTED:,} pairs.")
    pairs = sorted(_unjudged(collection))
    if not pairs:
        raise NoPairList("Two people have judged all pairs of the pools, or there are no pools.")
    key = checked_model(collection, model) if strategy.uses_scores else ""
    scores = model_scores(collection, key, docnos_by_query(pairs)) if key else {}
    best_rank = None
    if strategy is STRATEGIES["hybrid"]:
        ranking = system_ranking(collection, pairs, key, measure_of_plans(collection))
        best_rank = ranking.best_rank
    columns = PairColumns(
        [JudgedTwice(*pair, 0, 0, 0, scores.get(pair, 0.0)) for pair in pairs],
        highest=collection.highest_grade,
        relevant_from=collection.relevant_from,
        best_rank=best_rank,
    )
    simulation = Simulation(columns, collection.seed)
    order = _order(collection, strategy, simulation, key)
    judges = _judges(strategy, simulation, order, judgments_of(budget, len(pairs)))
    places = _places(strategy, simulation, order)
    other = "model" if strategy.uses_model else "none"
    return [
        ListedPair(query, docno, people, LABELS.get(people, other), int(places[number]))
        for number in order
        for (query, docno), people in [(pairs[number], int(judges[number]))]
    ]


def _unjudged(collection: Collection) -> Iterator[tuple[str, str]]:
    judged = set(
        Pair.objects.of(collection)
        .judged()
        .order_by()
        .values_list("query__name", "candidate__document__docno")
    )
    candidates = "query_paper__pool__candidates"
    rows = collection.queries.filter(**{f"{candidates}__excluded": ""}).order_by()
    for pair in rows.values_list("name", f"{candidates}__document__docno").iterator():
        if pair not in judged:
            yield pair


def _order(
    collection: Collection, strategy: JudgingStrategy, simulation: Simulation, model: str
) -> Ints:
    """The numbers of the pairs in the order of the plan."""
    columns = simulation.columns
    if strategy is STRATEGIES["double"]:
        place = np.empty(len(columns.queries), dtype=np.int64)
        place[simulation.query_order] = np.arange(len(columns.queries))
        return simulation.ordered(place[columns.query])
    if strategy is STRATEGIES["hybrid"]:
        return simulation.ordered(columns.best_rank)
    if strategy.uses_scores:
        likely = _likely(collection, model, columns.score)
        return simulation.ordered(uncertainty(likely))
    return simulation.ordered(simulation.place)


def _likely(collection: Collection, model: str, scores: Floats) -> Floats:
    """The probability that each pair is relevant, learned from the finished queries."""
    try:
        finished = finished_pairs(collection).pairs
    except NothingToCompare:
        return scores
    keys = [(pair.query, pair.docno) for pair in finished]
    known = model_scores(collection, model, docnos_by_query(keys))
    grades = np.array([pair.final for pair in finished], dtype=np.int64)
    learned = calibrate(np.array([known[key] for key in keys]), grades, collection.highest_grade)
    return learned.at_least(scores)[:, collection.relevant_from - 1]


def _judges(strategy: JudgingStrategy, simulation: Simulation, order: Ints, budget: int) -> Ints:
    """The number of people who judge each pair. The grades of the simulation are not read."""
    if strategy is STRATEGIES["double"]:
        return strategy.run(simulation, budget).judges
    if not strategy.uses_model:
        return second_judges(simulation, budget, lambda _: order).judges
    judges = np.zeros(len(order), dtype=np.int64)
    judges[order[: budget // 2]] = 2
    return judges


def _places(strategy: JudgingStrategy, simulation: Simulation, order: Ints) -> Ints:
    """The place of each pair in the order, from 1; for whole queries that of its query."""
    columns = simulation.columns
    if strategy is STRATEGIES["double"]:
        of_query = {number: place for place, number in enumerate(simulation.query_order, start=1)}
        return np.array([of_query[int(number)] for number in columns.query], dtype=np.int64)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(1, len(order) + 1)
    return places
