"""The events of a query, the newest first. No event tells a grade."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from accounts.models import User
from adjudication.models import Decision, Recipient, Referral
from annotation.models import GuidelineChange, Opening
from corpus.models import Query
from pooling.models import Pool

LONG_TEXTS = ("instructions", "grades")  # of a guideline
RECIPIENTS = {
    Recipient.ADJUDICATOR: "sent to the adjudicator",
    Recipient.JUDGES: "opened again for two judges",
}


class QueryEvent(NamedTuple):
    """An event, with its document and its person; both may be missing."""

    time: datetime
    text: str
    docno: str = ""
    person: User | None = None
    detail: str = ""


def events_of(query: Query, pool: Pool | None, opening: Opening | None) -> list[QueryEvent]:
    """In three database queries. Pool and opening come with their builder and opener."""
    events = []
    if pool is not None:
        build = pool.build
        events.append(QueryEvent(build.created_at, "pool built", person=build.built_by))
        if pool.frozen_at:
            events.append(QueryEvent(pool.frozen_at, "pool frozen"))
    if opening is not None:
        changes = _guideline_changes(opening)
        first = changes[0].earlier if changes else opening.guideline
        events.append(
            QueryEvent(
                opening.opened_at,
                "opened for judging",
                person=opening.opened_by,
                detail=f"guideline {first.version}",
            )
        )
        rounds = [1, *(change.round for change in changes)]
        events += map(_change_event, changes, rounds)
        events += [*_referrals(query), *_decisions(query)]
    return sorted(events, key=lambda event: event.time, reverse=True)


def _guideline_changes(opening: Opening) -> list[GuidelineChange]:
    rows = opening.guideline_changes.select_related("earlier", "guideline", "made_by")
    texts = (f"{side}__{part}" for side in ("earlier", "guideline") for part in LONG_TEXTS)
    return list(rows.defer(*texts))


def _change_event(change: GuidelineChange, earlier_round: int) -> QueryEvent:
    is_round = change.round > earlier_round
    return QueryEvent(
        change.made_at,
        "opened for another round" if is_round else "guideline changed",
        person=change.made_by,
        detail=f"guideline {change.guideline.version}: {change.reason}",
    )


def _referrals(query: Query) -> list[QueryEvent]:
    rows = Referral.objects.filter(pair__query=query).select_related(
        "pair__candidate__document", "referred_by"
    )
    rows = rows.only(
        *("recipient", "reason", "created_at", "pair__candidate__document__docno"),
        *("referred_by__username", "referred_by__first_name", "referred_by__last_name"),
    )
    return [
        QueryEvent(
            referral.created_at,
            RECIPIENTS[Recipient(referral.recipient)],
            referral.pair.candidate.document.docno,
            referral.referred_by,
            referral.reason,
        )
        for referral in rows
    ]


def _decisions(query: Query) -> list[QueryEvent]:
    rows = Decision.objects.filter(pair__query=query).select_related(
        "pair__candidate__document", "adjudicator"
    )
    rows = rows.only(
        *("sequence", "created_at", "pair__candidate__document__docno"),
        *("adjudicator__username", "adjudicator__first_name", "adjudicator__last_name"),
    )
    return [
        QueryEvent(
            decision.created_at,
            "decided" if decision.sequence == 1 else "decided again",
            decision.pair.candidate.document.docno,
            decision.adjudicator,
        )
        for decision in rows
    ]
