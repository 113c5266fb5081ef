"""Agreement by round, where documents were added to frozen pools, and whether the judges changed meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import OuterRef, Subquery

from accounts.models import Collection
from agreement.coefficients import coefficients
from annotation.models import Slot

if TYPE_CHECKING:
    import pandas as pd


def judged_again(collection: Collection) -> pd.DataFrame:
    """Pairs of earlier rounds that came again among those of a later one: facet, round, earlier, later (grades).

    A row for each of their two seats. `earlier` is the judgment that counts in that seat, mostly of the same person.
    Without those where a grade is missing.
    """
    import pandas as pd

    again = Slot.objects.filter(pair__query__collection=collection, pair__counts=False, judgment__grade__isnull=False)
    counted = Slot.objects.filter(
        pair__query=OuterRef("pair__query"),
        pair__document=OuterRef("pair__document"),
        pair__counts=True,
        number=OuterRef("number"),
    )
    rows = again.annotate(earlier=Subquery(counted.values("judgment__grade")[:1])).exclude(earlier=None)
    columns = ("pair__query__facet", "pair__opening__pool_set__round", "earlier", "judgment__grade")
    return pd.DataFrame.from_records(list(rows.values_list(*columns)), columns=["facet", "round", "earlier", "later"])


def by_round(pairs: pd.DataFrame, again: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each facet and round; none where there is one round only. Pure.

    `pairs` as of `labelled_pairs`, `again` as of `judged_again`. The coefficients are over all pairs of a row
    together. `again` is the number of judgments given again, `same` the percentage of those with the same grade, and
    `change` the mean of later − earlier grade (None without any).
    """
    if pairs["round"].nunique() < 2:
        return []
    rows: list[dict[str, Any]] = []
    for (facet, number), members in pairs.groupby(["facet", "round"]):
        graded = members[members["first"].notna() & members["second"].notna()]
        results = coefficients(graded["first"].tolist(), graded["second"].tolist())
        repeated = again[(again["facet"] == facet) & (again["round"] == number)]
        change = repeated["later"] - repeated["earlier"]
        rows.append(
            {
                "facet": str(facet),
                "round": int(str(number)),
                "pairs": len(graded),
                "before": {key: each.value for key, each in results.items()},
                "undefined": {key: each.reason for key, each in results.items() if each.reason},
                "again": len(repeated),
                "same": float(100 * (change == 0).mean()) if len(repeated) else None,
                "change": float(change.mean()) if len(repeated) else None,
            }
        )
    return rows
