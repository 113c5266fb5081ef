"""The rankings of a collection's systems under several sets of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from accounts.models import Collection
from evaluation.label_effects.comparison import compare_rankings, shared_labels
from jobs.context import JobContext
from scoring.labels import SOURCE_NAMES
from scoring.measures.judged_ranks import JudgedDocuments, Qrels
from scoring.measures.names import Measure, UnknownMeasure, parse_measure
from scoring.measures.offered import known_measures
from scoring.measures.profiles import profile_of, usual_profile
from scoring.measures.scoring import score, scored_queries
from scoring.systems.lists import system_lists
from web.errors import UserFacingError
from web.lazy import pandas as pd

FINAL = "final"
MODEL, CITATIONS = "model", "citations"
NAMES = {**SOURCE_NAMES, MODEL: "the model", CITATIONS: "citations"}


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
    scores = _scores(collection, shared, measure_named(measure, collection.relevant_from), work)
    return ScoredLabels(scores, shared[FINAL], labels[FINAL])


def _scores(
    collection: Collection, labels: Mapping[str, Qrels], measure: Measure, work: JobContext
) -> dict[str, pd.DataFrame]:
    """By set of labels: a row for each query with a relevant document, a column for each system."""
    judged = {
        source: JudgedDocuments(scored_queries(qrels, [measure]))
        for source, qrels in labels.items()
    }
    columns: dict[str, dict[str, pd.Series]] = {source: {} for source in labels}
    systems = list(collection.systems.order_by("name"))
    for done, system in enumerate(systems):
        work.progress(done, len(systems), f"scoring {system.name}")
        # One system's lists at a time: those of all would not fit into memory.
        lists = {name: docnos for name, docnos in system_lists(system) if name in labels[FINAL]}
        for source, documents in judged.items():
            columns[source][system.name] = score(documents, lists, [measure])[measure.name]
    return {
        source: pd.DataFrame(columns[source], index=judged[source].queries).dropna()
        for source in labels
    }
