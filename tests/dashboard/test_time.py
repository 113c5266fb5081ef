"""Active seconds by person and week."""

from __future__ import annotations

import csv
import io
import uuid
from collections import Counter
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from annotation.models import Judgment, Slot
from tests import builders

pytestmark = pytest.mark.django_db

# Nights at which an ISO year and a calendar year differ, and a week of 53.
DAYS = ["2024-12-29", "2024-12-30", "2025-01-05", "2026-12-31", "2027-01-03", "2027-01-04"]
SECONDS = [12.5, 600.0, 3_000.0, None, 0.0, 7.25]


def test_weeks_and_sums_are_those_of_the_calendar(query, people, as_):
    expected, number = Counter(), Counter()
    slots = Slot.objects.filter(judge=people.ann).select_related("pair")
    for slot, day, seconds in zip(slots, DAYS, SECONDS, strict=False):
        for at in (datetime.fromisoformat(day).replace(tzinfo=UTC), datetime.fromisoformat(f"{day}T23:59:59+00:00")):
            values = {"collection": query.collection, "slot": slot, "judge": people.ann, "digest": "", "grade": 1}
            Judgment.objects.create(**values, key=uuid.uuid4(), seconds=seconds, created_at=at)
            year, week, _ = at.isocalendar()
            expected[f"{year}-W{week:02}"] += min(seconds or 0.0, 600.0)
            number[f"{year}-W{week:02}"] += 1
    answer = as_("admin").get(reverse("time", args=[query.collection.slug]), {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert {row["week"]: (float(row["seconds"]), int(row["judgments"])) for row in rows} == {
        week: (round(expected[week]), number[week]) for week in number
    }
    assert [row["week"] for row in rows] == sorted(number, reverse=True)


def test_judgments_and_decisions_of_one_person_are_one_row(query, people, as_):
    pair = query.pairs.order_by("pk").first()
    builders.judge(pair, people.ann, 1, seconds=5.0)
    builders.judge(pair, people.ann, 2, seconds=4.0)
    builders.judge(pair, people.bob, 1, seconds=3.0)
    builders.decide(pair, people.ada, 1, seconds=9.0)
    page = as_("admin").get(reverse("time", args=[query.collection.slug]))
    found = {row["person"]: (row["judgments"], row["decisions"], row["seconds"]) for row in page.context["table"].rows}
    assert found == {"ann": (2, 0, 9.0), "bob": (1, 0, 3.0), "ada": (0, 1, 9.0)}
    assert page.context["total"] == 21.0
    only = as_("admin").get(reverse("time", args=[query.collection.slug]), {"user": people.ada.pk})
    assert [row["person"] for row in only.context["table"].rows] == ["ada"]
