"""The rankings of a collection's systems under several sets of labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from accounts.models import Collection
from evaluation.label_effects.comparison import compare_over_time, compare_rankings, shared_labels
from jobs.context import JobContext
from scoring.labels import SOURCE_NAMES
from scoring.measures.judged_ranks import JudgedDocuments, Qrels
from scoring.measures.names import Measure, UnknownMeasure, parse_measure, parse_measures
from scoring.measures.offered import known_measures
from scoring.measures.profiles import profile_of, usual_profile
from scoring.measures.scoring import score, scored_queries
from scoring.statistics.paired import ALPHA, mean
from scoring.systems.lists import system_lists
from web.errors import UserFacingError
from web.lazy import pandas as pd

FINAL = "final"
MODEL, CITATIONS = "model", "citations"
NAMES = {**SOURCE_NAMES, MODEL: "the model", CITATIONS: "citations"}
JUDGED = "Judged@10 Judged@20"  # of the lists before and after new labels
TEST = "Tukey’s HSD over all pairs of systems"


LONGEST_MEASURE = 80


class BadMeasure(UserFacingError):
    """No measure has this name."""


def measure_named(name: str, relevant_from: int) -> Measure:
    """A measure of a profile, as stored scores name it, or any other of ir-measures.

    Its scope is that of its profile; other measures are of lists as they are. Raises BadMeasure.
    """
    for offered in known_measures(relevant_from):
        if offered.key == name:
            return replace(offered.measure, name=offered.key)
    try:
        measure = parse_measure(name, relevant_from)
    except UnknownMeasure as error:
        known = ", ".join(measure_names(relevant_from))
        raise BadMeasure(f"{error} Or use one of: {known}.") from error
    if len(measure.name) > LONGEST_MEASURE:
        raise BadMeasure(f"The name of a measure must have at most {LONGEST_MEASURE} characters.")
    return measure


def measure_names(relevant_from: int) -> list[str]:
    """The measures that the pages offer, in the order of the profiles."""
    return [
        offered.key
        for offered in known_measures(relevant_from)
        if not offered.key.startswith(("Judged", "inf"))
    ]


def usual_measure(collection: Collection) -> str:
    """The leaderboard's default: CSFCube's measure with CSFCube's facets, else trec_eval's."""
    profile = usual_profile(collection.facets.values_list("key", flat=True))
    return profile_of(profile, collection.relevant_from).main_measure


class ScoredLabels(NamedTuple):
    """The scores of all systems under sets of labels, reduced to the pairs that all sets have.

    `scores` has a row for each query with a relevant document and a column for each system, by set
    of labels. `final` are the final labels before they were reduced.
    """

    scores: Mapping[str, pd.DataFrame]
    shared: Qrels
    final: Qrels

    @property
    def rankings(self) -> dict[str, object]:
        """The ranking under each set of labels, compared with the final labels, as JSON types."""
        queries = len(self.shared)
        return {
            "queries": queries,
            "pairs": sum(map(len, self.shared.values())),
            "pairs_with_final_label": sum(map(len, self.final.values())),
            "rankings": compare_rankings(self.scores, reference=FINAL, queries=queries),
        }


def compared_rankings(
    collection: Collection, labels: Mapping[str, Qrels], measure: str, work: JobContext
) -> dict[str, object]:
    """The ranking of all systems under each set of labels, compared with the final labels."""
    return scored_labels(collection, labels, measure, work).rankings


def scored_labels(
    collection: Collection, labels: Mapping[str, Qrels], measure: str, work: JobContext
) -> ScoredLabels:
    shared = shared_labels(labels)
    by = measure_named(measure, collection.relevant_from)
    scores = _scores(collection, shared, [by], work)[by.name]
    return ScoredLabels(scores, shared[FINAL], labels[FINAL])


def rankings_over_time(
    collection: Collection, labels: Mapping[str, Qrels], measure: str, work: JobContext
) -> dict[str, object]:
    """The ranking of all systems under sets of labels that follow one another, as JSON types.

    The last set is the reference. Unlike `compared_rankings`, each set keeps all its pairs, because
    the question is what the new ones changed; and differences are tested as the page *Compare*
    tests all pairs of systems, by Tukey's HSD. A mean is over the queries that have a relevant
    document in that set. `judged` has the mean share of judged documents among the first of each
    system's lists, by cut-off.
    """
    by = measure_named(measure, collection.relevant_from)
    shares = parse_measures(JUDGED, by.least)
    scores = _scores(collection, labels, [by, *shares], work)
    rankings = compare_over_time(scores[by.name])
    for row in rankings:
        source = str(row["source"])
        row["labels"] = sum(map(len, labels[source].values()))
        row["judged"] = {
            share.name: _means(values)
            for share in shares
            for values in [scores[share.name][source]]
            if len(values)
        }
    return {"measure": by.name, "test": TEST, "alpha": ALPHA, "rankings": rankings}


def _means(values: pd.DataFrame) -> dict[str, float]:
    return {str(name): mean(column.to_numpy()) for name, column in values.items()}


def _scores(
    collection: Collection,
    labels: Mapping[str, Qrels],
    measures: Sequence[Measure],
    work: JobContext,
) -> dict[str, dict[str, pd.DataFrame]]:
    """By measure and set of labels: a row for each query with a relevant document by the first
    measure, a column for each system.
    """
    judged = {
        source: JudgedDocuments(scored_queries(qrels, measures[:1]))
        for source, qrels in labels.items()
    }
    columns: dict[tuple[str, str], dict[str, pd.Series]] = defaultdict(dict)
    queries = {query for qrels in labels.values() for query in qrels}
    systems = list(collection.systems.order_by("name"))
    for done, system in enumerate(systems):
        work.progress(done, len(systems), f"scoring {system.name}")
        # One system's lists at a time: those of all would not fit into memory.
        lists = {name: docnos for name, docnos in system_lists(system) if name in queries}
        for source, documents in judged.items():
            values = score(documents, lists, measures)
            for measure in measures:
                columns[measure.name, source][system.name] = values[measure.name]
    return {
        measure.name: {
            source: pd.DataFrame(
                columns[measure.name, source], index=judged[source].queries
            ).dropna()
            for source in labels
        }
        for measure in measures
    }
