"""Reads what the judging pages show: only the rows of the annotator who asks."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Exists, F, Max, OuterRef, Sum

from accounts.models import Collection, User
from annotation.aspects import Aspect, aspects_of, aspects_text
from annotation.models import Judgment, Reason, Slot, SlotCount, SlotQuerySet
from annotation.presentation import ShownText
from annotation.services import CandidateText, presentation_with, shown_query
from annotation.slot_sql import count_progress, find_own_slot
from corpus.models import SOURCES, DocumentText, Query, title_of

RECENT = 40
PAIRS_AHEAD = 60  # in one response at most; a query has about as many


class SlotProgress(NamedTuple):
    """An annotator's progress with a query: counts of his or her own slots."""

    total: int
    judged: int
    postponed: int
    ungraded: int

    @property
    def remaining(self) -> int:
        return self.total - self.judged

    @property
    def finished(self) -> bool:
        return self.remaining == 0


@dataclass(frozen=True)
class Pace:
    """Seconds per pair: the median of the annotator's recent judgments, or the planned value."""

    recent: tuple[float, ...]
    planned: float

    @property
    def measured(self) -> bool:
        return bool(self.recent)

    @property
    def seconds(self) -> float:
        return median(self.recent) if self.recent else self.planned

    def minutes(self, pairs: int) -> int:
        """Whole minutes for that many pairs, rounded up."""
        return minutes_of(pairs, self.seconds)


def minutes_of(pairs: int, seconds: float) -> int:
    """Whole minutes for that many pairs, rounded up. Every page that shows a time left calls it."""
    return -int(-pairs * seconds // 60)


def rough_time(minutes: int) -> str:
    """The minutes in words: in whole hours from 90 minutes on."""
    return f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} hours"


class QueryProgress(NamedTuple):
    """A query of the annotator, with progress and minutes left. `facet` is the facet's key."""

    pk: int
    name: str
    query_paper: str
    title: str
    facet: str
    facet_name: str
    progress: SlotProgress
    minutes_left: int


@dataclass(frozen=True)
class ShownPair:
    """A pair ready to be shown: its text, and the values that its answer must carry.

    `judgment_key` names the judgment that the page shows, `key` the one that it will make.
    """

    token: str
    query: ShownText
    candidate: ShownText
    presentation: str
    judgment_key: uuid.UUID | None
    postponed: bool
    judged: bool
    grade: int | None
    reason: str
    reason_text: str
    note: str
    aspects: tuple[int, ...] = ()
    key: uuid.UUID = field(default_factory=uuid.uuid4)


class OwnSlot(NamedTuple):
    """Ids of one of the annotator's slots and of its query."""

    pk: int
    query: int


class OwnJudgment(NamedTuple):
    """A line in the annotator's list of own judgments."""

    token: str
    title: str
    grade: int | None
    reason: str
    note: str
    aspects: list[int] | None = None
    aspect_names: Sequence[str] = ()

    @property
    def reason_text(self) -> str:
        return Reason(self.reason).label if self.reason else ""

    @property
    def about(self) -> str:
        """The marked aspects in words; "" without marks."""
        return aspects_text(self.aspects or (), self.aspect_names)


def own_queries(collection: Collection, user: User, pace: Pace) -> list[QueryProgress]:
    """The annotator's queries: first the query judged last, the rest as they were opened.

    Both judges of a query have this order, so they meet the same queries first. It does not depend
    on what the other one has judged. `sharing.judging_order` makes it. One statement and no row
    objects, because this is the page that annotators wait for most often.
    """
    paper = "query__query_paper"
    rows = (
        SlotCount.objects.filter(query__collection=collection, annotator=user)
        .values_list(
            "query",
            "query__name",
            f"{paper}__name",
            title_of(paper),
            "query__facet__key",
            "query__facet__name",
        )
        .annotate(*map(Sum, SlotProgress._fields), judged_last=Max("latest_at"))
        .filter(total__sum__gt=0)
        .order_by(F("judged_last").desc(nulls_last=True), "query__opening__pk")
    )
    found = []
    for pk, name, query_paper, title, facet, facet_name, *counts, _ in rows:
        progress = SlotProgress(*counts)
        minutes = pace.minutes(progress.remaining)
        found.append(
            QueryProgress(pk, name, query_paper, title, facet, facet_name, progress, minutes)
        )
    return found


def pace(collection: Collection, user: User) -> Pace:
    seconds = (
        Judgment.objects.filter(
            annotator=user, slot__pair__query__collection=collection, seconds__isnull=False
        )
        .order_by("-pk")
        .values_list("seconds", flat=True)[:RECENT]
    )
    timed = [second for second in seconds if second is not None]
    return Pace(recent=tuple(reversed(timed)), planned=collection.seconds_per_judgment)


def own_query(collection: Collection, user: User, name: str) -> Query | None:
    """The query of that name, if the annotator has slots in it; ready for `shown_pair`."""
    mine = Slot.objects.for_annotator(user).filter(pair__query=OuterRef("pk"))
    return (
        collection.queries.filter(Exists(mine), name=name)
        .select_related("facet", "opening__guideline", *SOURCES)
        .first()
    )


def aspects_to_mark(collection: Collection, query: Query, shown: ShownText) -> tuple[Aspect, ...]:
    """The aspects that judges of the query can mark; none in a collection that does not ask."""
    return aspects_of(shown, query.aspect_names) if collection.marks_aspects else ()


def own_slots(query_id: int, user: User) -> SlotQuerySet:
    return Slot.objects.for_annotator(user).filter(pair__query=query_id)


def own_slot(slug: str, user: User, name: str, token: str) -> OwnSlot | None:
    """The slot in that pair of the query of that name, if the user annotates the collection."""
    ids = find_own_slot(slug, user.pk, name, token)
    return OwnSlot._make(ids) if ids else None


def progress_in(query_id: int, user: User) -> SlotProgress:
    return SlotProgress._make(count_progress(query_id, user.pk))


def next_token(query_id: int, user: User) -> str | None:
    """The pair to judge next, or None when all are judged."""
    ordered = own_slots(query_id, user).unjudged().in_judging_order()
    return ordered.values_list("pair__token", flat=True).first()


def token_before(query: Query, user: User, token: str = "") -> str | None:
    """The pair judged last; or, seen from a judged pair, the one judged before it."""
    judged = own_slots(query.pk, user).judged()
    here = judged.filter(pair__token=token).values_list("judgment", flat=True).first()
    if here is not None:
        judged = judged.filter(judgment__lt=here)
    return judged.order_by("-judgment_id").values_list("pair__token", flat=True).first()


def pairs_ahead(
    query: Query, user: User, *, without: Iterable[str] = (), count: int = PAIRS_AHEAD
) -> list[ShownPair]:
    """The next `count` pairs in judging order, without those that the page has already."""
    slots = own_slots(query.pk, user).unjudged().exclude(pair__token__in=list(without))
    return _shown(query, slots.in_judging_order()[:count])


def shown_pair(query: Query, user: User, token: str) -> ShownPair | None:
    slots = own_slots(query.pk, user).filter(pair__token=token)
    return next(iter(_shown(query, slots)), None)


def _shown(query: Query, slots: SlotQuerySet) -> list[ShownPair]:
    """The pairs of these slots. One query, without the documents' other columns."""
    document = "pair__candidate__document__"
    rows = slots.values_list(
        "pair__token",
        "postponed_at",
        *(f"judgment__{column}" for column in ("key", "grade", "reason", "note", "aspects")),
        "pair__candidate",
        *(f"{document}{column}" for column in DocumentText._fields),
    )
    shown = shown_query(query)
    return [_as_shown(query, shown, slot[:7], CandidateText(*slot[7:])) for slot in rows]


def _as_shown(
    query: Query, shown: ShownText, slot: tuple[Any, ...], candidate: CandidateText
) -> ShownPair:
    token, postponed_at, key, grade, reason, note, aspects = slot
    presentation = presentation_with(query, shown, candidate, query.opening.guideline.version)
    return ShownPair(
        token=token,
        query=shown,
        candidate=presentation.candidate,
        presentation=presentation.digest,
        judgment_key=key,
        postponed=postponed_at is not None and key is None,
        judged=key is not None,
        grade=grade,
        reason=reason or "",
        reason_text=Reason(reason).label if reason else "",
        note=note or "",
        aspects=tuple(aspects or ()),
    )


def own_judgments(query: Query, user: User) -> list[OwnJudgment]:
    """All judgments of the annotator on the query, the latest first."""
    rows = (
        own_slots(query.pk, user)
        .judged()
        .order_by("-judgment_id")
        .values_list(
            "pair__token",
            "pair__candidate__document__title",
            "judgment__grade",
            "judgment__reason",
            "judgment__note",
            "judgment__aspects",
        )
    )
    return [OwnJudgment(*row, query.aspect_names) for row in rows]


def minutes_spent(query: Query, user: User) -> int | None:
    """Measured minutes over all the annotator's judgments on the query; None if none was timed."""
    seconds = Judgment.objects.filter(annotator=user, slot__pair__query=query).aggregate(
        spent=Sum("seconds")
    )["spent"]
    return None if seconds is None else round(seconds / 60)
