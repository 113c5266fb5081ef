"""The labels of a collection: what agreement, evaluation and releases read.

Nothing here may be shown to annotators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accounts.models import Collection
from adjudication.models import Decision, Reopening
from annotation.models import Judgment, Pair, PairState, PublishedLabel, Qrels, Slot

if TYPE_CHECKING:
    import pandas as pd


def labels_state(collection: Collection) -> str:
    """Names the state of all labels: a report with another one is out of date.

    The numbers of rows that are only appended. Not their newest keys: a transaction may commit with a lower one. Ask
    for it before the labels are read.
    """
    judgments, *others = (
        rows.objects.filter(collection=collection).count() for rows in (Judgment, Decision, Reopening, Qrels)
    )
    practice = Judgment.objects.filter(slot__pair__opening__practice__collection=collection).count()
    return ".".join(map(str, (judgments - practice, *others)))


def final_labels(collection: Collection) -> pd.DataFrame:
    """A row for each label: query, facet, docno, final; by query, then docno.

    Those of pairs that are judged here, and the published ones of all others.
    """
    import pandas as pd

    columns = ("query__name", "query__facet", "document__docno")
    settled = Pair.objects.of(collection).labelled().exclude(final=None).values_list(*columns, "final")
    published = PublishedLabel.objects.of(collection).standing().values_list(*columns, "grade")
    table = pd.DataFrame.from_records([*settled, *published], columns=["query", "facet", "docno", "final"])
    return table.sort_values(["query", "docno"], ignore_index=True)


def labelled_queries(collection: Collection) -> set[str]:
    """The names of the queries with a label."""
    settled = Pair.objects.of(collection).exclude(final=None)
    published = PublishedLabel.objects.of(collection).standing()
    return {name for rows in (settled, published) for name in rows.values_list("query__name", flat=True).distinct()}


def labelled_pairs(collection: Collection) -> pd.DataFrame:
    """A row for each pair that both judged: by query, then docno.

    Columns: query, facet, docno, state, first, second, final (grades as nullable integers: <NA> is missing),
    first_judge, second_judge (keys of people as text: reports keep them, and a name may change), first_reason,
    second_reason, pair (its key), round (of its pool). Pairs with an empty slot are left out: their judgments are
    secret.
    """
    import pandas as pd  # not at start-up: pages ask this module for the state only

    columns = {
        "pair__query__name": "query",
        "pair__query__facet": "facet",
        "pair__document__docno": "docno",
        "pair__state": "state",
        "pair__final": "final",
        "pair": "pair",
        "number": "number",
        "judge": "judge",
        "judgment__grade": "grade",
        "judgment__reason": "reason",
        "pair__opening__pool_set__round": "round",
    }
    slots = Slot.objects.filter(pair__query__collection=collection).exclude(pair__state=PairState.OPEN)
    rows = pd.DataFrame.from_records(list(slots.values_list(*columns)), columns=list(columns.values()))
    one, two = (rows[rows["number"] == number].set_index("pair") for number in (1, 2))
    table = one[["query", "facet", "docno", "state", "final", "round"]].copy()
    for name, side in (("first", one), ("second", two)):
        table[name] = side["grade"]
        table[f"{name}_judge"] = side["judge"].astype(str)
        table[f"{name}_reason"] = side["reason"]
    for name in ("first", "second", "final"):
        table[name] = table[name].astype("Int64")
    return table.reset_index().sort_values(["query", "docno"], ignore_index=True)
