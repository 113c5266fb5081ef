"""The rankings of systems before and after each pool round, as a stored report.

The labels are those of now: before a round means without the pairs that it and later rounds added.
So a pair that was decided again counts with its present label on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from accounts.models import Collection
from evaluation.label_effects.before_after import RankingChange, change_between
from evaluation.label_effects.rankings import rankings_over_time
from evaluation.label_effects.services import LabelComparison
from jobs.context import JobContext
from pooling.models import Candidate
from reports.services import register
from scoring.labels import FINAL, all_qrels
from scoring.measures.judged_ranks import Qrels
from web.errors import UserFacingError

Payload = Mapping[str, Any]
FIRST = 1  # the builds


class NoPoolRounds(UserFacingError):
    """A collection has no pool round after the first."""

    def __init__(self, slug: str) -> None:
        super().__init__(
            f"The pools of {slug} have no second round, so there is nothing to compare. Add a "
            "round first."
        )


def has_pool_rounds(collection: Collection) -> bool:
    """Return whether a round after the first was added."""
    return collection.pool_rounds.exists()


@register
@dataclass(frozen=True)
class RoundEffectsReport(LabelComparison):
    """The rankings of systems under the labels of the first rounds, and of all."""

    version = 1

    name = "compare_rounds"
    title = "Compare rankings before and after pool rounds"
    page = "label-effects"

    def checked(self, collection: Collection) -> Self:
        """Raises NoPoolRounds, and BadMeasure as other comparisons."""
        if not has_pool_rounds(collection):
            raise NoPoolRounds(collection.slug)
        return super().checked(collection)

    def inputs(self, collection: Collection) -> dict[str, object]:
        rounds = list(collection.pool_rounds.order_by("number").values_list("number", flat=True))
        return {**super().inputs(collection), "the pool rounds": rounds}

    def compared(self, collection: Collection, work: JobContext) -> Payload:
        return rankings_over_time(collection, labels_by_round(collection), self.measure, work)


def labels_by_round(collection: Collection) -> dict[str, Qrels]:
    """The final labels after each round: `round_source` to query to docno to grade.

    All are of one moment. The last set has all labels.
    """
    every = all_qrels(collection, [FINAL])[FINAL]
    rounds = sorted({FIRST, *collection.pool_rounds.values_list("number", flat=True)})
    papers = dict(collection.queries.values_list("name", "query_paper__name"))
    added: dict[str, dict[str, int]] = {}  # the round of what later rounds added, by query paper
    rows = (
        Candidate.objects.filter(pool__query_paper__collection=collection, round__gt=FIRST)
        .order_by()
        .values_list("pool__query_paper__name", "document__docno", "round")
    )
    for paper, docno, number in rows.iterator():
        added.setdefault(paper, {})[docno] = number
    return {
        round_source(number): {
            query: labels
            for query, grades in every.items()
            for rounds_of in [added.get(papers[query], {})]
            for labels in [
                {
                    docno: grade
                    for docno, grade in grades.items()
                    if rounds_of.get(docno, FIRST) <= number
                }
            ]
            if labels
        }
        for number in rounds
    }


def round_source(number: int) -> str:
    """The key of the labels after this round."""
    return f"rounds-{number}"


def changes_by_round(payload: Payload) -> Iterator[RankingChange]:
    """The change from the labels after each earlier round to all labels, the newest first."""
    numbers = [int(row["source"].rpartition("-")[2]) for row in payload["rankings"]]
    for number in reversed(numbers[:-1]):
        change = change_from(payload, number)
        if change is not None:
            yield change


def change_from(payload: Payload, number: int) -> RankingChange | None:
    """The change from the labels after that round to all labels; None for an unknown round."""
    last = int(payload["rankings"][-1]["source"].rpartition("-")[2])
    return change_between(payload, round_source(number), (_name(number), _name(last)))


def _name(number: int) -> str:
    return "round 1" if number == FIRST else f"rounds 1–{number}"
