"""The record of actions: what is recorded, by whom, from where, and for how long."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.actions.kinds import ActionKind, ActionWay
from accounts.actions.models import RecordedAction
from accounts.actions.services import NotHarmless, OutsideTransaction, record_action
from accounts.models import Collection, Role, User
from accounts.services import add_membership
from annotation.models import Slot
from dashboard.services import change_licences
from jobs import registry
from jobs.lease import Lease
from jobs.services import claim, enqueue, work
from jobs.tasks import clear_expired_data
from tests.support.action_scenes import DEEDS, Scene, a_scene, recorded
from tests.support.factories import UserFactory, a_collection, an_open_query, member
from tests.support.sittings import judge
from tests.support.visits import address, client_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

# Recorded by pages, by the login and by rooms above, each with a test of its own.
ELSEWHERE = {
    *(ActionKind.LOGGED_IN, ActionKind.LOGIN_LIMIT_REACHED, ActionKind.COLLECTION_IMPORTED),
    *(ActionKind.PERSON_READ, ActionKind.GRADES_DOWNLOADED, ActionKind.RECORD_EXPORTED),
    *(ActionKind.SECOND_FACTOR_ADDED, ActionKind.SECOND_FACTOR_REMOVED),
    *(ActionKind.RECOVERY_CODES_MADE, ActionKind.SESSIONS_ENDED, ActionKind.MAIN_EMAIL_CHOSEN),
    *(ActionKind.EMAIL_CONFIRMED, ActionKind.EMAIL_REMOVED),
}


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def newest(db):
    def newest(kind: ActionKind | None = None) -> RecordedAction:
        rows = RecordedAction.objects.filter(kind=kind) if kind else RecordedAction.objects.all()
        return rows.order_by("pk").last()

    return newest


@pytest.mark.one_database  # both databases roll back alike; their triggers have cases of their own
def test_each_deed_is_recorded_once_and_is_not_if_it_is_rolled_back(db, tmp_path):
    a_collection("unopened")
    scene: Scene = a_scene(tmp_path)
    seen = set()
    for deed, kinds in DEEDS:
        before = RecordedAction.objects.order_by("pk").last().pk
        block = transaction.atomic()
        block._from_testcase = True  # so that a release may be published in it
        with block:
            deed(scene)
            found = recorded(before)
            transaction.set_rollback(True)

        assert _short(found) == kinds, deed
        assert recorded(before) == []
        seen.update(kinds)

    assert set(ActionKind) - seen == ELSEWHERE


def _short(kinds: list[ActionKind]) -> list[ActionKind]:
    """With one for any number of findings that were accepted one after the other."""
    accepted = ActionKind.FINDING_ACCEPTED
    return [
        kind
        for kind, before in zip(kinds, [None, *kinds], strict=False)
        if (kind, before) != (accepted, accepted)
    ]


class TestWho:
    def test_a_person_on_a_page_with_the_address_that_the_proxies_tell(
        self, client, collection, settings, newest
    ):
        settings.TRUSTED_PROXIES = 1
        client.force_login(User.objects.get(username="admin"))
        headers = {"X-Forwarded-For": "192.0.2.66, 198.51.100.7", "User-Agent": "Firefox" * 40}

        client.post(
            address("add-role"),
            {"give-person": "ann1", "give-role": Role.CURATOR},
            headers=headers,
        )

        action = newest(ActionKind.ROLE_GIVEN)
        assert (action.person.username, action.way) == ("admin", ActionWay.PAGE)
        assert (action.address, len(action.agent)) == ("198.51.100.7", 120)
        assert (action.about.username, action.details) == ("ann1", {"role": "curator"})
        assert (action.collection, action.collection_slug) == (collection, "small")

    def test_a_person_in_the_api(self, admin, collection, newest):
        admin.post("/api/v1/collections/small/archive/", content_type="application/json")

        action = newest(ActionKind.COLLECTION_ARCHIVED)
        assert (action.person.username, action.way) == ("admin", ActionWay.API)

    def test_a_command_by_its_name(self, collection, newest):
        call_command("change_licences", "small", "--licence", "MIT")

        action = newest(ActionKind.SETTINGS_CHANGED)
        assert (action.person, action.way, action.tool) == (
            None,
            ActionWay.COMMAND,
            "change_licences",
        )
        assert action.details == {"changed": ["licence"]}

    def test_a_dry_run_of_a_command_is_not_recorded(self, collection, newest):
        before = newest()
        call_command("change_licences", "small", "--licence", "MIT", "--dry-run")

        assert newest() == before

    def test_a_job_has_the_person_who_requested_it(self, collection, newest):
        def handle(lease: Lease) -> dict[str, object]:
            change_licences(collection=lease.collection, licence="MIT")
            return {}

        admin = User.objects.get(username="admin")
        with patch.dict(registry._handlers, {"licences": handle}):
            job = enqueue(kind="licences", collection=collection, parameters={}, requested_by=admin)
            work(claim(job.pk))

        action = newest(ActionKind.SETTINGS_CHANGED)
        assert (action.person, action.way, action.tool) == (admin, ActionWay.JOB, "licences")

    def test_a_login_and_the_limit_of_tries_with_their_address(self, client, settings, newest):
        settings.LOGIN_TRIES_PER_NAME = 1
        person = UserFactory(username="mara")
        person.set_password("open sesame 7")
        person.save()

        client.post("/accounts/login/", {"login": "mara", "password": "open sesame 7"})
        login = newest()
        for _ in range(4):
            Client().post("/accounts/login/", {"login": "mara", "password": "wrong"})

        assert (login.kind, login.person, login.address) == (
            ActionKind.LOGGED_IN,
            person,
            "127.0.0.1",
        )
        (refused,) = RecordedAction.objects.filter(kind=ActionKind.LOGIN_LIMIT_REACHED)
        assert (refused.person, refused.address) == (None, "127.0.0.1")


class TestReading:
    @pytest.fixture
    def read(self, db):
        return lambda: RecordedAction.objects.filter(kind=ActionKind.PERSON_READ).count()

    def test_another_person_is_recorded_once_an_hour(self, admin, collection, read):
        page = address("person", User.objects.get(username="ann1").pk)
        admin.get(page)
        admin.get(f"{page}?format=csv")
        assert read() == 1

        later = timezone.now() + timedelta(hours=1)
        with patch("django.utils.timezone.now", lambda: later):
            admin.get(page)
        assert read() == 2

        admin.get(address("timesheet"))
        admin.get(address("timesheet"), {"week": "2026-W07"})
        assert read() == 3

    def test_ones_own_data_and_judging_are_not(self, collection, read):
        opening = an_open_query(collection)
        judging = client_of("ann1")
        before = RecordedAction.objects.count()
        slot = Slot.objects.filter(pair__query=opening.query, annotator__username="ann1").first()

        judging.get(address("timesheet"))
        judging.get(address("judge"))
        judging.get(address("judge-pair", opening.query.name, slot.pair.token))
        judge(slot, 2)
        admin = User.objects.get(username="admin")
        client_of("admin").get(address("person", admin.pk))

        assert (read(), RecordedAction.objects.count()) == (0, before + 1)  # the admin's login


class TestWhatIsKept:
    def test_a_detail_that_is_unknown_or_no_short_value_is_an_error(self, collection):
        for details in ({"grade": 3}, {"reason": "x" * 501}, {"role": {"a": 1}}):
            with pytest.raises(NotHarmless), transaction.atomic():
                record_action(kind=ActionKind.ROLE_GIVEN, details=details)

    @pytest.mark.django_db(transaction=True)
    def test_outside_of_a_transaction_nothing_is_recorded(self):
        with pytest.raises(OutsideTransaction):
            record_action(kind=ActionKind.ROLE_GIVEN)

    def test_addresses_are_emptied_when_they_are_old_and_the_rest_stays(self, collection, settings):
        client_of("admin")
        old, new = (_action(days) for days in (91, 89))

        call_command("delete_expired", "--dry-run")
        old.refresh_from_db()
        assert old.address

        clear_expired_data()
        old.refresh_from_db()
        new.refresh_from_db()
        assert (old.address, old.agent, old.kind) == ("", "", ActionKind.LOGGED_IN)
        assert (new.address, new.agent) == ("198.51.100.7", "Firefox")
        assert clear_expired_data in registry.due_checks()

    def test_without_a_time_to_keep_them_no_address_is_recorded(self, client, settings, newest):
        settings.ACTION_ADDRESS_DAYS = 0
        person = UserFactory(username="mara")
        person.set_password("open sesame 7")
        person.save()
        client.post("/accounts/login/", {"login": "mara", "password": "open sesame 7"})

        assert (newest().person, newest().address, newest().agent) == (person, "", "")

    def test_they_outlive_their_collection_and_name_a_renamed_account(self, collection):
        add_membership(collection=collection, user=UserFactory(username="mara"), role=Role.CURATOR)
        User.objects.filter(username="mara").update(username="person-1", first_name="")
        action = RecordedAction.objects.get(about__username="person-1")

        assert (action.about.shown_name, action.subject_label) == ("person-1", "")
        assert not Collection._meta.get_field("actions").field.db_constraint


def _action(days: int) -> RecordedAction:
    return RecordedAction.objects.create(
        at=timezone.now() - timedelta(days=days),
        kind=ActionKind.LOGGED_IN,
        way=ActionWay.PAGE,
        address="198.51.100.7",
        agent="Firefox",
        person=member(Collection.objects.get(), Role.CURATOR, "cura"),
    )
