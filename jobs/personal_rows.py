"""The rows about people in this room."""

from __future__ import annotations

from accounts.personal_data.registry import register_rows

register_rows(
    "jobs",
    "The jobs that the person requested.",
    *("collection=collection__slug", "kind", "state", "created_at", "finished_at"),
    model="jobs.Job",
    people=["requested_by"],
)
