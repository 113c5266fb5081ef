"""The hours of people by week: sums of active time, everybody's for admins, else one's own."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from adjudication.models import Decision
from annotation.models import Judgment
from dashboard.people.timesheet import name_of_week, week_named
from tests.support.factories import a_collection, an_open_query
from tests.support.rules import rule_suspended
from tests.support.sittings import judge, judge_both, rate, settle, slots_of, with_rules
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

WEEK = timezone.make_aware(datetime(2026, 2, 9))  # a Monday


@once_a_file
def collection():
    opening = an_open_query(a_collection(), size=3)
    mine, theirs = slots_of(opening, "ann1"), slots_of(opening, "ann2")
    for slot, seconds in zip(mine, (1800, 1800, None), strict=True):
        judge(slot, 1, seconds=seconds)
    judge(mine[0], 2, seconds=900)  # a revision
    same, other, _ = sorted(theirs, key=lambda slot: slot.pair_id != mine[1].pair_id)
    judge(same, 3, seconds=900)
    judge(other, 3, seconds=1)
    settle(mine[1], User.objects.get(username="adju"), 2, seconds=720)
    with (
        rule_suspended("annotation_judgment_never_edited", "annotation_judgment"),
        rule_suspended("adjudication_decision_never_edited", "adjudication_decision"),
    ):
        Judgment.objects.update(created_at=WEEK + timedelta(hours=1))
        Judgment.objects.filter(seconds=1).update(created_at=WEEK + timedelta(days=7))
        Decision.objects.update(created_at=WEEK + timedelta(hours=1))
    return opening.query.collection


def asked(username, week="2026-W07", **more):
    page = reverse("timesheet", args=["small"])
    return client_of(username).get(page, {"week": week, **more})


def hours_of(username, week="2026-W07"):
    rows = csv.DictReader(StringIO(asked(username, week, format="csv").getvalue().decode()))
    columns = ("username", "kind", "answers", "hours", "per_hour")
    return [tuple(row[column] for column in columns) for row in rows]


def test_blind_grades_are_counted_by_themselves(collection):
    opening = an_open_query(with_rules(collection, grades_blind_first=True), size=1)
    slot, *_ = judge_both(opening, (0, 3))
    rate(slot, User.objects.get(username="adju"), 2, seconds=360)

    week = name_of_week(timezone.localdate())
    assert hours_of("adju", week) == [("adju", "blind grades", "1", "0.1", "10.0")]


def test_an_admin_has_the_hours_of_everybody_in_the_week(collection):
    assert hours_of("admin") == [
        ("adju", "decisions", "1", "0.2", "5.0"),
        ("ann1", "judgments", "4", "1.25", "2.4"),
        ("ann2", "judgments", "1", "0.25", "4.0"),
    ]
    assert hours_of("admin", "2026-W08") == [("ann2", "judgments", "1", "0.0", "3600.0")]
    assert hours_of("admin", "2026-W06") == []


@pytest.mark.parametrize("username", ["ann1", "ann2", "adju"])
def test_others_have_their_own_hours_only(collection, username):
    assert {row[0] for row in hours_of(username)} == {username}
    page = asked(username).text
    assert "Your hours" in page
    assert not [other for other in {"ann1", "ann2", "adju"} - {username} if other in page]


def test_an_empty_week_says_so(collection):
    for username in ("admin", "ann1"):
        assert "There are no answers in this week." in asked(username, "2026-W06").text


def test_weeks_are_named_as_in_iso_8601_and_others_are_refused(collection):
    for name in ("2020-W53", "2021-W01", "2026-W07"):
        assert name_of_week(week_named(name)) == name
    assert week_named("").weekday() == 0
    for wrong in ("2021-W53", "2026-07", "x", "2026-W00"):
        assert asked("ann1", wrong).status_code == 400
