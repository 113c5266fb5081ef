"""Dates for judging: who may set them, and what judges see of them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from accounts.actions.models import RecordedAction
from accounts.models import Role, User
from annotation.deadlines.services import deadlines_of, set_deadlines
from annotation.models import Deadline
from tests.support.api_world import client_of as api_of
from tests.support.factories import a_collection, an_open_query, member
from tests.support.sittings import judge, slots_of
from tests.support.visits import address, client_of, queries_of, text_of

pytestmark = pytest.mark.django_db
API = "/api/v1/collections/small/deadlines/"


def the(username: str) -> User:
    return User.objects.get(username=username)


@pytest.fixture
def collection():
    return a_collection()


def in_days(days: int) -> date:
    return timezone.localdate() + timedelta(days=days)


def test_a_judge_sees_the_own_date_with_no_query_more(collection):
    opening = an_open_query(collection, size=4)
    judge(slots_of(opening, "ann1")[0], 1)
    client, page = client_of("ann1"), address("judge")
    before = queries_of(client, page)
    assert "due" not in text_of(client.get(page))
    set_deadlines(collection=collection, dates={None: in_days(30), the("ann2"): in_days(40)})
    text = text_of(client.get(page))

    assert "You have 3 pairs to judge" in text
    assert f"They are due on {in_days(30):%-d %b %Y}, in 30 days." in text
    assert f"{in_days(40):%-d %b}" not in text
    assert "in 40 days" in text_of(client_of("ann2").get(page))
    assert queries_of(client, page) == before
    overview = client_of("ann1").get(address("collection"))
    assert "in 30 days" in text_of(overview)


@pytest.mark.parametrize(
    ("days", "text"), [(1, "in 1 day."), (0, "They are due today."), (-1, "They were due on")]
)
def test_the_days_until_the_date_are_in_words(collection, days, text):
    an_open_query(collection)
    Deadline.objects.create(collection=collection, due_on=in_days(days))

    assert text in text_of(client_of("ann1").get(address("judge")))


def test_an_admin_sets_and_removes_dates_on_the_page_and_that_is_recorded(collection):
    ann1, client = the("ann1"), client_of("admin")
    values = {"all": f"{in_days(9)}", f"of_{ann1.pk}": f"{in_days(12)}"}
    client.post(address("deadlines"), values)
    assert deadlines_of(collection) == {None: in_days(9), ann1.pk: in_days(12)}
    actions = RecordedAction.objects.filter(kind="settings-changed")
    assert [(each.about, each.details) for each in actions.order_by("pk")] == [
        (None, {"changed": ["deadline"]}),
        (ann1, {"changed": ["deadline"]}),
    ]
    page = client.get(address("deadlines")).text
    assert f'value="{in_days(12)}"' in page

    client.post(address("deadlines"), {"all": "", f"of_{ann1.pk}": f"{in_days(12)}"})
    assert deadlines_of(collection) == {ann1.pk: in_days(12)}
    assert actions.count() == 3


def test_a_date_in_the_past_is_refused_and_one_that_passed_stays(collection):
    client = client_of("admin")
    refused = client.post(address("deadlines"), {"all": f"{in_days(-1)}"})
    assert (refused.status_code, deadlines_of(collection)) == (409, {})
    assert "is in the past. Enter today or a later day." in refused.text
    assert client.post(address("deadlines"), {"all": "soon"}).status_code == 422

    Deadline.objects.create(collection=collection, due_on=in_days(-1))
    ann1 = the("ann1")
    client.post(address("deadlines"), {"all": f"{in_days(-1)}", f"of_{ann1.pk}": f"{in_days(1)}"})
    assert deadlines_of(collection) == {None: in_days(-1), ann1.pk: in_days(1)}


def test_an_owner_annotator_sets_dates_and_sees_no_progress(collection):
    member(collection, Role.OWNER_ANNOTATOR, "owner")
    opening = an_open_query(collection, size=4)
    judge(slots_of(opening, "ann1")[0], 1)
    client = client_of("owner")
    client.post(address("deadlines"), {"all": f"{in_days(9)}"})

    page = text_of(client.get(address("deadlines")))
    assert deadlines_of(collection) == {None: in_days(9)}
    assert "ann1" in page
    assert not any(word in page for word in ("late", "pairs left", "a day", "of 4"))


def test_dates_in_the_api(collection):
    api = api_of("admin")
    own = {"username": "ann1", "due_on": f"{in_days(3)}"}
    dates = {"due_on": f"{in_days(9)}", "annotators": [own]}
    assert api.post(API, dates, format="json").json() == dates
    assert api.get(API).json() == dates
    for body, status, code in (
        ({"due_on": f"{in_days(-3)}"}, 409, "past_deadline"),
        ({"annotators": [{"username": "adju", "due_on": f"{in_days(3)}"}]}, 409, "no_annotator"),
        ({"annotators": [{"username": "nobody", "due_on": None}]}, 400, "invalid"),
        ({"due": None}, 400, "invalid"),
    ):
        refused = api.post(API, body, format="json")
        assert (refused.status_code, refused.json().get("code", "invalid")) == (status, code)
        if code == "no_annotator":
            assert "adju is not an annotator of Small" in refused.json()["detail"]

    kept = api.post(API, {"annotators": [{"username": "ann1", "due_on": None}]}, format="json")
    assert kept.json() == {"due_on": f"{in_days(9)}", "annotators": []}


def test_an_archived_collection_keeps_its_dates(collection):
    type(collection).objects.update(archived_at=timezone.now())
    answer = api_of("admin").post(API, {"due_on": f"{in_days(3)}"}, format="json")

    assert (answer.status_code, deadlines_of(collection)) == (409, {})
