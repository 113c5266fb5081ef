"""Systems with stored scores, without lists or labels that they were computed from."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from accounts.models import Collection
from scoring.measures.profiles import TREC, profile_of
from scoring.models import Scores, System, SystemKind
from scoring.score_tables import as_columns


def store_scores(collection: Collection, values: Mapping[str, Mapping[str, float]]) -> None:
    """Each system's value on each query, which all measures of the profile `trec` have."""
    names = profile_of(TREC, collection.relevant_from).names
    for name, by_query in values.items():
        column = pd.Series(by_query, dtype=float)
        Scores.objects.create(
            system=System.objects.create(collection=collection, name=name, kind=SystemKind.FILE),
            profile=TREC,
            state="stored by a test",
            summary=[],
            values=as_columns(pd.DataFrame(dict.fromkeys(names, column))),
        )
