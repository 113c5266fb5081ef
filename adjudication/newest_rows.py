"""The newest rows that judges wrote, as a cheap mark of change."""

from __future__ import annotations

from django.db.models import Max

from adjudication.models import Decision, Referral
from annotation.models import Judgment


def newest_rows() -> tuple[int | None, int | None, int | None]:
    """Ids of the newest judgment, decision and referral of all collections. Three index reads."""
    return (
        Judgment.objects.aggregate(newest=Max("pk"))["newest"],
        Decision.objects.aggregate(newest=Max("pk"))["newest"],
        Referral.objects.aggregate(newest=Max("pk"))["newest"],
    )
