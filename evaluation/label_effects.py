"""How a ranking of systems depends on whose labels score it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.pool_bias import SAME

if TYPE_CHECKING:
    import pandas as pd

CITATIONS = "Cited documents"  # the names of other sets are "Judge 1", "Judge 2" and keys of people
SLOTS = ("first", "second")
Grades = dict[str, dict[str, int]]


class LabelSet(NamedTuple):
    """Someone's labels, and the final ones of the same pairs: a difference comes from the grades alone."""

    name: str
    labels: Grades
    final: Grades


def label_sets(pairs: pd.DataFrame, cited: Mapping[str, Collection[str]], top: int) -> list[LabelSet]:
    """Both slots (whoever judged), each person, and citations.

    `pairs` as `adjudication.labels.labelled_pairs` has them. The slots are on the pairs that both judged, a person's
    labels on what they judged. A cited document has the grade `top`, so that every measure counts it as relevant, and
    every other 0; `cited` has the queries that take part.
    """
    import pandas as pd

    pairs = pairs.dropna(subset=["final"])
    both = pairs.dropna(subset=["first", "second"])
    sets = [label_set("Judge 1", both, both["first"]), label_set("Judge 2", both, both["second"])]
    slots = [pairs[["query", "docno", "final"]].assign(judge=pairs[f"{s}_judge"], grade=pairs[s]) for s in SLOTS]
    given = pd.concat(slots).dropna(subset=["grade"])
    sets += [label_set(str(judge), rows, rows["grade"]) for judge, rows in given.groupby("judge")]
    known = pairs[pairs["query"].isin(list(cited))]
    is_cited = [docno in cited[query] for query, docno in zip(known["query"], known["docno"], strict=True)]
    if any(is_cited):
        sets.append(label_set(CITATIONS, known, pd.Series(is_cited, index=known.index) * top))
    return sets


def label_set(name: str, pairs: pd.DataFrame, grades: pd.Series[int]) -> LabelSet:
    made = LabelSet(name, {}, {})
    for query, docno, grade, final in zip(pairs["query"], pairs["docno"], grades, pairs["final"], strict=True):
        made.labels.setdefault(query, {})[docno] = int(grade)
        made.final.setdefault(query, {})[docno] = int(final)
    return made


def compare(theirs: Mapping[str, float], final: Mapping[str, float]) -> dict[str, Any]:
    """Kendall's τ-b of two rankings of the same systems, and the pairs of systems that change order.

    τ is None, with a `reason`, where it is undefined. Each pair is (the better one by the final labels, the worse).
    """
    from scipy import stats

    names = sorted(final.keys() & theirs.keys(), key=lambda name: (-final[name], name))
    swaps = [
        (better, worse)
        for better, worse in combinations(names, 2)
        if final[better] - final[worse] > SAME and theirs[worse] - theirs[better] > SAME
    ]
    reason = ""
    if not names:
        reason = "no query has a relevant document"
    elif len(names) < 2:
        reason = "fewer than two systems"
    elif any(max(values.values()) - min(values.values()) <= SAME for values in (theirs, final)):
        reason = "all systems are equal"
    tau = None
    if not reason:
        # Rounded, so that what differs by less than SAME is a tie.
        rounded = ([round(values[name], 9) for name in names] for values in (theirs, final))
        tau = float(stats.kendalltau(*rounded).statistic)
    return {"tau": tau, "reason": reason, "swaps": swaps}
