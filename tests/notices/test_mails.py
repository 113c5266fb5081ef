"""Mails about waiting work: who gets one, when, what it says, and that it is sent once."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from allauth.account.models import EmailAddress
from django.core.mail.backends.smtp import EmailBackend
from django.test import Client
from django.utils import timezone, translation

from accounts.models import Collection, Role, User
from annotation.deadlines.services import set_deadlines
from jobs.models import Job
from notices import tasks
from notices.choices import change_choice
from notices.mails import (
    KEPT_DAYS,
    is_work_due,
    plan_and_send,
    plan_mail,
    send_waiting,
    wanted_notices,
)
from notices.models import Frequency, MailState, NoticeKind, NoticeMail
from server.checks.work import check_notices
from tests.support.factories import a_collection, an_open_query, member
from tests.support.help_scenes import answer, ask_admin
from tests.support.running import at_once
from tests.support.sittings import judge_both, slots_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 3, 2, 7, tzinfo=UTC)
TUESDAY, NEXT_MONDAY = MONDAY + timedelta(days=1), MONDAY + timedelta(days=7)


def the(username: str) -> User:
    return User.objects.get(username=username)


def give_email(username: str, **changes) -> User:
    row = {"email": f"{username}@example.org", "verified": True, "primary": True}
    EmailAddress.objects.create(user=the(username), **row | changes)
    return the(username)


@once_a_file
def collection() -> Collection:
    """With three pairs for each annotator; ann1 and ann2 have confirmed their emails."""
    collection = a_collection()
    an_open_query(collection)
    for username in ("ann1", "ann2"):
        give_email(username)
    return collection


def received(smtp, username: str = "ann1"):
    texts = [text for to, text in smtp.received if to == f"{username}@example.org"]
    return [message_from_bytes(text.encode(), policy=policy.default) for text in texts]


def text_of(mail) -> str:
    return mail.get_content().replace("\r\n", "\n")


class TestWhoGetsOne:
    def test_each_person_with_work_once_a_week(self, collection, smtp):
        for now in (MONDAY, MONDAY, TUESDAY, NEXT_MONDAY):
            plan_and_send(now)

        assert len(received(smtp)) == len(received(smtp, "ann2")) == 2
        assert {to for to, _ in smtp.received} == {"ann1@example.org", "ann2@example.org"}

    def test_once_a_day_or_never_as_the_person_chose(self, collection, smtp):
        change_choice(user=the("ann1"), frequency=Frequency.DAILY)
        change_choice(user=the("ann2"), frequency=Frequency.NEVER)
        for now in (MONDAY, MONDAY, TUESDAY):
            plan_and_send(now)

        assert (len(received(smtp)), len(received(smtp, "ann2"))) == (2, 0)

    def test_not_before_the_hour_of_the_day(self, collection):
        assert not is_work_due(MONDAY.replace(hour=5))
        assert is_work_due(MONDAY)

    def test_a_weekly_mail_comes_on_the_first_day_with_work(self, smtp):
        collection = a_collection()
        give_email("ann1")
        plan_and_send(MONDAY)
        an_open_query(collection)
        plan_and_send(TUESDAY)

        states = NoticeMail.objects.order_by("day").values_list("period", "state")
        assert list(states) == [("", MailState.NOTHING), ("2026-W10", MailState.SENT)]

    @pytest.mark.parametrize(
        "change",
        [
            lambda collection: EmailAddress.objects.update(verified=False),
            lambda collection: EmailAddress.objects.update(primary=False),
            lambda collection: User.objects.update(is_active=False),
            lambda collection: Collection.objects.update(archived_at=timezone.now()),
            lambda collection: Collection.objects.update(slug="importing-small"),
        ],
        ids=["unverified", "not-primary", "blocked", "archived", "being-imported"],
    )
    def test_nobody_else(self, collection, change, smtp):
        for username in ("ann1", "ann2"):  # planned before the change, too
            plan_mail(the(username), MONDAY)
        change(collection)
        plan_and_send(MONDAY)
        plan_and_send(NEXT_MONDAY)

        assert smtp.received == []
        assert set(NoticeMail.objects.values_list("state", flat=True)) == {MailState.DROPPED}

    def test_only_of_the_kinds_that_the_person_chose(self, collection):
        change_choice(user=the("ann1"), pairs=False)

        assert wanted_notices(the("ann1")) == []
        assert [each.kind for each in wanted_notices(the("ann2"))] == [NoticeKind.PAIRS]

    def test_rows_are_kept_for_two_months(self, collection, smtp):
        plan_and_send(MONDAY)
        plan_and_send(MONDAY + timedelta(days=KEPT_DAYS))
        assert NoticeMail.objects.filter(day=MONDAY.date()).exists()
        plan_and_send(MONDAY + timedelta(days=KEPT_DAYS + 1))

        assert not NoticeMail.objects.filter(day=MONDAY.date()).exists()


class TestWhatItSays:
    def test_each_kind_with_its_link_and_no_secret(self, collection, smtp, settings):
        cases = an_open_query(collection, size=4)
        judge_both(cases, (3, 0), (1, 1))
        own = slots_of(cases, "ann1")[2]
        answer(ask_admin(own), "secret answer")
        ask_admin(own, "secret question")
        Job.objects.create(
            kind="build_pools",
            key="k",
            collection=collection,
            state="failed",
            finished_at=timezone.now(),
        )
        for username in ("admin", "adju"):
            give_email(username)
        change_choice(user=the("ann1"), answers=True)
        set_deadlines(collection=collection, dates={the("ann1"): date(2099, 5, 4)})
        plan_and_send(MONDAY)

        texts = {name: text_of(received(smtp, name)[0]) for name in ("ann1", "adju", "admin")}
        base = f"{settings.LINK_BASE}/c/small"
        assert f"5 pairs to judge by 4 May 2099:\n  {base}/judge/" in texts["ann1"]
        assert f"1 answer of an admin is unread:\n  {base}/own-help-requests/" in texts["ann1"]
        assert f"1 case waits for you:\n  {base}/adjudicate/" in texts["adju"]
        assert (
            f"1 question to the admin waits for your answer:\n  {base}/help-requests/"
            in (texts["admin"])
        )
        assert f"1 job failed and was not tried again:\n  {base}/jobs/" in texts["admin"]
        secret = re.compile("ann2|adju|secret|bm25|Title|grade", re.IGNORECASE)
        assert not secret.search(texts["ann1"])
        for name in ("adju", "admin"):
            assert not re.search("ann1|ann2|secret|bm25|Title|grade", texts[name])

    def test_in_the_language_of_the_person(self, collection, smtp):
        User.objects.filter(username="ann1").update(language="de")
        User.objects.filter(username="ann2").update(language="es")
        set_deadlines(collection=collection, dates={None: date(2099, 5, 4)})
        plan_and_send(MONDAY)

        (german,), (spanish,) = received(smtp), received(smtp, "ann2")
        assert german["Subject"] == "[Qrelsmith] Das wartet auf Sie"
        assert "Sie haben bis 4. Mai 2099 noch 3 Paare zu beurteilen" in text_of(german)
        assert "Le quedan 3 pares por juzgar hasta el 4 de mayo de 2099" in text_of(spanish)
        assert translation.get_language() == "en-gb"

    def test_each_link_works(self, collection, smtp, settings):
        plan_and_send(MONDAY)
        client = Client()
        client.force_login(the("ann1"))

        links = re.findall(rf"{settings.LINK_BASE}(/\S+)", text_of(received(smtp)[0]))

        assert len(links) == 3
        assert [client.get(link).status_code for link in links] == [200] * 3

    def test_what_no_longer_waits_is_not_said(self, collection, smtp):
        judge_both(an_open_query(collection, size=2), (3, 0))
        plan_mail(give_email("adju"), MONDAY)
        collection.memberships.filter(user=the("adju")).delete()
        send_waiting(MONDAY)

        assert smtp.received == []
        assert NoticeMail.objects.get().state == MailState.DROPPED


class TestStopping:
    def test_one_click_of_a_mail_program_stops_the_mails_of_this_person(
        self,
        collection,
        smtp,
        settings,
    ):
        plan_and_send(MONDAY)
        (mail,) = received(smtp)
        link = re.fullmatch("<(.+)>", mail["List-Unsubscribe"].strip())[1]
        path = link.removeprefix(settings.LINK_BASE)
        stranger = Client(enforce_csrf_checks=True)

        assert link in text_of(mail)
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        page = stranger.get(path)
        assert "Stop mails about your work" in page.text
        plan_and_send(NEXT_MONDAY)
        assert len(received(smtp)) == 2  # a GET changes nothing
        answer = stranger.post(path, {"List-Unsubscribe": "One-Click"})
        assert (answer.status_code, "You get no more mails" in answer.text) == (200, True)
        plan_and_send(NEXT_MONDAY + timedelta(days=7))
        assert (len(received(smtp)), len(received(smtp, "ann2"))) == (2, 3)

    def test_a_changed_link_stops_nothing(self, collection, smtp):
        plan_and_send(MONDAY)
        path = re.search(r"/notices/stop/\S+/", text_of(received(smtp)[0]))[0]
        own, other = the("ann1").pk, the("ann2").pk
        for wrong in (
            path.replace(f"/{own}:", f"/{other}:"),
            path.replace(f"/{own}:", "/"),
            path[:-3] + "/",
            "/notices/stop/x:y/",
        ):
            assert wrong != path
            assert Client().get(wrong).status_code == Client().post(wrong).status_code == 404

        plan_and_send(NEXT_MONDAY)
        assert (len(received(smtp)), len(received(smtp, "ann2"))) == (2, 2)


class TestFailures:
    def test_a_mail_that_failed_is_sent_later_and_staff_see_it(self, collection, smtp):
        smtp.is_down = True
        plan_and_send(MONDAY)
        plan_and_send(MONDAY + timedelta(minutes=1))
        waiting = NoticeMail.objects.filter(state=MailState.WAITING)

        assert (waiting.count(), smtp.received) == (2, [])
        assert check_notices().found == (
            "2 mails about waiting work not sent, the oldest of 2026-03-02."
        )
        smtp.is_down = False
        plan_and_send(MONDAY + timedelta(minutes=2))
        assert smtp.received == []  # not tried in every minute
        plan_and_send(MONDAY + timedelta(minutes=20))
        assert (len(received(smtp)), len(received(smtp, "ann2"))) == (1, 1)
        assert check_notices().level == "ok"

    def test_a_refused_recipient_stops_nobody_else(self, collection, smtp):
        EmailAddress.objects.filter(user=the("ann1")).update(email="refused@example.org")
        for minute in range(3):
            plan_and_send(MONDAY + timedelta(minutes=minute))

        assert len(received(smtp, "ann2")) == 1

    def test_it_is_given_up_when_the_next_period_begins(self, collection, smtp):
        smtp.is_down = True
        plan_and_send(MONDAY)
        smtp.is_down = False
        plan_and_send(NEXT_MONDAY)

        assert len(received(smtp)) == 1
        states = NoticeMail.objects.filter(user=the("ann1")).order_by("day")
        assert list(states.values_list("state", flat=True)) == ["dropped", "sent"]

    def test_a_worker_that_is_killed_after_sending_leaves_no_second_mail(
        self,
        collection,
        smtp,
        settings,
    ):
        settings.EMAIL_BACKEND = f"{__name__}.{DyingBackend.__name__}"
        with pytest.raises(SystemExit):
            plan_and_send(MONDAY)
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        for minutes in (1, 60):
            plan_and_send(MONDAY + timedelta(minutes=minutes))

        assert len(smtp.received) == 2
        assert len(received(smtp)) == len(received(smtp, "ann2")) == 1
        assert NoticeMail.objects.filter(state=MailState.SENDING).count() == 1
        assert "1 mail about waiting work not sent" in check_notices().found


class DyingBackend(EmailBackend):
    """Its process ends after the mail server has taken the mail."""

    def send_messages(self, email_messages):
        super().send_messages(email_messages)
        raise SystemExit


@pytest.mark.django_db(transaction=True)
def test_workers_that_run_at_once_send_each_mail_once(smtp):
    collection = a_collection()
    an_open_query(collection)
    people = [member(collection, Role.ADJUDICATOR, f"adju{number}") for number in range(4)]
    for username in ("ann1", "ann2", *(person.username for person in people)):
        give_email(username)
    judge_both(an_open_query(collection, size=2), (3, 0))

    assert at_once([lambda: plan_and_send(MONDAY)] * 4) == [None] * 4

    assert sorted(to for to, _ in smtp.received) == sorted(
        f"{name}@example.org" for name in ("ann1", "ann2", *(each.username for each in people))
    )
    assert set(NoticeMail.objects.values_list("state", "tries")) == {(MailState.SENT, 1)}


def test_the_due_check_looks_once_a_minute_and_not_on_a_server_without_mail(
    collection, settings, monkeypatch, django_assert_num_queries
):
    sent = []
    monkeypatch.setattr(tasks, "_last_look", tasks.LastLook())
    monkeypatch.setattr(tasks.send_notices, "apply_async", lambda **options: sent.append(options))
    monkeypatch.setattr(timezone, "now", lambda: MONDAY)
    settings.SENDS_MAIL = False
    with django_assert_num_queries(0):
        tasks.queue_notices()
    settings.SENDS_MAIL = True
    with django_assert_num_queries(1):
        tasks.queue_notices()
        tasks.queue_notices()

    assert len(sent) == 1
