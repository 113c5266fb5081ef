"""Everything that is stored about a person, for themselves: their own words and acts, nobody else's."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.db.models import Q, QuerySet

from accounts.models import Action, Token, User
from accounts.record import factors_of
from adjudication.models import Decision, Reopening
from annotation.models import Guideline, Judgment
from corpus.models import Screening
from jobs.models import Job

IN_COLLECTION = {"collection": "collection__slug"}
GUIDELINE = ("facet", "version", "text", "grades", "change", "created_at")
OF_JUDGMENT = {
    "collection": "collection__slug",
    "query": "slot__pair__query__name",
    "document": "slot__pair__document__docno",
}
OF_SCREENING = {"collection": "document__collection__slug", "document": "document__docno"}
OF_DECISION = {"collection": "collection__slug", "query": "pair__query__name", "document": "pair__document__docno"}


def own_data(person: User) -> dict[str, Any]:
    """All judgments, also superseded ones, and all decisions. Of pairs it has no state and no label."""
    account = ("username", "name", "email", "date_joined", "last_login", "erasure_asked_at")
    judgments = Judgment.objects.filter(judge=person).order_by("pk")
    decisions = Decision.objects.filter(adjudicator=person).order_by("pk")
    actions = Action.objects.filter(Q(actor=person) | Q(about=person)).select_related("collection").order_by("pk")
    return {
        "account": {field: getattr(person, field) for field in account},
        "addresses": rows(EmailAddress.objects.filter(user=person), "email", "verified"),
        "second_factors": factors_of(person),
        "single_sign_on": rows(SocialAccount.objects.filter(user=person), "provider", "uid", "extra_data"),
        "tokens": rows(Token.objects.filter(user=person), "name", "created", "expiry"),
        "memberships": [
            {
                "collection": each.collection.slug,
                "roles": each.roles,
                "joined_at": each.joined_at,
                "left_at": each.left_at,
            }
            for each in person.memberships.select_related("collection")
        ],
        "judgments": rows(judgments, "grade", "reason", "note", "seconds", "created_at", **OF_JUDGMENT),
        "decisions": rows(decisions, "grade", "note", "seconds", "created_at", **OF_DECISION),
        "screenings": rows(Screening.objects.filter(screener=person), "kind", "ratings", **OF_SCREENING),
        "guidelines": rows(Guideline.objects.filter(created_by=person), *GUIDELINE, **IN_COLLECTION),
        "reopenings": rows(Reopening.objects.filter(admin=person), "reason", "created_at", **OF_DECISION),
        "jobs": rows(Job.objects.filter(requested_by=person), "kind", "parameters", "created_at", **IN_COLLECTION),
        "actions": [
            {
                "collection": each.collection.slug if each.collection else "",
                "by_you": each.actor_id == person.pk,
                "what": each.did,
                "about": each.object,
                "details": each.details,
                "at": each.at,
            }
            for each in actions
        ],
    }


def rows(found: QuerySet[Any], *fields: str, **named: str) -> list[dict[str, Any]]:
    """The values of fields, and of columns under other names."""
    names = [*named, *fields]
    return [dict(zip(names, values, strict=True)) for values in found.values_list(*named.values(), *fields)]
