"""The rows about people in this room."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from accounts.personal_data.registry import register_rows

register_rows(
    "jobs",
    gettext_noop("The jobs that the person requested."),
    *("collection=collection__slug", "kind", "state", "created_at", "finished_at"),
    model="jobs.Job",
    people=["requested_by"],
)
