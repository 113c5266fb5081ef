"""Reads the queries that drew lots, and the proposals. Only pairs with both judgments count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q

from accounts.models import Collection
from adjudication.labels import pairs_with_judges
from agreement.alignment.figures import COEFFICIENTS, SECONDS, DrawnQuery, Values
from agreement.coefficients import REGISTRY, CrossTable
from annotation.models import Judgment, Opening, Pair, Slot
from annotation.proposals.rule import is_due
from corpus.scale import Scale

GradePair = tuple[int | None, int | None]
OUTCOMES = ("followed", "kept", "other", "unanswered")


class SlotAnswers(NamedTuple):
    """A judge's first judgment of a pair in the present round, and the next one, if there is one.

    `outcome` is one of OUTCOMES if another grade than the own one was proposed, else "".
    """

    pair: int
    grade: int | None
    proposed: int | None
    outcome: str
    seconds: float | None


def answers_by_query(collection: Collection) -> dict[str, list[SlotAnswers]]:
    """By query with proposals or with a lot, in the order of the slots."""
    query = "slot__pair__query"
    in_study = Q(**{f"{query}__opening__proposal_steps__isnull": False}) | Q(
        **{f"{query}__opening__proposal_block__isnull": False}
    )
    rows = (
        Judgment.objects.filter(
            in_study, round=F(f"{query}__opening__round"), **{f"{query}__collection": collection}
        )
        .filter(~Exists(Slot.objects.unjudged().filter(pair=OuterRef("slot__pair"))))
        .order_by("slot__pair", "slot__number", "sequence")
        .values_list(f"{query}__name", "slot__pair", "slot", "grade", "proposed_grade", "seconds")
    )
    found: dict[str, list[SlotAnswers]] = defaultdict(list)
    for _, answers in groupby(rows.iterator(5_000), key=itemgetter(2)):
        (name, pair, _, grade, proposed, seconds), *later = answers
        outcome = ""
        if is_due(proposed, grade):
            outcome = "unanswered"
            if later:
                *_, answer, _, more_seconds = later[0]
                outcome = {proposed: "followed", grade: "kept"}.get(answer, "other")
                seconds = None if seconds is None else seconds + (more_seconds or 0)
        found[name].append(SlotAnswers(pair, grade, proposed, outcome, seconds))
    return found


def drawn_queries(
    collection: Collection, answers: dict[str, list[SlotAnswers]]
) -> list[DrawnQuery]:
    """The queries that drew lots, by block, with the values of those with a judged pair."""
    scale = Scale(collection.highest_grade, collection.relevant_from)
    lots = Opening.objects.of(collection).filter(proposal_block__isnull=False)
    rows = lots.order_by("pk").values_list("query__name", "proposal_block", "proposal_steps")
    present: dict[str, list[GradePair]] = defaultdict(list)
    in_study = Pair.objects.filter(query__opening__proposal_block__isnull=False)
    for row in pairs_with_judges(collection, in_study):
        if row.pair.judged:
            present[row.pair.query].append(row.pair.blind)
    found = []
    for name, block, steps in rows:
        assert block is not None  # of those with a lot
        own = answers.get(name, [])
        timed = [each.seconds for each in own if each.seconds is not None]
        seconds = {SECONDS: median(timed) if timed else None}
        found.append(
            DrawnQuery(
                name,
                block,
                steps is not None,
                len(present[name]),
                {**_coefficients(present[name], scale), **seconds},
                _coefficients(_first_grades(own), scale),
            )
        )
    return found


def _first_grades(answers: Iterable[SlotAnswers]) -> list[GradePair]:
    by_pair = (list(rows) for _, rows in groupby(answers, key=lambda each: each.pair))
    return [(first.grade, second.grade) for first, second in by_pair]


def _coefficients(grades: Iterable[GradePair], scale: Scale) -> Values:
    both = Counter((a, b) for a, b in grades if a is not None and b is not None)
    table = CrossTable(both.items(), scale)
    return {each.key: each.function(table).value for each in REGISTRY if each.key in COEFFICIENTS}


def counted(answers: Iterable[SlotAnswers]) -> dict[str, int]:
    """The first judgments with a proposal, those with another grade, and these by outcome."""
    rows = [each for each in answers if each.proposed is not None]
    outcomes = Counter(each.outcome for each in rows)
    return {
        "proposals": len(rows),
        "differed": len(rows) - outcomes[""],
        **{outcome: outcomes[outcome] for outcome in OUTCOMES},
    }
