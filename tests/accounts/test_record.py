"""The record as it is shown: who sees which actions, filters, pages and files."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actions.kinds import ActionKind, ActionWay, SubjectKind
from accounts.actions.models import RecordedAction
from accounts.models import Collection, Role, User
from tests.support.factories import UserFactory, a_collection, member
from tests.support.visits import address, client_of, csv_rows, text_of

pytestmark = pytest.mark.django_db

ADDRESS = "198.51.100.7"
NOW = timezone.now()


def an_action(collection: Collection | None, number: int = 0, **changes) -> RecordedAction:
    values = {
        "at": NOW - timedelta(minutes=number),
        "kind": ActionKind.RELEASE_PUBLISHED,
        "collection": collection,
        "collection_slug": collection.slug if collection else "",
        "person": User.objects.get(username="admin"),
        "subject_kind": SubjectKind.RELEASE,
        "subject_label": f"v{number}",
        "way": ActionWay.PAGE,
        "address": ADDRESS,
        "agent": "Firefox",
    }
    return RecordedAction(**values | changes)


def add(*actions: RecordedAction) -> None:
    RecordedAction.objects.bulk_create(actions)


@pytest.fixture
def staff(db):
    UserFactory(username="root", is_staff=True)
    return client_of("root")


def test_an_admin_sees_the_own_collection_without_addresses(admin, collection):
    add(an_action(collection, 1), an_action(a_collection("other"), 2), an_action(None, 3))
    page = text_of(admin.get(address("record")))
    lines = b"".join(admin.get(address("record"), {"format": "jsonl"}).streaming_content).decode()
    rest = admin.get("/api/v1/collections/small/actions/").text

    for told in (page, lines, rest):
        assert "v1" in told
        assert "v2" not in told
        assert "v3" not in told
        assert ADDRESS not in told
        assert "Firefox" not in told


def test_staff_see_all_with_addresses_but_no_collection_in_which_they_judge(staff, collection):
    other = a_collection("other")
    judged = a_collection("judged")
    member(judged, Role.ANNOTATOR, "root")
    member(other, Role.ADMIN, "root")
    add(*(an_action(each, n) for n, each in enumerate((collection, other, judged, None), start=1)))

    page = text_of(staff.get("/record/"))
    rows = csv_rows(staff.get("/record/", {"format": "csv"}))

    assert ADDRESS in page
    assert not re.search(r"\bv3\b", page)  # a token of a form can contain it
    assert {row["subject"] for row in rows} >= {"v1", "v2", "v4"}
    assert "judged" not in {row["collection"] for row in rows}
    assert ADDRESS in {row["address"] for row in rows}


def test_filters_and_pages_find_the_rows_in_a_fixed_number_of_queries(admin, collection):
    add(*(an_action(collection, number) for number in range(120)))
    mara = UserFactory(username="mara", first_name="Mara Jade")
    add(an_action(collection, 5, person=mara, kind=ActionKind.QUERY_OPENED, subject_label="q7"))
    old = NOW - timedelta(days=40)
    add(an_action(collection, 0, at=old, way=ActionWay.API, subject_label="old"))

    first = admin.get(address("record"))
    older = admin.get(address("record"), {"before": first.context["older"]})
    with CaptureQueriesContext(connection) as captured:
        last = admin.get(address("record"), {"before": older.context["older"]})
    shown = [
        [action.subject_label for action, _ in page.context["rows"]]
        for page in (first, older, last)
    ]

    assert [len(rows) for rows in shown[:2]] == [50, 50]
    assert last.context["older"] is None
    assert len({label for rows in shown for label in rows if label.startswith("v")}) == 120
    assert shown[2][-1] == "old"
    assert len(captured) <= 9

    def found(**filters: str) -> list[str]:
        page = admin.get(address("record"), filters)
        return [action.subject_label for action, _ in page.context["rows"]]

    assert found(person="jade") == found(kind="query-opened") == ["q7"]
    assert found(way="api", until=f"{old:%Y-%m-%d}", since=f"{old:%Y-%m-%d}") == ["old"]
    assert found(person="nemo") == []
    assert len(found(since="never", before="nonsense")) == 50

    address_of_page = "/api/v1/collections/small/actions/?page_size=100&kind=release-published"
    page = admin.get(address_of_page).json()
    rest = admin.get(page["next"]).json()
    assert [len(each["results"]) for each in (page, rest)] == [100, 21]
    assert rest["next"] is None


def test_a_download_is_an_action_and_a_command_lists_the_same(admin, collection):
    add(an_action(collection, 1, details={"pairs": 1200, "judged_again": True}))
    lines = b"".join(admin.get(address("record"), {"format": "jsonl"}).streaming_content)
    admin.get(address("record"), {"format": "jsonl"})
    exported = RecordedAction.objects.filter(kind=ActionKind.RECORD_EXPORTED)
    output, table = StringIO(), StringIO()
    released = "--kind=release-published"

    call_command("list_actions", "small", released, "--format=jsonl", stdout=output)
    call_command("list_server_actions", released, "--limit=1", stdout=table)

    (line,) = output.getvalue().splitlines()
    assert json.loads(line)["details"] == {"pairs": 1200, "judged_again": True}
    assert line in lines.decode().splitlines()
    assert table.getvalue().split("\t")[-1] == "pairs: 1,200 · judged again: yes\n"
    assert [action.details for action in exported] == [{"format": "jsonl"}]
