"""The counts that triggers keep, and the same counts from the rows themselves."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import F

from adjudication.models import Case, CaseCount, Decision, DueCount, SpotCheckCount
from annotation.models import Judgment, Pair, PairCount, Slot, SlotCount


def kept_counts() -> dict[str, dict]:
    pairs = PairCount.objects.values_list("query", "total", "judged", "disputed")
    slots = SlotCount.objects.values_list(
        "query", "number", "annotator", "total", "judged", "postponed", "ungraded", "latest_at"
    )
    cases = CaseCount.objects.values_list("query", "settled", "decisions")
    return {
        "pairs": {query: counts for query, *counts in pairs},
        "slots": {tuple(row[:3]): list(row[3:]) for row in slots if row[3]},
        "cases": {query: counts for query, *counts in cases},
        "due": {(row.query_id, row.difference): row.due for row in DueCount.objects.exclude(due=0)},
        "spot checks": dict(SpotCheckCount.objects.exclude(due=0).values_list("query", "due")),
    }


def recounted() -> dict[str, dict]:
    settled = Counter(Case.objects.decided().values_list("query", flat=True))
    decisions = Counter(Decision.objects.values_list("pair__query", flat=True))
    return {
        "pairs": _counted_pairs(),
        "slots": _counted_slots(),
        "cases": {query: [settled[query], number] for query, number in decisions.items()},
        "due": dict(Counter(Case.objects.due().values_list("query", "difference"))),
        "spot checks": dict(Counter(_due_spot_checks())),
    }


def _due_spot_checks() -> list[int]:
    """The query of each."""
    agreed = Case.objects.waiting().filter(first_grade=F("second_grade"), referral_count=0)
    return list(agreed.values_list("query", flat=True))


def _counted_pairs() -> dict[int, list[int]]:
    total = Counter(Pair.objects.values_list("query", flat=True))
    judged = Counter(Pair.objects.judged().values_list("query", flat=True))
    disputed = Counter(Pair.objects.disputed().values_list("query", flat=True))
    return {query: [total[query], judged[query], disputed[query]] for query in total}


def _counted_slots() -> dict[tuple[int, int, int], list]:
    counts: dict[tuple[int, int, int], list] = {}
    # Also those from before a pair was opened again.
    latest: dict[tuple[int, int, int], datetime] = {}
    for judgment in Judgment.objects.select_related("slot__pair").order_by("created_at"):
        slot = judgment.slot
        latest[slot.pair.query_id, slot.number, judgment.annotator_id] = judgment.created_at
    for slot in Slot.objects.select_related("pair", "judgment"):
        judgment = slot.judgment
        key = (slot.pair.query_id, slot.number, slot.annotator_id)
        row = counts.setdefault(key, [0, 0, 0, 0, latest.get(key)])
        row[0] += 1
        row[1] += judgment is not None
        row[2] += judgment is None and slot.postponed_at is not None
        row[3] += judgment is not None and judgment.grade is None
    return counts
