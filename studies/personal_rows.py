"""The rows about people in this room."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext_noop

from accounts.personal_data.registry import register_rows

STUDY = "study_pair__study"

register_rows(
    "full_text_ratings",
    gettext_noop("Grades of full texts."),
    *(f"collection={STUDY}__collection__slug", f"study={STUDY}__name"),
    *("query=study_pair__pair__query__name",),
    *("candidate=study_pair__pair__candidate__document__title", "sequence", "grade", "reason"),
    *("note", "seconds", "created_at"),
    model="studies.StudyRating",
    people=["study_pair__study__rater"],
    private=Q(study_pair__study__ended_at=None),
)
register_rows(
    "full_text_studies",
    gettext_noop("The full-text studies in which the person rates."),
    *("collection=collection__slug", "name", "created_at", "ended_at"),
    model="studies.Study",
    people=["rater"],
)
register_rows(
    "full_text_studies_made",
    gettext_noop("The full-text studies that the person made."),
    *("collection=collection__slug", "name", "created_at"),
    model="studies.Study",
    people=["created_by"],
)
