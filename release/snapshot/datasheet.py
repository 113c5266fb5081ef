"""The answers of the datasheet, the days of the judgments, and groups of annotators."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db.models import Max, Min

from accounts.models import Collection
from annotation.models import Pair
from release.datasheets.current import answers_of, dates_known, published_profiles
from release.records import ReleasedDatasheet

TIMES = ("slot_1__judgment__created_at", "slot_2__judgment__created_at")


def released_datasheet(collection: Collection) -> ReleasedDatasheet:
    known = dates_known(collection)
    first, last = _days(collection) if known else ("", "")
    return ReleasedDatasheet(
        answers=answers_of(collection),
        dates_known=known,
        first_day=first,
        last_day=last,
        annotators=published_profiles(collection),
    )


def _days(collection: Collection) -> tuple[str, str]:
    """The days of the first and the last judgment that a release has, "" if it has none."""
    pairs = Pair.objects.filter(query__collection=collection).judged().order_by()
    times = pairs.aggregate(
        **{f"first_{number}": Min(time) for number, time in enumerate(TIMES)},
        **{f"last_{number}": Max(time) for number, time in enumerate(TIMES)},
    )
    firsts = [time for name, time in times.items() if name.startswith("first") and time]
    lasts = [time for name, time in times.items() if name.startswith("last") and time]
    return (_day(min(firsts)), _day(max(lasts))) if firsts and lasts else ("", "")


def _day(time: datetime) -> str:
    return time.astimezone(UTC).date().isoformat()
