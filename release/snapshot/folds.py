"""The folds of a collection's queries."""

from __future__ import annotations

from accounts.models import Collection
from adjudication.standing import LabelledPair
from bundle.records import Records, ReleasedFolds
from scoring.computation import folds_of


def released_folds(collection: Collection, pairs: Records[LabelledPair]) -> ReleasedFolds:
    """The imported folds, or those that the evaluation makes of the queries with a label."""
    labelled = {pair.query: pair.facet for pair in pairs if pair.final is not None}
    folds = folds_of(collection, labelled)
    return ReleasedFolds(folds.numbers, folds.imported_from, collection.seed)
