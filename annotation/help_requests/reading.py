"""Reads what judges see of help requests: their own, and answers for all judges of a facet."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q

from accounts.models import Collection, User
from annotation.models import HelpReading, HelpRequest, HelpRequestQuerySet, SlotCount
from corpus.models import Query


def has_help(user: User) -> Exists:
    """Of a query: there is a help request of the user, or an answer for all, in its facet.

    With the query, so that pages of collections without help requests ask for nothing more.
    """
    return Exists(HelpRequest.objects.visible_to(user).filter(facet=OuterRef("facet")))


def may_have_help(query: Query) -> bool:
    """Return what `has_help` says, or True for a query that was read without it."""
    return bool(getattr(query, "has_help", True))


def help_of_pairs(query: Query, user: User, tokens: Iterable[str]) -> dict[str, list[HelpRequest]]:
    """The user's own requests about these pairs of the query, by token, the newest first.

    By the token, not by the pair: a repeat must not tell that its pair was seen before.
    """
    found: dict[str, list[HelpRequest]] = {}
    own = HelpRequest.objects.filter(asker=user, pair__query=query, token__in=list(tokens))
    for request in own:
        found.setdefault(request.token, []).append(request)
    return found


def news_of_facet(query: Query, user: User) -> list[HelpRequest]:
    """Unread answers about the facet as a whole: for all judges, or on the own question."""
    of_facet = Q(for_all=True) | Q(pair=None)
    rows = HelpRequest.objects.unread_by(user).filter(of_facet, facet=query.facet_id)
    return list(rows.order_by("answered_at", "pk"))


def unread_answers(user: User) -> HelpRequestQuerySet:
    """The answers of all collections that `requests_for` lists and the user has not read."""
    judged_facets = SlotCount.objects.filter(annotator=user).values("query__facet")
    return HelpRequest.objects.unread_by(user).filter(Q(asker=user) | Q(facet__in=judged_facets))


def requests_for(collection: Collection, user: User) -> HelpRequestQuerySet:
    """The rows of the judge's list, the latest first: own requests, and answers for all.

    Answers for all are those of facets in which the person judges. `is_read` says whether the
    person marked the answer as read.
    """
    judged_facets = SlotCount.objects.filter(annotator=user, query__collection=collection)
    readings = HelpReading.objects.filter(request=OuterRef("pk"), reader=user)
    return (
        HelpRequest.objects.of(collection)
        .filter(Q(asker=user) | Q(for_all=True, facet__in=judged_facets.values("query__facet")))
        .select_related("facet", "pair__query__facet", "pair__candidate__document")
        .prefetch_related("examples__guideline")
        .annotate(is_read=Exists(readings))
    )
