"""The rows about people in this room."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from accounts.personal_data.registry import register_rows

COLLECTION = "collection=collection__slug"

register_rows(
    "pool_builds",
    gettext_noop("The builds of pools that the person requested."),
    *(COLLECTION, "created_at"),
    model="pooling.PoolBuild",
    people=["built_by"],
)
register_rows(
    "pool_rounds",
    gettext_noop("The pool rounds that the person added."),
    *(COLLECTION, "number", "reason", "made_at"),
    model="pooling.PoolRound",
    people=["made_by"],
)
register_rows(
    "last_pool_plans",
    gettext_noop("The last plans of pools, if the person saved them."),
    *(COLLECTION, "saved_at"),
    model="pooling.LastPlan",
    people=["saved_by"],
)
register_rows(
    "saved_pool_plans",
    gettext_noop("The plans of pools that the person saved under a name."),
    *(COLLECTION, "name", "saved_at"),
    model="pooling.SavedPlan",
    people=["saved_by"],
)
