"""The fields about a stored report that each answer of the API with one has."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from reports.models import StoredReport
from reports.services import changed_since


class StoredReportAnswer(serializers.Serializer[Any]):
    computed_at = serializers.DateTimeField()
    up_to_date = serializers.BooleanField()
    changed = serializers.CharField(
        help_text="What changed since it was computed, as in “the labels”."
    )


def freshness(report: StoredReport) -> dict[str, object]:
    """The values of these fields."""
    changed = changed_since(report)
    return {"computed_at": report.computed_at, "up_to_date": not changed, "changed": changed}
