"""The rows about people in this room."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from accounts.personal_data.registry import register_rows

register_rows(
    "screenings",
    gettext_noop("The papers that the person screened."),
    *("collection=paper__sample__collection__slug", "sample=paper__sample__name"),
    *("paper=paper__document__title", "paper_type=paper_type__name", "facets", "rating"),
    *("reason", "screened_at"),
    model="curation.Screening",
    people=["screener"],
)
register_rows(
    "labels_checked",
    gettext_noop("The documents whose sentence labels the person checked."),
    *("collection=collection__slug", "document=document__title", "checked_at"),
    model="curation.LabelRecord",
    people=["checked_by"],
)
register_rows(
    "samples_drawn",
    gettext_noop("The samples of papers that the person drew."),
    *("collection=collection__slug", "name", "created_at"),
    model="curation.Sample",
    people=["created_by"],
)
register_rows(
    "query_choices",
    gettext_noop("The choices of queries that the person computed."),
    *("collection=collection__slug", "created_at", "applied_at"),
    model="curation.QueryChoice",
    people=["created_by"],
)
