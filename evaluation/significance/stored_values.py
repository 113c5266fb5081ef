"""The stored values of one measure, for the queries of one facet or of all.

They are under the chosen labels, which are the final ones at first. A collection that has scores
under other labels only, such as citations, has those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from accounts.models import Collection
from scoring.folds import UNTESTED, Folds
from scoring.labels import query_facets, relevant_from
from scoring.measures.names import UnknownMeasure, parse_measure
from scoring.results import measures_of, per_query, shown_source
from scoring.score_tables import DEV, DEVELOPMENT_FOLD, TEST
from scoring.services import changed_since_scored, unscored_runs
from web.errors import UserFacingError
from web.lazy import pandas as pd
from web.program import command_text

ALL = "all"  # the key of all facets together
USUAL = "nDCG@10"


class UnknownChoice(UserFacingError):
    def __init__(self, what: str, value: str, choices: list[str]) -> None:
        super().__init__(
            f'Unknown {what} "{value}". Use one of: {", ".join(choices) or "none yet"}.'
        )


class NoScores(UserFacingError):
    def __init__(self, slug: str) -> None:
        super().__init__(
            f"No system of {slug} has stored scores. "
            f"Score the systems first: {command_text(f'score_systems {slug}')}"
        )


class StoredChoices(NamedTuple):
    """The measures in the stored scores of a collection, and the facets by key."""

    measures: list[str]
    facets: Mapping[str, str]
    source: str

    @classmethod
    def of(cls, collection: Collection, labels: str = "") -> StoredChoices:
        facets = dict(collection.facets.values_list("key", "name"))
        source = shown_source(collection, labels)
        return cls(measures_of(collection, source=source), facets, source)

    @property
    def usual_measure(self) -> str:
        return USUAL if USUAL in self.measures else next(iter(self.measures), "")


def values_of(
    collection: Collection, measure: str, facet: str = ALL, source: str = ""
) -> pd.DataFrame:
    """Index = names of the facet's queries, columns = systems; see `results.per_query`."""
    values = per_query(collection, measure, source=source or shown_source(collection))
    return values if facet == ALL else of_facet(values, query_facets(collection), facet)


def of_facet(values: pd.DataFrame, facets: Mapping[str, str], facet: str) -> pd.DataFrame:
    """The rows of the facet's queries; `facets` has the facet of each query."""
    return values.loc[[facets.get(query) == facet for query in values.index]]


def of_split(values: pd.DataFrame, folds: Folds, split: str) -> pd.DataFrame:
    """The rows of the queries that folds test, or of the development set of the leaderboard."""
    if split == TEST:
        return values.loc[[folds.numbers.get(query, UNTESTED) > 0 for query in values.index]]
    if split == DEV:
        development = folds.development_of(DEVELOPMENT_FOLD)
        return values.loc[[query in development for query in values.index]]
    return values


def measure_key(collection: Collection, measure: str) -> str:
    """The measure with the threshold of the labels in its name, as `AP(rel=2)` for `AP`.

    A text that names no stored measure either way is returned as it is.
    """
    choices = StoredChoices.of(collection)
    if measure in choices.measures:
        return measure
    try:
        name = parse_measure(measure, relevant_from(collection, choices.source)).name
    except UnknownMeasure:
        return measure
    return name if name in choices.measures else measure


def checked_choices(collection: Collection, measure: str, facet: str) -> None:
    """Raises NoScores or UnknownChoice for what the collection has no stored scores of."""
    choices = StoredChoices.of(collection)
    if not choices.measures:
        raise NoScores(collection.slug)
    if measure not in choices.measures:
        raise UnknownChoice("measure", measure, choices.measures)
    if facet not in (ALL, *choices.facets):
        raise UnknownChoice("facet", facet, [ALL, *choices.facets])


def usual_baseline(systems: list[str]) -> str:
    """The first system with "bm25" in its name, because it is the usual baseline; or the first."""
    return next((name for name in systems if "bm25" in name.lower()), next(iter(systems), ""))


class ScoreState(NamedTuple):
    """The state of the stored scores, compared with the present labels, lists and runs.

    `changed` says what changed since the systems were scored, as in "the labels".
    """

    out_of_date: list[str]
    unscored: list[str]
    changed: str

    @classmethod
    def of(cls, collection: Collection, source: str = "") -> ScoreState:
        source = source or shown_source(collection)
        systems, changed = changed_since_scored(collection, source)
        return cls(systems, unscored_runs(collection), changed)
