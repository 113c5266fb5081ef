"""The comparison of a collection's systems by their stored scores, for the API and the command."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import Collection
from evaluation.significance.stored_values import (
    ALL,
    ScoreState,
    StoredChoices,
    UnknownChoice,
    checked_choices,
    measure_key,
    usual_baseline,
    values_of,
)
from evaluation.significance.tables import PAIR_FIELDS, pair_lines, system_fields
from scoring.statistics.comparison import (
    SEED,
    AllPairs,
    SystemComparison,
    compare,
    compare_all_pairs,
)


class StoredComparison(NamedTuple):
    """Systems against a baseline, and all pairs if they were asked for."""

    measure: str
    facet: str
    systems: SystemComparison
    pairs: AllPairs | None
    out_of_date: list[str]

    def as_json(self) -> dict[str, object]:
        systems, pairs = self.systems, self.pairs
        return {
            "measure": self.measure,
            "facet": self.facet,
            "baseline": systems.baseline,
            "queries": systems.queries,
            "left_out": systems.left_out,
            "flips": systems.flips,
            "seed": systems.seed,
            "detectable_difference": systems.detectable_median,
            "systems": [system_fields(row) for row in systems.rows],
            "all_pairs": [
                {name: field(line) for name, field in PAIR_FIELDS.items()}
                for line in (pair_lines(pairs) if pairs else ())
            ],
            "all_pairs_undefined": pairs.undefined if pairs else None,
            "out_of_date": self.out_of_date,
        }


def compare_stored(
    collection: Collection,
    *,
    measure: str = "",
    baseline: str = "",
    facet: str = ALL,
    seed: str = SEED,
    all_pairs: bool = False,
) -> StoredComparison:
    """Empty `measure` and `baseline` are those that the page opens with.

    Raises NoScores, and UnknownChoice for a measure, a facet or a baseline without scores.
    """
    measure = measure_key(collection, measure or StoredChoices.of(collection).usual_measure)
    checked_choices(collection, measure, facet)
    values = values_of(collection, measure, facet)
    systems = list(map(str, values.columns))
    baseline = baseline or usual_baseline(systems)
    if baseline not in systems:
        raise UnknownChoice("baseline", baseline, systems)
    return StoredComparison(
        measure=measure,
        facet=facet,
        systems=compare(values, baseline, seed),
        pairs=compare_all_pairs(values) if all_pairs else None,
        out_of_date=ScoreState.of(collection).out_of_date,
    )
