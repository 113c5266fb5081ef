"""The cost of judging a gap, as the page *Plan the pools* counts it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.datastructures import MultiValueDict

from accounts.models import Collection
from annotation.queue import collection_pace
from pooling.forms import CostForm
from pooling.preview import Cost


@dataclass(frozen=True)
class GapCosts:
    """The inputs of the cost. The time of a judgment is the measured one until another is typed."""

    collection: Collection
    form: CostForm
    is_measured: bool

    @classmethod
    def of(cls, collection: Collection, parameters: MultiValueDict[str, str]) -> GapCosts:
        form = CostForm.of(parameters, collection)
        pace = collection_pace(collection)
        if not parameters.get("seconds"):
            form.data = {**form.data, "seconds": f"{pace.seconds:.1f}"}
        return cls(collection, form, pace.measured and not parameters.get("seconds"))

    def of_pairs(self, pairs: int) -> Cost:
        """Each pair is a document of a query, so the candidates are not counted apart."""
        return self.form.cost(candidates=pairs, pairs=pairs, collection=self.collection)


def gap_hours(collection: Collection, pairs: int) -> float:
    """The hours of two judges and the adjudicator for so many pairs."""
    return GapCosts.of(collection, MultiValueDict()).of_pairs(pairs).total_hours
