"""What the judging pages show. Reads only, and only what belongs to the annotator who asks."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, Sum

from accounts.models import Collection, User
from annotation.models import Judgment, Reason, Slot, SlotQuerySet
from annotation.presentation import Presentation, ShownText
from annotation.services import presentation_of
from corpus.models import Query
from corpus.ordering import order_key

RECENT = 40
PAIRS_AHEAD = 12


class Progress(NamedTuple):
    """How far one annotator has come with one query: counts of his or her own slots."""

    total: int
    judged: int
    postponed: int
    ungraded: int

    @property
    def left(self) -> int:
        return self.total - self.judged

    @property
    def finished(self) -> bool:
        return self.left == 0


@dataclass(frozen=True)
class Pace:
    """Seconds a pair: the median of the annotator's recent ones, or what was planned."""

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
        return -int(-pairs * self.seconds // 60)


@dataclass(frozen=True)
class Sitting:
    """One query of the annotator's, with progress and minutes left."""

    query: Query
    progress: Progress
    minutes_left: int


@dataclass(frozen=True)
class ShownPair:
    """One pair ready to be shown: its text, and what an answer to it must carry.

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
    key: uuid.UUID = field(default_factory=uuid.uuid4)


class OwnJudgment(NamedTuple):
    """A line of the list of one's own judgments."""

    token: str
    title: str
    grade: int | None
    reason: str
    note: str

    @property
    def reason_text(self) -> str:
        return Reason(self.reason).label if self.reason else ""


def sittings(collection: Collection, user: User) -> list[Sitting]:
    """The annotator's queries: the one judged last comes first, the rest in an own order.

    That order keeps the facets of one paper apart.
    """
    mine = Slot.objects.of(collection).for_annotator(user)
    counted = mine.values_list("pair__query").annotate(latest=Max("judgment"), **_COUNTS)
    latest = {query: last or 0 for query, last, *_ in counted}
    progress = {query: Progress(*counts) for query, _, *counts in counted}
    queries = collection.queries.filter(pk__in=progress).select_related(
        "facet", "query_paper__document"
    )
    own_pace = pace(collection, user)
    found = [
        Sitting(query, progress[query.pk], own_pace.minutes(progress[query.pk].left))
        for query in queries
    ]
    purpose = f"sitting:{user.username}"
    return sorted(
        found,
        key=lambda sitting: (
            -latest[sitting.query.pk],
            order_key(collection.seed, purpose, sitting.query.name, ""),
        ),
    )


_COUNTS: dict[str, Any] = {
    "total": Count("pk"),
    "judged": Count("judgment"),
    "postponed": Count("pk", filter=Q(judgment=None, postponed_at__isnull=False)),
    "ungraded": Count("pk", filter=Q(judgment__isnull=False, judgment__grade=None)),
}


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
        .select_related("facet", "opening__guideline", "query_paper__document")
        .first()
    )


def own_slots(query: Query, user: User) -> SlotQuerySet:
    return Slot.objects.for_annotator(user).filter(pair__query=query)


def own_slot(query: Query, user: User, token: str) -> Slot | None:
    return own_slots(query, user).filter(pair__token=token).first()


def progress_in(query: Query, user: User) -> Progress:
    return Progress(**own_slots(query, user).aggregate(**_COUNTS))


def next_token(query: Query, user: User) -> str | None:
    """The pair to judge next, or None when all are judged."""
    ordered = own_slots(query, user).unjudged().in_judging_order()
    return ordered.values_list("pair__token", flat=True).first()


def token_before(query: Query, user: User, token: str = "") -> str | None:
    """The pair judged last; or, seen from a judged pair, the one judged before it."""
    judged = own_slots(query, user).judged()
    here = judged.filter(pair__token=token).values_list("judgment", flat=True).first()
    if here is not None:
        judged = judged.filter(judgment__lt=here)
    return judged.order_by("-judgment_id").values_list("pair__token", flat=True).first()


def pairs_ahead(query: Query, user: User, *, without: Iterable[str] = ()) -> list[ShownPair]:
    """The next pairs in judging order, but for those that the page holds already."""
    slots = own_slots(query, user).unjudged().exclude(pair__token__in=list(without))
    return _shown(query, slots.in_judging_order())


def shown_pair(query: Query, user: User, token: str) -> ShownPair | None:
    return next(iter(_shown(query, own_slots(query, user).filter(pair__token=token))), None)


def _shown(query: Query, slots: SlotQuerySet) -> list[ShownPair]:
    ready = slots.select_related("pair__candidate__document", "judgment")[:PAIRS_AHEAD]
    return [_as_shown(query, slot) for slot in ready]


def _as_shown(query: Query, slot: Slot) -> ShownPair:
    slot.pair.query = query
    presentation: Presentation = presentation_of(slot.pair, query.opening.guideline.version)
    said = slot.judgment
    return ShownPair(
        token=slot.pair.token,
        query=presentation.query,
        candidate=presentation.candidate,
        presentation=presentation.digest,
        judgment_key=said.key if said else None,
        postponed=slot.postponed_at is not None and said is None,
        judged=said is not None,
        grade=said.grade if said else None,
        reason=said.reason if said else "",
        reason_text=said.get_reason_display() if said and said.reason else "",
        note=said.note if said else "",
    )


def own_judgments(query: Query, user: User) -> list[OwnJudgment]:
    """Everything the annotator said on the query, the latest first."""
    rows = (
        own_slots(query, user)
        .judged()
        .order_by("-judgment_id")
        .values_list(
            "pair__token",
            "pair__candidate__document__title",
            "judgment__grade",
            "judgment__reason",
            "judgment__note",
        )
    )
    return [OwnJudgment(*row) for row in rows]


def minutes_spent(query: Query, user: User) -> int | None:
    """Measured minutes over all the annotator's judgments on the query; None if none was timed."""
    seconds = Judgment.objects.filter(annotator=user, slot__pair__query=query).aggregate(
        spent=Sum("seconds")
    )["spent"]
    return None if seconds is None else round(seconds / 60)
