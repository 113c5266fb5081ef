"""Agreement on the pairs of each pool round, and drift between rounds as tables show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.standing import LabelledPair
from agreement.coefficients import COEFFICIENTS, Missing
from agreement.consistency.advice import number as number_of
from agreement.summary import ReportStage, Tally, as_json_dict, summarize_tally
from annotation.models import Pair


def agreement_by_round(
    collection: Collection,
    tally_of: Callable[[Iterable[LabelledPair]], Tally],
    missing: Missing,
) -> list[dict[str, Any]]:
    """The agreement report of the pairs of each pool round, as JSON; empty without later rounds.

    Each has its `round`, and `facets` and `queries` as the report of all pairs has them.
    """
    numbers = list(collection.pool_rounds.order_by("number").values_list("number", flat=True))
    found = []
    for number in [1, *numbers] if numbers else []:
        among = Pair.objects.filter(candidate__round=number)
        tally = tally_of(labelled_pairs(collection, among))
        summary = summarize_tally(tally, missing, collection.seed)
        report = as_json_dict(collection.slug, missing, summary, tally)
        found.append({"round": number, "facets": report["facets"], "queries": report["queries"]})
    return found


class PoolRoundLine(NamedTuple):
    """The judges' agreement on a facet's pairs of one round. `values` are medians, "–" for none."""

    facet: str
    number: int
    queries: int
    pairs: int
    values: list[str]


@dataclass(frozen=True)
class RoundLines:
    """The table of agreement by pool round, before adjudication."""

    rounds: Sequence[Mapping[str, Any]]
    names: Mapping[str, str]

    @property
    def coefficients(self) -> list[str]:
        return [each.symbol for each in COEFFICIENTS]

    def __iter__(self) -> Iterator[PoolRoundLine]:
        for row in self.rounds:
            for facet in row["facets"]:
                if facet["stage"] == ReportStage.PRE and facet["pairs"]:
                    yield PoolRoundLine(
                        self.names.get(facet["facet"], facet["facet"]),
                        row["round"],
                        facet["queries"],
                        facet["pairs"],
                        [number_of(facet["median"][each.key]) for each in COEFFICIENTS],
                    )
