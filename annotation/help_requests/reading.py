"""Reads what judges and adjudicators see: own requests, and answers for all of a facet."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q

from accounts.models import Collection, Membership, Role, User
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
    for request in own.filter(from_case=False):
        found.setdefault(request.token, []).append(request)
    return found


def asked_from_case(user: User) -> Exists:
    """Of a pair: the user asked the admin about it as an adjudicator."""
    return Exists(HelpRequest.objects.filter(asker=user, from_case=True, pair=OuterRef("pk")))


def help_of_case(pair_id: int, user: User) -> list[HelpRequest]:
    """The adjudicator's own requests about the case, the newest first."""
    return list(HelpRequest.objects.filter(asker=user, from_case=True, pair=pair_id))


def news_of_facet(query: Query, user: User) -> list[HelpRequest]:
    """Unread answers about the facet as a whole: for all judges, or on the own question."""
    of_facet = Q(for_all=True) | Q(pair=None)
    rows = HelpRequest.objects.unread_by(user).filter(of_facet, facet=query.facet_id)
    return list(rows.order_by("answered_at", "pk"))


def _is_listed(user: User) -> Q:
    """Own requests, and answers for all in facets that the user judges or adjudicates."""
    judged = SlotCount.objects.filter(annotator=user)
    decided = Membership.objects.filter(user=user, role=Role.ADJUDICATOR)
    own_facets = Q(facet__in=judged.values("query__facet"))
    own_facets |= Q(facet__collection__in=decided.values("collection"))
    return Q(asker=user) | Q(own_facets, for_all=True)


def unread_answers(user: User) -> HelpRequestQuerySet:
    """The answers of all collections that `requests_for` lists and the user has not read."""
    return HelpRequest.objects.unread_by(user).filter(_is_listed(user))


def requests_for(collection: Collection, user: User) -> HelpRequestQuerySet:
    """The rows of the person's list, the latest first: own requests, and answers for all.

    `is_read` says whether the person marked the answer as read.
    """
    readings = HelpReading.objects.filter(request=OuterRef("pk"), reader=user)
    return (
        HelpRequest.objects.of(collection)
        .filter(_is_listed(user))
        .select_related("facet", "pair__query__facet", "pair__candidate__document")
        .prefetch_related("examples__guideline")
        .annotate(is_read=Exists(readings))
    )
