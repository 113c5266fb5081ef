"""Upper bounds of a measure, if every unjudged document of a list could get any grade. Pure.

The values of `evaluation.gaps.computation.bounds`, where the open documents are all unjudged
documents of the list. The report calls the standard value the lower bound: unjudged documents count
as not relevant. Labels can give less than that, because a new relevant document that is ranked low
lowers recall, AP and nDCG.

The value of the condensed list is not between the bounds: without its unjudged documents a list is
another list, and its relevant documents stand higher.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.gaps.computation.bounds import (
    BoundedMeasure,
    Ints,
    OpenLists,
    QueryLabels,
    UnboundedMeasure,
    score_range,
)

Labels = Mapping[str, int]
UNJUDGED = -1
FAMILIES = ("P", "R", "AP", "nDCG", "RBP")  # of the report: those with an upper bound in it


def bounded_measure(name: str) -> BoundedMeasure:
    """The measure of a name as ir-measures writes it. Raises UnboundedMeasure."""
    measure = BoundedMeasure.of(name)
    if measure.family not in FAMILIES:
        raise UnboundedMeasure(name, FAMILIES)
    return measure


def grades_in_list(docnos: Sequence[str], labels: Labels) -> Ints:
    """The grade of each document of a list, best first; UNJUDGED for one without a label."""
    return np.array([labels.get(docno, UNJUDGED) for docno in docnos], dtype=np.int64)


def upper_bound(measure: BoundedMeasure, listed: Ints, judged: Ints, highest: int) -> float:
    """The largest value that any grades from 0 to `highest` of the unjudged documents give.

    `listed` are the grades of a query's list, as `grades_in_list` gives them. `judged` are the
    grades of all documents that were judged for the query.
    """
    ranks = np.arange(1, len(listed) + 1)
    at = np.zeros(len(judged), dtype=np.int64)
    for grade in np.unique(listed[listed != UNJUDGED]):
        # Documents of one grade are alike, so the first of them stand for those of the list.
        found = ranks[listed == grade]
        at[np.flatnonzero(judged == grade)[: len(found)]] = found
    lists = OpenLists(at[None], ranks[None, listed == UNJUDGED])
    bounds = score_range(measure, QueryLabels(judged, highest), lists)
    return bounds.high if bounds else 0.0
