"""The rows about people in this room: the answers of an adjudicator without those of the judges."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_noop

from accounts.personal_data.registry import Fate, register_rows
from adjudication.models import Decision

OF_PAIR = (
    "collection=pair__query__collection__slug",
    "query=pair__query__name",
    "candidate=pair__candidate__document__title",
)
ANSWER = ("grade", "reason", "note", "seconds", "created_at")

register_rows(
    "decisions",
    gettext_noop("The decisions of cases."),
    *(*OF_PAIR, "sequence", *ANSWER),
    model="adjudication.Decision",
    people=["adjudicator"],
)
register_rows(
    "blind_ratings",
    gettext_noop("The grades that the person gave to cases before seeing the two judgments."),
    *(*OF_PAIR, "is_spot_check", *ANSWER),
    model="adjudication.BlindRating",
    people=["adjudicator"],
    private=Q(is_spot_check=False) & ~Q(Exists(Decision.objects.filter(pair=OuterRef("pair")))),
)
register_rows(
    "claims",
    gettext_noop("The cases that the person has open now."),
    *(*OF_PAIR, "claimed_at", "expires_at"),
    model="adjudication.Claim",
    people=["adjudicator"],
    fate=Fate.REMOVED,
)
register_rows(
    "referrals",
    gettext_noop("The pairs that the person had decided again."),
    *(*OF_PAIR, "recipient", "reason", "created_at"),
    model="adjudication.Referral",
    people=["referred_by"],
)
register_rows(
    "judgment_imports",
    gettext_noop("The imports of judgments that the person requested."),
    *("collection=collection__slug", "judgments", "decisions", "created_at"),
    model="adjudication.JudgmentImport",
    people=["imported_by"],
)
