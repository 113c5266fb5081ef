"""Every labelling of a few unjudged documents, scored by ir-measures."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import ir_measures
import numpy as np

from evaluation.gaps.computation.bounds import OpenLists, QueryLabels

Labels = Mapping[str, int]


class Case(NamedTuple):
    """A query with its labels, the documents that could be judged, and the lists of systems."""

    labels: Labels
    open: Sequence[str]
    lists: Sequence[Sequence[str]]
    highest: int

    def view(self, number: int) -> OpenLists:
        ranks = {name: rank for rank, name in ranked(self.lists[number])}
        judged, opened = (
            np.array([[ranks.get(name, 0) for name in names]], dtype=np.int64)
            for names in (self.labels, self.open)
        )
        return OpenLists(judged, opened)

    @property
    def query(self) -> QueryLabels:
        return QueryLabels(np.array([*self.labels.values()], dtype=np.int64), self.highest)

    def labellings(self, among: Sequence[str] | None = None) -> Iterator[Labels]:
        """Every labelling of these open documents, or of all; the first gives each the grade 0."""
        open_ = self.open if among is None else among
        for grades in itertools.product(range(self.highest + 1), repeat=len(open_)):
            yield {**self.labels, **dict(zip(open_, grades, strict=True))}


def ranked(docnos: Sequence[str]) -> Iterator[tuple[int, str]]:
    return enumerate(docnos, start=1)


def random_case(
    seed: int, *, systems: int = 1, open_: int = 4, highest: int = 2, relevant: bool = True
) -> Case:
    """Lists of up to 12 of 16 documents; some documents are neither judged nor open."""
    rng = random.Random(seed)
    documents = [f"d{number}" for number in range(16)]
    rng.shuffle(documents)
    judged = documents[open_ : open_ + rng.randint(1, 7)]
    top = highest if relevant else 0
    labels = {name: rng.randint(0, top) for name in judged}
    if relevant:
        labels[judged[0]] = highest
    lists = [rng.sample(documents, rng.randint(0, 12)) for _ in range(systems)]
    return Case(labels, documents[:open_], lists, highest)


def values_of(
    case: Case, names: Sequence[str], scored_from: int, labellings: Sequence[Labels]
) -> dict[str, list[list[float]]]:
    """By measure: for each labelling with a relevant document, the value of each list.

    RBP is computed here, because no installed provider of ir-measures has it.
    """
    measures = {name: ir_measures.parse_measure(name) for name in names}
    scored = [
        labels for labels in labellings if any(grade >= scored_from for grade in labels.values())
    ]
    qrels = {str(number): dict(labels) for number, labels in enumerate(scored)}
    columns: dict[str, list[list[float]]] = {
        name: [[0.0] * len(case.lists) for _ in scored] for name in names
    }
    named = {measure: name for name, measure in measures.items() if measure.NAME != "RBP"}
    for place, docnos in enumerate(case.lists):
        for name, measure in measures.items():
            if measure.NAME == "RBP":
                for number, labels in enumerate(scored):
                    columns[name][number][place] = _rbp(docnos, labels, **measure.params)
        run = {name: -float(rank) for rank, name in ranked(docnos)}
        runs = dict.fromkeys(qrels, run)
        for value in ir_measures.iter_calc(list(named), qrels, runs) if named and run else ():
            columns[named[value.measure]][int(value.query_id)][place] = value.value
    return columns


def _rbp(
    docnos: Sequence[str], labels: Labels, p: float, rel: int, cutoff: int | None = None
) -> float:
    return sum(
        (1 - p) * p ** (rank - 1)
        for rank, name in ranked(docnos[:cutoff])
        if labels.get(name, -1) >= rel
    )
