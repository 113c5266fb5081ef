"""The rows about people in this room."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext_noop

from accounts.personal_data.registry import register_rows

OF_SET = ("kind=practice_set__kind", "number=practice_set__number")

register_rows(
    "practice_judgments",
    gettext_noop("Judgments in pilot rounds and training."),
    *("collection=pair__practice_set__collection__slug", "kind=pair__practice_set__kind"),
    *("number=pair__practice_set__number", "query=pair__query__name"),
    *("candidate=pair__document__title", "sequence", "grade", "reason", "note", "seconds"),
    "created_at",
    model="practice.PracticeJudgment",
    people=["annotator"],
    private=Q(pair__practice_set__closed_at=None),
)
register_rows(
    "practice_sets",
    gettext_noop("The pilot rounds and training sets in which the person takes part."),
    *("collection=practice_set__collection__slug", *OF_SET, "added_at", "finished_at"),
    model="practice.PracticeMember",
    people=["annotator"],
)
register_rows(
    "training_results",
    gettext_noop("The results of the person in training."),
    *("collection=member__practice_set__collection__slug", "number=member__practice_set__number"),
    *("pairs", "graded", "rho", "undefined", "threshold", "passed", "created_at"),
    model="practice.TrainingResult",
    people=["member__annotator"],
)
register_rows(
    "practice_sets_made",
    gettext_noop("The pilot rounds and training sets that the person made."),
    *("collection=collection__slug", "kind", "number", "created_at"),
    model="practice.PracticeSet",
    people=["created_by"],
)
