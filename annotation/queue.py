"""Reads what the judging pages show: only the rows of the annotator who asks."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum, When
from django.utils.translation import gettext, ngettext

from accounts.models import Collection, User
from annotation.aspects import Aspect, aspects_of, aspects_text
from annotation.deadlines.models import due_on_of
from annotation.help_requests.reading import has_help, help_of_pairs, may_have_help
from annotation.models import (
    HelpRequest,
    Judgment,
    Reason,
    Repeat,
    RepeatJudgment,
    RepeatQuerySet,
    Slot,
    SlotCount,
    SlotQuerySet,
)
from annotation.presentation import Presentation, ShownText
from annotation.repeats.waiting import left_in_order, own_repeats
from annotation.services import CandidateText, presentation_with, shown_query
from annotation.slot_sql import GivenJudgment, OwnSlot, count_progress, find_own_slot
from corpus.models import SOURCES, DocumentText, Query, title_of

RECENT = 40
RECENT_OF_ALL = 1_000  # the time of the first judgments is not that of the next
FEWEST_OF_ALL = 20
LATEST_OF_SERVER = 20_000  # timed judgments among which those of a collection are looked for first
PAIRS_AHEAD = 60  # in one response at most; a query has about as many


class SlotProgress(NamedTuple):
    """An annotator's progress with a query: counts of his or her own slots and repeats.

    Only he or she is told these: what others see of the progress is without repeats.
    """

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
    """Seconds a judgment: the median of recent ones, or the planned value.

    A break does not move a median. Every estimate of hours or minutes of judging is made of it.
    """

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


def shown_aspects(numbers: Iterable[int], names: Sequence[str]) -> str:
    """The aspects in words: "sentence 2", "sentences 2, 5", or their names; "" without any."""
    found = sorted(numbers)
    if names or not found:
        return aspects_text(found, names)
    listed = ", ".join(map(str, found))
    return ngettext("sentence %(numbers)s", "sentences %(numbers)s", len(found)) % {
        "numbers": listed
    }


def rough_time(minutes: int) -> str:
    """The minutes in words: in whole hours from 90 minutes on."""
    return (
        gettext("%(minutes)s min") % {"minutes": minutes}
        if minutes < 90
        else gettext("%(hours)s hours") % {"hours": round(minutes / 60)}
    )


class QueryProgress(NamedTuple):
    """A query of the annotator, with progress and minutes left. `facet` is the facet's key.

    `due_on` is the date for all pairs of the annotator, if there is one.
    """

    pk: int
    name: str
    query_paper: str
    title: str
    facet: str
    facet_name: str
    progress: SlotProgress
    minutes_left: int
    due_on: date | None


@dataclass(frozen=True)
class ShownPair:
    """A pair ready to be shown: its text, and the values that its answer must carry.

    `judgment_key` names the judgment that the page shows, `key` the one that it will make.
    `help_requests` are the person's own about it.
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
    details_alike: bool = False
    proposed: int | None = None  # to this judgment; shown on a page of its own
    help_requests: tuple[HelpRequest, ...] = ()
    key: uuid.UUID = field(default_factory=uuid.uuid4)


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
        return str(Reason(self.reason).label) if self.reason else ""

    @property
    def about(self) -> str:
        """The marked aspects in words; "" without marks."""
        return shown_aspects(self.aspects or (), self.aspect_names)


def own_queries(collection: Collection, user: User, pace: Pace) -> list[QueryProgress]:
    """The annotator's queries: first the query judged last, the rest as they were opened.

    Both judges of a query have this order, so they meet the same queries first. It does not depend
    on what the other one has judged. `sharing.judging_order` makes it. Two statements and no row
    objects, because this is the page that annotators wait for most often.
    """
    repeats = repeat_counts(Repeat.objects.of(collection), user, "query")
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
            due_on_of(user, "query__collection"),
        )
        .annotate(*map(Sum, SlotProgress._fields), judged_last=Max("latest_at"))
        .filter(total__sum__gt=0)
        .order_by(F("judged_last").desc(nulls_last=True), "query__opening__pk")
    )
    found = []
    for pk, name, query_paper, title, facet, facet_name, due_on, *counts, _ in rows:
        progress = SlotProgress(*map(sum, zip(counts, repeats.get(pk, NO_REPEATS), strict=True)))
        minutes = pace.minutes(progress.remaining)
        found.append(
            QueryProgress(
                pk, name, query_paper, title, facet, facet_name, progress, minutes, due_on
            )
        )
    return found


NO_REPEATS = (0,) * len(SlotProgress._fields)


def repeat_counts(repeats: RepeatQuerySet, user: User, by: str) -> dict[int, tuple[int, ...]]:
    """The annotator's repeats of each query or collection, counted as his or her slots are.

    `by` is the lookup of the key.
    """
    rows = (
        repeats.for_annotator(user)
        .shown()
        .order_by()
        .values_list(by)
        .annotate(
            total=Count("pk"),
            judged=Count("judgment"),
            postponed=Count("postponed_at", filter=Q(judgment=None)),
            ungraded=Count("judgment", filter=Q(judgment__grade=None)),
        )
    )
    return {key: tuple(counts) for key, *counts in rows}


def pace(collection: Collection, user: User) -> Pace:
    own = Judgment.objects.filter(annotator=user, slot__pair__query__collection=collection)
    return pace_of(own, collection, RECENT)


def collection_pace(collection: Collection) -> Pace:
    """Of judgments to come, by any annotator, from the latest ones of all."""
    judgments = Judgment.objects.filter(slot__pair__query__collection=collection)
    # To find the latest of a collection, databases read all of its judgments: half a second for
    # 460,000. If enough are among the latest of the server, they are the latest of the collection.
    latest = Judgment.objects.filter(seconds__isnull=False).order_by("-pk")[:LATEST_OF_SERVER]
    recent = judgments.filter(pk__in=latest.values("pk"))
    pace = pace_of(recent, collection, RECENT_OF_ALL, fewest=RECENT_OF_ALL)
    if not pace.measured:
        pace = pace_of(judgments, collection, RECENT_OF_ALL, fewest=FEWEST_OF_ALL)
    return pace


def pace_of(
    judgments: QuerySet[Any], collection: Collection, most: int, *, fewest: int = 1
) -> Pace:
    """From the latest of the judgments that have a time; the planned one if they are fewer."""
    rows = judgments.filter(seconds__isnull=False).order_by("-pk")
    seconds = tuple(rows.values_list("seconds", flat=True)[:most])[::-1]
    return Pace(seconds if len(seconds) >= fewest else (), collection.seconds_per_judgment)


def own_query(collection: Collection, user: User, name: str) -> Query | None:
    """The query of that name, if the annotator has slots in it; ready for `shown_pair`.

    `has_help` says if there are help requests to show in it.
    """
    mine = Slot.objects.for_annotator(user).filter(pair__query=OuterRef("pk"))
    return (
        collection.queries.filter(Exists(mine), name=name)
        .annotate(has_help=has_help(user))
        .select_related("facet", "opening__guideline", *SOURCES)
        .first()
    )


def aspects_to_mark(collection: Collection, query: Query, shown: ShownText) -> tuple[Aspect, ...]:
    """The aspects that judges of the query can mark; none if they are not asked for.

    A query with proposed grades asks for its steps, whatever the collection does.
    """
    asks = collection.marks_aspects or query.opening.proposal_steps is not None
    return aspects_of(shown, query.aspect_names) if asks else ()


def own_slots(query_id: int, user: User) -> SlotQuerySet:
    return Slot.objects.for_annotator(user).filter(pair__query=query_id)


def own_slot(slug: str, user: User, name: str, token: str) -> OwnSlot | None:
    """The slot or repeat of that name in the query, if the user annotates the collection."""
    return find_own_slot(slug, user.pk, name, token)


def progress_in(query_id: int, user: User) -> SlotProgress:
    return SlotProgress._make(count_progress(query_id, user.pk))


def next_token(query_id: int, user: User) -> str | None:
    """The pair to judge next, or None when all are judged."""
    left = left_in_order(query_id, user, count=1)
    if left is not None:
        return left[0].token
    ordered = own_slots(query_id, user).unjudged().in_judging_order()
    return ordered.values_list("pair__token", flat=True).first()


def token_before(query: Query, user: User, token: str = "") -> str | None:
    """The pair judged last; or, seen from a judged pair, the one judged before it."""
    slots, repeats = own_slots(query.pk, user).judged(), own_repeats(query.pk, user).judged()
    found: list[tuple[datetime, str]] = []
    here = _judgment_in(slots.filter(pair__token=token)) or _judgment_in(
        repeats.filter(token=token)
    )
    for rows, name in ((slots, "pair__token"), (repeats, "token")):
        if isinstance(here, rows.model._meta.get_field("judgment").related_model):
            rows = rows.filter(judgment__lt=here)
        elif here is not None:
            rows = rows.filter(judgment__created_at__lt=here.created_at)
        latest = rows.order_by("-judgment_id").values_list("judgment__created_at", name).first()
        found += filter(None, [latest])
    return max(found)[1] if found else None


def _judgment_in(rows: SlotQuerySet | RepeatQuerySet) -> GivenJudgment | None:
    row = rows.select_related("judgment").first()
    return row.judgment if row else None


def pairs_ahead(
    query: Query, user: User, *, without: Iterable[str] = (), count: int = PAIRS_AHEAD
) -> list[ShownPair]:
    """The next `count` pairs in judging order, without those that the page has already."""
    without = set(without)
    left = left_in_order(query.pk, user, without=without, count=count)
    if left is None:
        slots = own_slots(query.pk, user).unjudged().exclude(pair__token__in=list(without))
        return _with_help(query, user, _shown(query, slots.in_judging_order()[:count]))
    # Of the own rows again: some may have been given to another person meanwhile.
    slots = own_slots(query.pk, user).filter(pk__in=[row.pk for row in left if not row.is_repeat])
    repeats = own_repeats(query.pk, user).filter(pk__in=[row.pk for row in left if row.is_repeat])
    shown = {pair.token: pair for pair in (*_shown(query, slots), *_shown(query, repeats))}
    return _with_help(query, user, [shown[row.token] for row in left if row.token in shown])


def shown_pair(query: Query, user: User, token: str) -> ShownPair | None:
    for rows in (
        own_slots(query.pk, user).filter(pair__token=token),
        own_repeats(query.pk, user).filter(token=token),
    ):
        if found := _shown(query, rows):
            return _with_help(query, user, found)[0]
    return None


def _with_help(query: Query, user: User, pairs: list[ShownPair]) -> list[ShownPair]:
    """The pairs with the person's help requests about them, which most queries do not have."""
    if not may_have_help(query):
        return pairs
    found = help_of_pairs(query, user, [pair.token for pair in pairs])
    return [replace(pair, help_requests=tuple(found.get(pair.token, ()))) for pair in pairs]


def _shown(query: Query, slots: SlotQuerySet | RepeatQuerySet) -> list[ShownPair]:
    """The pairs of these slots or repeats. One query, without the documents' other columns."""
    token, pair = _columns(slots)
    rows = slots.values_list(
        token,
        "postponed_at",
        *(f"judgment__{column}" for column in ("key", "grade", "reason", "note", "aspects")),
        *("judgment__details_alike", "judgment__proposed_grade"),
        f"{pair}__candidate",
        *(f"{pair}__candidate__document__{column}" for column in DocumentText._fields),
    )
    shown = shown_query(query)
    return [_as_shown(query, shown, slot[:9], CandidateText(*slot[9:])) for slot in rows]


def _columns(rows: SlotQuerySet | RepeatQuerySet) -> tuple[str, str]:
    """The lookups of a slot's or a repeat's token, and of its pair."""
    return ("token", "slot__pair") if rows.model is Repeat else ("pair__token", "pair")


def _as_shown(
    query: Query, shown: ShownText, slot: tuple[Any, ...], candidate: CandidateText
) -> ShownPair:
    token, postponed_at, *answer, aspects, details_alike, proposed = slot
    presentation = presentation_with(query, shown, candidate, query.opening.guideline.version)
    pair = pair_to_show(
        token, presentation, answer, aspects=aspects or (), is_postponed=postponed_at is not None
    )
    return replace(pair, details_alike=bool(details_alike), proposed=proposed)


def pair_to_show(
    token: str,
    presentation: Presentation,
    answer: Sequence[Any],
    *,
    aspects: Sequence[int] = (),
    is_postponed: bool = False,
) -> ShownPair:
    """The pair with `answer`: key, grade, reason and note, each None if there is none."""
    key, grade, reason, note = answer
    return ShownPair(
        token=token,
        query=presentation.query,
        candidate=presentation.candidate,
        presentation=presentation.digest,
        judgment_key=key,
        postponed=is_postponed and key is None,
        judged=key is not None,
        grade=grade,
        reason=reason or "",
        reason_text=str(Reason(reason).label) if reason else "",
        note=note or "",
        aspects=tuple(aspects),
    )


def own_judgments(query: Query, user: User) -> list[OwnJudgment]:
    """All judgments of the annotator on the query, also of repeats, the latest first."""
    found: list[tuple[Any, ...]] = []
    sources: tuple[SlotQuerySet | RepeatQuerySet, ...] = (
        own_slots(query.pk, user),
        own_repeats(query.pk, user),
    )
    for rows in sources:
        token, pair = _columns(rows)
        found += rows.judged().values_list(
            "judgment__created_at",
            "judgment",
            token,
            f"{pair}__candidate__document__title",
            "judgment__grade",
            "judgment__reason",
            "judgment__note",
            "judgment__aspects",
        )
    found.sort(key=lambda row: row[:2], reverse=True)
    return [OwnJudgment(*row[2:])._replace(aspect_names=query.aspect_names) for row in found]


LISTED = (
    *("query_name", "token", "sequence", "counts", "grade", "reason", "note", "aspects"),
    *("details_alike", "proposed_grade"),
    *("seconds", "presentation_digest", "created_at", "pk"),
)


def listed(judgments: QuerySet[Any]) -> QuerySet[Any, dict[str, Any]]:
    """Judgments, in slots or of repeats, as the API lists them to their author."""
    row = "repeat" if judgments.model is RepeatJudgment else "slot"
    token, pair = ("token", "slot__pair") if row == "repeat" else ("pair__token", "pair")
    found: QuerySet[Any, dict[str, Any]] = judgments.annotate(
        query_name=F(f"{row}__{pair}__query__name"),
        token=F(f"{row}__{token}"),
        counts=Case(When(**{f"{row}__judgment": F("pk")}, then=True), default=False),
    ).values(*LISTED)
    return found


def all_judgments(collection: Collection, user: User) -> QuerySet[Any, dict[str, Any]]:
    """All judgments of the annotator, superseded ones too, the latest first."""
    # An empty slot is of a pair that was opened again, and is to be judged afresh.
    own = Judgment.objects.filter(
        annotator=user, slot__judgment__isnull=False, slot__pair__query__collection=collection
    )
    repeats = Repeat.objects.for_annotator(user).of(collection).shown().judged()
    of_repeats = RepeatJudgment.objects.filter(repeat__in=repeats)
    if not of_repeats.exists():
        return listed(own.order_by("-pk"))
    both = listed(own.order_by()).union(listed(of_repeats.order_by()), all=True)
    return both.order_by("-created_at", "-pk")


def minutes_spent(query: Query, user: User) -> int | None:
    """Measured minutes over all the annotator's judgments on the query; None if none was timed."""
    timed = [
        rows.aggregate(spent=Sum("seconds"))["spent"]
        for rows in (
            Judgment.objects.filter(annotator=user, slot__pair__query=query),
            RepeatJudgment.objects.filter(annotator=user, repeat__query=query),
        )
    ]
    if all(seconds is None for seconds in timed):
        return None
    return round(sum(seconds or 0 for seconds in timed) / 60)
