"""Write a query that was judged elsewhere, from its opening to its decisions."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from accounts.models import User
from adjudication.models import Decision, Recipient, Referral
from annotation.models import Guideline, Opening, Pair, Seat
from annotation.services import CandidateText, NewJudgment, NewSlot, insert_judgments, make_slots
from annotation.stale_presentations import pairs_shown_otherwise
from corpus.models import Query

NewKey = Callable[..., uuid.UUID]


class SourceJudgment(NamedTuple):
    """A judgment of a source. Without a digest, it gets that of its pair's present text.

    Without a version of the guideline, it was made under that of the query.
    """

    annotator: User
    grade: int | None
    reason: str
    presentation_digest: str | None = None
    guideline_version: int | None = None
    sequence: int = 1
    seconds: float | None = None
    aspects: list[int] | None = None


class SourceDecision(NamedTuple):
    adjudicator: User
    grade: int | None
    reason: str


@dataclass(frozen=True)
class JudgedQuery:
    """A query without pairs yet, and its judgments, decisions and referrals by docno.

    `candidates` get pairs, judged or not; `annotators` get the seats. `judgments` are those of slot
    1 and 2. `referrals` are the reasons why judged pairs were sent to the adjudicator.
    """

    query: Query
    guideline: Guideline
    annotators: tuple[User, User]
    candidates: Sequence[CandidateText]
    judgments: Mapping[str, tuple[SourceJudgment, SourceJudgment]]
    decisions: Mapping[str, SourceDecision]
    referrals: Mapping[str, str] = field(default_factory=dict)
    labels_unchecked: bool | None = False

    @property
    def has_earlier_guideline(self) -> bool:
        """A judgment was made under an earlier version than that of the query."""
        versions = {
            judgment.guideline_version for both in self.judgments.values() for judgment in both
        }
        return not versions <= {None, self.guideline.version}

    def other_annotators(self) -> dict[str, tuple[User, User]]:
        """The annotators of each pair that others than those of the seats judged, by docno."""
        annotators = {
            docno: (first.annotator, second.annotator)
            for docno, (first, second) in self.judgments.items()
        }
        return {docno: pair for docno, pair in annotators.items() if pair != self.annotators}


def write_judged_query(source: JudgedQuery, new_key: NewKey) -> int:
    """Write all rows of the query, in the caller's transaction; returns the number of judgments.

    `new_key("judgment", docno, slot number)` and `new_key("decision", docno)` make the keys.
    Needs the query's collection, facet and paper loaded.
    """
    opening = Opening.objects.create(
        query=source.query, guideline=source.guideline, labels_unchecked=source.labels_unchecked
    )
    Seat.objects.bulk_create(
        Seat(opening=opening, number=number, annotator=annotator)
        for number, annotator in enumerate(source.annotators, start=1)
    )
    slots = make_slots(
        query=source.query,
        candidates=source.candidates,
        annotators=source.annotators,
        guideline_version=source.guideline.version,
        others=source.other_annotators(),
    )
    judgments = insert_judgments(_judgments(source, slots, new_key))
    if source.has_earlier_guideline:
        _unmark_unchanged(source.query)
    by_docno: dict[str, dict[int, NewSlot]] = {}
    for slot in slots:
        by_docno.setdefault(slot.docno, {})[slot.number] = slot

    def judged_pair(docno: str) -> dict[str, int]:
        first, second = by_docno[docno][1], by_docno[docno][2]
        return {
            "pair_id": first.pair_id,
            "first_id": judgments[first.pk],
            "second_id": judgments[second.pk],
        }

    Referral.objects.bulk_create(
        Referral(**judged_pair(docno), recipient=Recipient.ADJUDICATOR, reason=reason)
        for docno, reason in source.referrals.items()
    )
    Decision.objects.bulk_create(
        Decision(
            **judged_pair(docno),
            **decision._asdict(),
            sequence=1,
            key=new_key("decision", docno),
            referral_count=int(docno in source.referrals),
            is_imported=True,
        )
        for docno, decision in source.decisions.items()
    )
    return len(judgments)


def _unmark_unchanged(query: Query) -> None:
    """A judgment under an earlier guideline has another digest, also of the same text."""
    marked = Pair.objects.filter(query=query, text_changed=True)
    changed = {docno for _, docno in pairs_shown_otherwise(query.collection, marked)}
    marked.exclude(candidate__document__docno__in=changed).update(text_changed=False)


def _judgments(
    source: JudgedQuery, slots: Sequence[NewSlot], new_key: NewKey
) -> Iterator[NewJudgment]:
    for slot in slots:
        if slot.docno in source.judgments:
            judgment = source.judgments[slot.docno][slot.number - 1]
            yield NewJudgment(
                slot=slot.pk,
                annotator=slot.annotator_id,
                grade=judgment.grade,
                reason=judgment.reason,
                presentation_digest=judgment.presentation_digest or slot.presentation_digest,
                guideline_version=judgment.guideline_version or source.guideline.version,
                key=new_key("judgment", slot.docno, slot.number).hex,
                sequence=judgment.sequence,
                seconds=judgment.seconds,
                aspects=None if judgment.aspects is None else json.dumps(judgment.aspects),
            )
