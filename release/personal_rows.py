"""The rows about people in this room."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext_noop

from accounts.models import User
from accounts.personal_data.account_rows import emails_of
from accounts.personal_data.registry import Fate, register_rows

COLLECTION = "collection=collection__slug"
OF_RELEASE = ("collection=release__collection__slug", "version=release__version")


def reported_by(person: User) -> Q:
    """The reports of the account, and those of its emails, which need no account."""
    return Q(reported_by=person) | Q(email__in=emails_of(person))


register_rows(
    "profiles",
    gettext_noop("The statements of the person about himself or herself for datasheets."),
    *(COLLECTION, "expertise", "experience", "degree", "english"),
    model="release.AnnotatorProfile",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "datasheet_answers",
    gettext_noop("The answers in datasheets that the person wrote."),
    *(COLLECTION, "question", "text", "answered_at"),
    model="release.DatasheetAnswer",
    people=["answered_by"],
)
register_rows(
    "errata_reported",
    gettext_noop("The reports of errors by the person, or with an email of the account."),
    *(*OF_RELEASE, "query", "docno", "problem", "email", "network", "reported_at", "answer"),
    model="release.Erratum",
    people=["reported_by"],
    found=reported_by,
    fate=Fate.EMPTIED,
    emptied={"email": "", "network": ""},
)
register_rows(
    "errata_answered",
    gettext_noop("The answers to reports of errors that the person wrote."),
    *(*OF_RELEASE, "query", "docno", "answer", "settled_at"),
    model="release.Erratum",
    people=["settled_by"],
)
register_rows(
    "label_samples",
    gettext_noop("The samples of citation labels that the person drew."),
    *(COLLECTION, "created_at"),
    model="release.LabelSample",
    people=["created_by"],
)
register_rows(
    "releases",
    gettext_noop("The versions that the person published."),
    *(COLLECTION, "version", "published_at"),
    model="release.Release",
    people=["published_by"],
)
register_rows(
    "findings_accepted",
    gettext_noop("The findings of the gate that the person accepted."),
    *(*OF_RELEASE, "check_name", "reason"),
    model="release.ReleaseException",
    people=["accepted_by"],
)
register_rows(
    "releases_made_public",
    gettext_noop("The versions that the person made public."),
    *(*OF_RELEASE, "began_at"),
    model="release.PublicPeriod",
    people=["began_by"],
)
register_rows(
    "releases_made_private",
    gettext_noop("The versions that the person made private."),
    *(*OF_RELEASE, "ended_at"),
    model="release.PublicPeriod",
    people=["ended_by"],
)
