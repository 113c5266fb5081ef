"""The list of what waits, and the choice of mails, on pages and in the API."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.urls import reverse
from django.utils import timezone

from accounts.models import Role, User
from annotation.models import Collection, HelpReading
from jobs.models import Job
from notices.choices import change_choice, choice_of
from notices.models import Frequency, MailChoice
from notices.waiting import FAILED_DAYS, active_roles, notices_for
from tests.support.api_world import client_of as api_of
from tests.support.factories import a_collection, an_open_query, member
from tests.support.help_scenes import answer, ask_admin
from tests.support.sittings import judge_both, slots_of
from tests.support.visits import address, client_of, text_of

pytestmark = pytest.mark.django_db


def the(username: str) -> User:
    return User.objects.get(username=username)


def waiting(username: str) -> list[tuple[str, str, int]]:
    person = the(username)
    return [
        (each.kind, each.collection.slug, each.number)
        for each in notices_for(person, active_roles(person))
    ]


def test_each_role_is_told_of_its_own_work_in_its_own_collections():
    collection, other = a_collection(), a_collection("other")
    opening = an_open_query(collection, size=4)
    judge_both(opening, (3, 0), (2, 2))
    an_open_query(other, size=2)
    asked = ask_admin(slots_of(opening, "ann1")[2])
    answer(ask_admin(slots_of(opening, "ann2")[3]), for_all=True)
    member(collection, Role.CURATOR, "curator")

    # An answer for all judges is unread by both, and by the adjudicator.
    ann = [("pairs", "other", 2), ("pairs", "small", 2), ("answers", "small", 1)]
    assert waiting("ann1") == waiting("ann2") == ann
    assert waiting("adju") == [("cases", "small", 1), ("answers", "small", 1)]
    assert waiting("admin") == [("questions", "small", 1)]
    assert waiting("curator") == []
    answer(asked)
    assert (waiting("admin"), waiting("ann1")[-1]) == ([], ("answers", "small", 2))
    HelpReading.objects.create(request=asked, reader=asked.asker)
    assert waiting("ann1")[-1] == ("answers", "small", 1)
    Collection.objects.filter(slug="small").update(archived_at=timezone.now())
    assert waiting("ann1") == [("pairs", "other", 2)]


def test_a_failed_job_is_told_for_two_weeks_unless_it_was_tried_again():
    collection = a_collection()
    now = timezone.now()
    job = {"kind": "build_pools", "state": "failed", "finished_at": now}
    collection.jobs.create(key="new", **job)
    tried = collection.jobs.create(key="tried", **job)
    collection.jobs.create(key="tried", kind="build_pools", state="succeeded")
    collection.jobs.create(
        key="old", **job | {"finished_at": now - timedelta(days=FAILED_DAYS, hours=1)}
    )
    Job.objects.filter(pk=tried.pk).update(created_at=now - timedelta(hours=1))

    assert waiting("admin") == [("failed_jobs", "small", 1)]


def test_who_must_qualify_first_is_not_told_of_pairs_or_cases():
    collection = a_collection()
    judge_both(an_open_query(collection), (3, 0))
    Collection.objects.update(qualifying_rho=0.5, senior_rho=0.7)
    assert waiting("ann1") == waiting("adju") == []
    for username, level in (("ann1", "judge"), ("adju", "senior")):
        collection.qualifications.create(
            person=the(username), level=level, basis="override", given_by=the("admin"), reason="x"
        )

    assert (waiting("ann1"), waiting("adju")) == ([("pairs", "small", 2)], [("cases", "small", 1)])


def test_home_lists_what_waits_with_links_to_it():
    for slug in ("small", "other"):
        an_open_query(a_collection(slug))
    page = client_of("ann1").get(reverse("home"))

    assert "Waiting for you" in page.text
    assert f'<a href="{address("judge", slug="other")}">You have 3 pairs to judge</a>' in page.text
    assert "Waiting for you" not in client_of("adju").get(reverse("home")).text


def test_the_overview_of_a_judge_links_to_unread_answers():
    opening = an_open_query(a_collection())
    answer(ask_admin(slots_of(opening, "ann1")[0]))

    assert "1 answer of an admin is unread" in client_of("ann1").get(address("collection")).text
    assert "an admin is unread" not in client_of("ann2").get(address("collection")).text


def test_a_person_chooses_mails_and_opening_the_page_stores_nothing():
    a_collection()
    client, page = client_of("ann1"), reverse("notice-choice")
    shown = text_of(client.get(page))
    assert "You get no mails before you confirm an email." in shown
    assert not MailChoice.objects.exists()
    EmailAddress.objects.create(user=the("ann1"), email="a@b.org", verified=True, primary=True)

    client.post(page, {"frequency": "daily", "kinds": ["answers", "pairs"]})
    choice = choice_of(the("ann1"))
    assert (choice.frequency, choice.kinds) == ("daily", {"answers", "pairs"})
    shown = client.get(page).text
    assert "Mails go to a@b.org" in shown
    assert shown.count("checked") == 3
    assert client.post(page, {"frequency": "hourly"}).status_code == 422
    assert choice_of(the("ann1")).frequency == "daily"


def test_the_api_has_what_waits_and_the_choice():
    an_open_query(a_collection())
    api = api_of("ann1")
    assert api.get("/api/v1/notices/").json() == {
        "waiting": [{"kind": "pairs", "collection": "small", "number": 3, "due_on": None}],
        "mails": {
            "frequency": "weekly",
            "kinds": ["cases", "failed_jobs", "pairs", "questions"],
        },
    }
    changed = api.post("/api/v1/notices/", {"frequency": "never"}, format="json").json()
    assert changed["mails"]["frequency"] == "never"
    changed = api.post("/api/v1/notices/", {"kinds": ["answers"]}, format="json").json()
    assert changed["mails"] == {"frequency": "never", "kinds": ["answers"]}
    for body in ({"kinds": ["news"]}, {"frequency": "hourly"}, {"often": 1}):
        assert api.post("/api/v1/notices/", body, format="json").status_code == 400


def test_stopping_keeps_the_kinds():
    a_collection()
    change_choice(user=the("ann1"), frequency=Frequency.DAILY, cases=False)
    change_choice(user=the("ann1"), frequency=Frequency.NEVER)

    assert "cases" not in choice_of(the("ann1")).kinds
