"""Judged pairs with what judges and adjudicator wrote, for the pages of admins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import F, Subquery

from adjudication.models import Decision, standing_decisions
from adjudication.standing import Standing, final_label
from annotation.models import PairQuerySet, Reason


class SlotAnswer(NamedTuple):
    """A judgment: a grade, or the reason why there is none; and the note."""

    grade: int | None
    reason: str
    note: str

    @property
    def reason_label(self) -> str:
        """In words; "" with a grade. That of a decision is a code or a text of its own."""
        return str(dict(Reason.choices).get(self.reason, self.reason))


@dataclass(frozen=True)
class PairDetails:
    """A pair with both judgments. `decision` stands on them; None if there is none."""

    query: int
    candidate: int
    answers: tuple[SlotAnswer, SlotAnswer]
    standing: Standing
    final: int | None
    decision: SlotAnswer | None = None
    adjudicator: str = ""

    @property
    def differs(self) -> bool:
        """The judges gave different grades, or at least one gave none."""
        first, second = (answer.grade for answer in self.answers)
        return first is None or first != second

    @property
    def notes(self) -> list[tuple[str, str]]:
        """The notes on the pair, each with its author."""
        first, second = self.answers
        texts = [
            ("Slot 1", first.note),
            ("Slot 2", second.note),
            (self.adjudicator, self.decision.note if self.decision else ""),
        ]
        return [(author, text) for author, text in texts if text]


def pair_details(pairs: PairQuerySet) -> Iterator[PairDetails]:
    """Those of the pairs that have both judgments, in two database queries.

    A pair with one judgment is left out, so no page made of these can show that judgment.
    """
    rows = list(
        pairs.judged()
        .annotate(
            decision=Subquery(standing_decisions().values("pk")[:1]),
            **{
                f"{name}_{column}": F(f"slot_{number}__judgment__{column}")
                for number, name in enumerate(("first", "second"), start=1)
                for column in ("reason", "note")
            },
        )
        .order_by()
        .values_list(
            *("query", "candidate", "referral_count", "decision"),
            *("first_grade", "first_reason", "first_note"),
            *("second_grade", "second_reason", "second_note"),
        )
    )
    decisions = Decision.objects.select_related("adjudicator").in_bulk(
        [row[3] for row in rows if row[3]]
    )
    for query, candidate, referrals, decision_id, *answers in rows:
        first, second = SlotAnswer(*answers[:3]), SlotAnswer(*answers[3:])
        decision = decisions.get(decision_id)
        standing, final = final_label(
            first.grade,
            second.grade,
            (decision.grade,) if decision else None,
            referred=referrals > 0,
        )
        yield PairDetails(
            query=query,
            candidate=candidate,
            answers=(first, second),
            standing=standing,
            final=final,
            decision=SlotAnswer(decision.grade, decision.reason, decision.note)
            if decision
            else None,
            adjudicator=decision.adjudicator.shown_name if decision else "",
        )
