"""The rows about people in this room."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from accounts.personal_data.registry import leave_out, register_rows

register_rows(
    "error_tags",
    gettext_noop("The errors of systems that the person tagged."),
    *("collection=pair__query__collection__slug", "query=pair__query__name"),
    *("candidate=pair__candidate__document__title", "type", "note", "tagged_at"),
    model="evaluation.ErrorTag",
    people=["tagged_by"],
)
register_rows(
    "shadow_judge_imports",
    gettext_noop("The labels of models that the person imported."),
    *("collection=collection__slug", "name", "created_at"),
    model="evaluation.ShadowJudge",
    people=["imported_by"],
)
leave_out("The address of the server of a model.", "evaluation.Asking.address")
