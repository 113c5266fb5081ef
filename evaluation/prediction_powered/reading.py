"""The values of all systems on each opened query, under people's and a model's labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from accounts.models import Collection
from annotation.models import PairCount
from evaluation.prediction_powered import reference_models
from evaluation.prediction_powered.sample import HumanSample, human_sample, random_order
from evaluation.shadow_judges.comparison import given_labels
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.services import shadow_judge_named
from jobs.context import JobContext
from planning.double_judging.reading import finished_queries
from scoring.labels import all_qrels
from scoring.measures.judged_ranks import Floats, JudgedDocuments, Qrels
from scoring.measures.names import Measure
from scoring.measures.scoring import score, scored_queries
from scoring.systems.lists import system_lists


class SystemValues(NamedTuple):
    """A system's values on the queries of the sample's order; NaN without a relevant document.

    `human` has the judged queries only, and `model` all.
    """

    system: str
    human: Floats
    model: Floats


class EstimateInput(NamedTuple):
    """The sample, the pairs of each opened query, and the final labels of the judged ones."""

    sample: HumanSample
    pairs: Mapping[str, int]
    final: Qrels


def estimate_input(collection: Collection) -> EstimateInput:
    """Labels of a query of which a pair is unfinished are not in it."""
    rows = PairCount.objects.filter(query__collection=collection)
    pairs = dict(rows.values_list("query__name", "total"))
    finished = {query for query, total in pairs.items() if not total}
    finished.update(finished_queries(collection).values_list("query__name", flat=True))
    order = random_order(pairs, collection.seed)
    sample = human_sample(order, finished)
    final = all_qrels(collection, ["final"])["final"]
    judged = order[: sample.judged]
    return EstimateInput(sample, pairs, {query: final.get(query, {}) for query in judged})


def system_values(
    collection: Collection,
    found: EstimateInput,
    model: Qrels,
    measure: Measure,
    work: JobContext,
) -> list[SystemValues]:
    """By name of the system. One system's lists are in memory at a time."""
    order = list(found.sample.order)
    human = _Labels(found.final, order[: found.sample.judged], measure)
    predicted = _Labels(model, order, measure)
    systems = list(collection.systems.order_by("name"))
    values = []
    for done, system in enumerate(systems):
        work.progress(done, len(systems), f"scoring {system.name}")
        lists = {name: docnos for name, docnos in system_lists(system) if name in found.pairs}
        values.append(SystemValues(system.name, human.values(lists), predicted.values(lists)))
    return values


class _Labels:
    """Qrels, and the queries whose values are wanted, in their order."""

    def __init__(self, qrels: Qrels, order: Sequence[str], measure: Measure) -> None:
        wanted = {query: qrels[query] for query in order if query in qrels}
        self.order, self.measure = order, measure
        self.judged = JudgedDocuments(scored_queries(wanted, [measure]))

    def values(self, lists: Mapping[str, Sequence[str]]) -> Floats:
        by_query = score(self.judged, lists, [self.measure])[self.measure.name]
        values: Floats = by_query.reindex(list(self.order)).to_numpy(dtype=np.float64)
        return values


def shadow_labels(judge: ShadowJudge) -> Qrels:
    """Without the query paper in its own pool, as the final labels of `all_qrels`."""
    papers = dict(judge.collection.queries.values_list("name", "query_paper__document__docno"))
    return {
        query: {docno: grade for docno, grade in grades.items() if docno != papers[query]}
        for query, grades in given_labels(judge).items()
    }


def labels_of_model(collection: Collection, name: str, final: Qrels, seed: str) -> Qrels:
    """Those of a reference model or of the shadow judge of that name. Raises UnknownShadowJudge."""
    if name in reference_models.REFERENCE_MODELS:
        return _reference_labels(collection, name, final, seed)
    return shadow_labels(shadow_judge_named(collection, name))


def _reference_labels(collection: Collection, name: str, final: Qrels, seed: str) -> Qrels:
    """The labels of a reference model for the pairs with a final label."""
    if name == reference_models.ANNOTATOR:
        given = all_qrels(collection, ["slot1"])["slot1"]
        labels: dict[str, dict[str, int]] = defaultdict(dict)
        for query, docnos in final.items():
            grades = given.get(query, {})
            labels[query] = {docno: grades[docno] for docno in docnos if docno in grades}
        return labels
    if name == reference_models.NOISY:
        return reference_models.noisy(final, seed)
    if name == reference_models.RANKS:
        lists = (dict(system_lists(system)) for system in collection.systems.order_by("name"))
        return reference_models.by_rank(final, lists, collection.highest_grade)
    if name == reference_models.RANDOM:
        return reference_models.at_random(final, collection.grades, seed)
    return reference_models.constant(final, collection.highest_grade)
