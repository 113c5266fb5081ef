"""Reads what a member's pages show: only the rows of the member who asks."""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum

from accounts.models import Collection, User
from annotation.models import Guideline
from annotation.queue import (
    PAIRS_AHEAD,
    RECENT,
    OwnJudgment,
    Pace,
    ShownPair,
    SlotProgress,
    pace_of,
    pair_to_show,
)
from annotation.services import CandidateText, presentation_with, shown_query
from corpus.models import SOURCES, Query, title_of
from corpus.ordering import order_key
from practice.models import PracticeJudgment, PracticeMember, PracticePair, PracticeSet
from practice.presentations import guideline_of


class QuerySitting(NamedTuple):
    """A query of a set, with the member's progress in it."""

    pk: int
    name: str
    query_paper: str
    title: str
    facet: str
    facet_name: str
    progress: SlotProgress


@dataclass(frozen=True)
class PracticeQuery:
    """A query of a member's set, ready to be shown."""

    member: PracticeMember
    query: Query
    guideline: Guideline

    @property
    def practice_set(self) -> PracticeSet:
        return self.member.practice_set

    @property
    def pairs(self) -> QuerySet[PracticePair]:
        return self.practice_set.pairs.filter(query=self.query)

    @property
    def judgments(self) -> QuerySet[PracticeJudgment]:
        """Those of the member that count."""
        own = PracticeJudgment.objects.filter(
            annotator=self.member.annotator_id, pair__in=self.pairs
        )
        return own.counting()

    def in_own_order(self) -> list[tuple[str, bool]]:
        """The tokens of the pairs in the member's own order, and whether each is judged."""
        judged = PracticeJudgment.objects.filter(
            pair=OuterRef("pk"), annotator=self.member.annotator_id
        )
        rows = self.pairs.order_by().values_list("token", "document__docno", Exists(judged))
        purpose = _purpose(self.practice_set, self.member.annotator)
        seed, name = self.practice_set.seed, self.query.name
        ordered = sorted(rows, key=lambda row: order_key(seed, purpose, name, row[1]))
        return [(token, is_judged) for token, _, is_judged in ordered]


def _purpose(practice_set: PracticeSet, user: User) -> str:
    return f"{practice_set.name}:{user.username}"


def own_member(collection: Collection, user: User, name: str) -> PracticeMember | None:
    """The person's membership of the set of that name."""
    sets = PracticeSet.objects.filter(collection=collection).named(name)
    members = PracticeMember.objects.filter(practice_set__in=sets, annotator=user)
    return members.select_related("practice_set__collection", "annotator").first()


def own_members(collection: Collection, user: User) -> QuerySet[PracticeMember]:
    """The person's sets, with `total` pairs, and `judged` ones; those in progress first."""
    own = Q(practice_set__pairs__judgments__annotator=F("annotator"))
    return (
        PracticeMember.objects.filter(annotator=user, practice_set__collection=collection)
        .select_related("practice_set")
        .annotate(
            total=Count("practice_set__pairs", distinct=True),
            judged=Count("practice_set__pairs__judgments__pair", filter=own, distinct=True),
        )
        .order_by("practice_set__kind", "practice_set__number")
    )


def sittings(member: PracticeMember) -> list[QuerySitting]:
    """The queries of the set in the member's own order, with progress. One statement."""
    own = Q(judgments__annotator=member.annotator_id)
    rows = (
        member.practice_set.pairs.order_by()
        .values_list(
            "query",
            "query__name",
            "query__query_paper__name",
            title_of("query__query_paper"),
            "query__facet__key",
            "query__facet__name",
        )
        .annotate(
            Count("pk", distinct=True),
            judged=Count("judgments__pair", filter=own, distinct=True),
        )
    )
    found = [
        QuerySitting(
            pk, name, paper, title, facet, facet_name, SlotProgress(total, judged, 0, ungraded=0)
        )
        for pk, name, paper, title, facet, facet_name, total, judged in rows
    ]
    seed = member.practice_set.seed
    purpose = _purpose(member.practice_set, member.annotator)
    return sorted(found, key=lambda sitting: order_key(seed, purpose, sitting.name, ""))


def own_query(member: PracticeMember, name: str) -> PracticeQuery | None:
    """The query of that name in the member's set."""
    queries = Query.objects.filter(practice_pairs__practice_set=member.practice_set, name=name)
    query = queries.select_related("facet", *SOURCES).first()
    if query is None:
        return None
    return PracticeQuery(member, query, guideline_of(member.practice_set, query.facet_id))


def progress_in(own: PracticeQuery) -> SlotProgress:
    judged = own.judgments.aggregate(all=Count("pk"), graded=Count("grade"))
    return SlotProgress(
        total=own.pairs.count(),
        judged=judged["all"],
        postponed=0,
        ungraded=judged["all"] - judged["graded"],
    )


def pace(collection: Collection, user: User) -> Pace:
    """The member's seconds a pair in practice, which tell nothing about live judging."""
    own = PracticeJudgment.objects.filter(annotator=user, pair__practice_set__collection=collection)
    return pace_of(own, collection, RECENT)


def minutes_spent(own: PracticeQuery) -> int | None:
    """Measured minutes over the member's judgments on the query; None if none was timed."""
    seconds = PracticeJudgment.objects.filter(
        annotator=own.member.annotator_id, pair__in=own.pairs
    ).aggregate(spent=Sum("seconds"))["spent"]
    return None if seconds is None else round(seconds / 60)


def next_token(own: PracticeQuery) -> str | None:
    """The pair to judge next, or None if all are judged."""
    return next((token for token, is_judged in own.in_own_order() if not is_judged), None)


def pairs_ahead(
    own: PracticeQuery, *, without: Container[str] = (), count: int = PAIRS_AHEAD
) -> list[ShownPair]:
    """The next `count` pairs to judge, without those that the page has already."""
    left = [
        token for token, is_judged in own.in_own_order() if not is_judged and token not in without
    ]
    return _shown(own, left[:count])


def shown_pair(own: PracticeQuery, token: str) -> ShownPair | None:
    return next(iter(_shown(own, [token])), None)


def _shown(own: PracticeQuery, tokens: Sequence[str]) -> list[ShownPair]:
    """These pairs in this order, each with the member's judgment that counts."""
    columns = ("docno", "title", "sentences", "labels")
    rows = own.pairs.filter(token__in=tokens).values_list(
        "pk", "token", "document", *(f"document__{column}" for column in columns)
    )
    candidates = {token: (pk, CandidateText(*text)) for pk, token, *text in rows}
    answers = {
        pair: answer
        for pair, *answer in own.judgments.filter(pair__token__in=tokens).values_list(
            "pair", "key", "grade", "reason", "note"
        )
    }
    query, shown = own.query, shown_query(own.query)
    return [
        pair_to_show(
            token,
            presentation_with(query, shown, candidate, own.guideline.version),
            answers.get(pk, (None,) * 4),
        )
        for token in tokens
        if token in candidates
        for pk, candidate in [candidates[token]]
    ]


def pair_id(own: PracticeQuery, token: str) -> int | None:
    return own.pairs.filter(token=token).values_list("pk", flat=True).first()


def token_before(own: PracticeQuery, token: str = "") -> str | None:
    """The pair judged last; or, seen from a judged pair, the one judged before it."""
    judged = own.judgments
    here = judged.filter(pair__token=token).aggregate(latest=Max("pk"))["latest"]
    if here is not None:
        judged = judged.filter(pk__lt=here)
    return judged.order_by("-pk").values_list("pair__token", flat=True).first()


def own_judgments(own: PracticeQuery) -> list[OwnJudgment]:
    """All judgments of the member on the query that count, the latest first."""
    rows = own.judgments.order_by("-pk").values_list(
        "pair__token", "pair__document__title", "grade", "reason", "note"
    )
    return [OwnJudgment(*row) for row in rows]


def unread_guidelines(member: PracticeMember) -> Iterable[Guideline]:
    """The later versions of the set's guidelines that the member has not read."""
    versions = Guideline.objects.filter(
        practice_guidelines__practice_set=member.practice_set, version__gt=1
    )
    return versions.exclude(readings__reader=member.annotator).select_related("facet")
