"""Mail: its settings, files without a mail server, and links to new passwords."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse

from accounts.actions.kinds import ActionKind
from accounts.actions.models import RecordedAction
from accounts.login import forms
from accounts.mail.email_url import smtp_settings
from accounts.mail.sending import send_mails
from accounts.models import User
from tests.support.action_scenes import of_own_account
from tests.support.factories import PASSWORD, UserFactory
from tests.support.observed_requests import HASHED, PASSWORD_HASHERS, CountingHasher
from tests.support.running import wait_until

NEW = "another horse battery"
RESET = "account_reset_password"


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "ssl", "user", "password"),
    [
        ("smtp://mail", "mail", 25, False, False, "", ""),
        ("smtp://u:p%40ss@m.example:587?tls=1", "m.example", 587, True, False, "u", "p@ss"),
        ("smtps://u%40x:p@m.example", "m.example", 465, False, True, "u@x", "p"),
    ],
)
def test_one_variable_has_all_of_a_mail_server(url, host, port, tls, ssl, user, password):
    assert list(smtp_settings(url).values()) == [host, port, user, password, tls, ssl]


@pytest.mark.parametrize(
    "url",
    [
        *("mail.example.org", "http://m", "smtp://", "smtp://m:port", "smtp://m?ssl=1"),
        *("smtps://m?tls=1", "smtp://m/path", "smtp://user:secret@m?tls=yes"),
    ],
)
def test_a_wrong_variable_is_refused_without_its_password(url):
    with pytest.raises(ImproperlyConfigured) as error:
        smtp_settings(url)

    assert "secret" not in str(error.value)


def test_a_refused_recipient_stops_no_other_mail(smtp):
    people = ("one@example.org", "refused@example.org", "two@example.org")
    outcomes = send_mails([EmailMessage("Hello", "Text", to=[each]) for each in people])

    assert [to for to, _ in smtp.received] == ["one@example.org", "two@example.org"]
    assert [bool(error) for error in outcomes] == [False, True, False]
    assert "The mail to refused@example.org could not be sent" in str(outcomes[1])


@pytest.mark.django_db
def test_without_a_mail_server_staff_read_the_mails(settings, client, tmp_path):
    settings.EMAIL_BACKEND = "accounts.mail.files.FileBackend"
    settings.MAIL_DIR = tmp_path
    client.force_login(UserFactory(is_staff=True))
    link = "http://localhost/invitations/abc/"
    EmailMessage("Grüße <b>", f"Open {link}", to=["mara@example.org"]).send()

    (name,) = re.findall(r"/mails/([\w-]+)/", client.get(reverse("mails")).text)
    page = client.get(reverse("mail", args=[name])).text

    assert "Grüße &lt;b&gt;" in page
    assert f'<a href="{link}"' in page
    assert client.get("/mails/..%2Fsecret_key/").status_code == 404
    settings.SHOWS_MAILS = False  # production
    assert client.get(reverse("mails")).status_code == 404


@pytest.fixture
def _at_once(monkeypatch):
    """In this thread, because another one does not see the transaction of a test."""
    monkeypatch.setattr(forms, "soon", lambda send: send())


@pytest.fixture
def person(db) -> User:
    person = UserFactory(username="person")
    EmailAddress.objects.create(
        user=person, email="person@example.org", verified=True, primary=True
    )
    EmailAddress.objects.create(user=person, email="unconfirmed@example.org")
    return person


def ask(email: str) -> tuple[int, str]:
    answer = Client().post(reverse(RESET), {"email": email})
    return answer.status_code, answer.get("Location", "")


@pytest.mark.usefixtures("_at_once")
def test_a_link_in_a_mail_gives_a_new_password_once(person, django_capture_on_commit_callbacks):
    ask("Person@example.org")
    (message,) = mail.outbox
    (link,) = re.findall(r"http://testserver(/\S+)", message.body)
    assert "account person" in message.body
    browser = Client()
    page = browser.get(link, follow=True)
    form = {"password1": NEW, "password2": NEW}

    weak = browser.post(page.request["PATH_INFO"], {"password1": "123", "password2": "123"})
    with django_capture_on_commit_callbacks(execute=True):
        done = browser.post(page.request["PATH_INFO"], form, follow=True)

    assert "too short" in weak.text
    assert "The old one no longer works" in done.text
    person.refresh_from_db()
    assert person.check_password(NEW)
    assert "This link does not work" in Client().get(link).text
    assert mail.outbox[-1].subject.endswith("Password changed")
    action = RecordedAction.objects.latest("pk")
    assert (action.kind, action.person, action.about) == (ActionKind.PASSWORD_RESET, person, person)


@pytest.mark.usefixtures("_at_once")
def test_every_email_gets_the_same_answer_and_only_a_confirmed_one_a_mail(person):
    User.objects.filter(pk=person.pk).update(email="column@example.org")
    emails = ("person@example.org", "unconfirmed@example.org", "column@example.org", "no@x.org")

    answers = {ask(email) for email in emails}

    assert answers == {(302, reverse("account_reset_password_done"))}
    assert [message.to for message in mail.outbox] == [["person@example.org"]]


@pytest.mark.django_db(transaction=True)
def test_the_mail_of_a_lost_password_is_sent_in_another_thread(person, smtp):
    ask("person@example.org")

    wait_until(lambda: smtp.received, 30, "the mail came")

    assert "choose a new password" in smtp.received[0][1]


@pytest.mark.usefixtures("_at_once")
def test_links_are_asked_for_a_few_times_a_minute(person):
    statuses = [ask("person@example.org")[0] for _ in range(6)]

    assert statuses == [302] * 5 + [429]
    assert ask("no@example.org")[0] == 302


def confirm_password(client: Client) -> None:
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


def test_an_email_is_added_after_the_password_and_confirmed_by_pressing_a_button(person):
    client = Client()
    client.force_login(person)
    form = {"email": "second@example.org", "action_add": ""}
    assert client.post(reverse("account_email"), form).url.startswith("/accounts/reauth")
    confirm_password(client)

    client.post(reverse("account_email"), form)
    (link,) = re.findall(r"http://testserver(/\S+)", mail.outbox[-1].body)
    other = Client()
    other.force_login(UserFactory(username="other"))
    assert "Confirm the email" in other.get(link).text
    assert not EmailAddress.objects.filter(email="second@example.org", verified=True).exists()
    assert other.get(reverse("account")).status_code == 200  # still logged in
    Client().post(link)

    assert EmailAddress.objects.get(email="second@example.org").verified
    assert of_own_account(person) == [(ActionKind.EMAIL_CONFIRMED, {})]


def test_a_removed_email_and_another_main_one_are_recorded_if_they_are_confirmed(person):
    EmailAddress.objects.create(user=person, email="second@example.org", verified=True)
    client = Client()
    client.force_login(person)
    confirm_password(client)
    for action, email in (
        *(("primary", "second"), ("remove", "person"), ("remove", "unconfirmed")),
        ("remove", "second"),
    ):
        form = {"email": f"{email}@example.org", f"action_{action}": ""}
        client.post(reverse("account_email"), form)

    assert of_own_account(person) == [
        (ActionKind.MAIN_EMAIL_CHOSEN, {}),
        (ActionKind.EMAIL_REMOVED, {}),
        (ActionKind.EMAIL_REMOVED, {}),
    ]


@pytest.mark.django_db(transaction=True)  # mails are sent after the commit
def test_a_changed_password_is_told_by_mail_and_a_failing_server_stops_nothing(person, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    client = Client()
    client.force_login(person)
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}

    page = client.post(reverse("account_change_password"), form, follow=True)

    assert "Password changed." in page.text
    assert "could not be sent, because the mail server failed" in page.text
    person.refresh_from_db()
    assert person.check_password(NEW)


def test_a_login_with_an_email_needs_a_confirmed_one(person):
    form = {"password": PASSWORD}
    logins = {"person@example.org": 302, "PERSON@example.org": 302, "unconfirmed@example.org": 200}

    statuses = {
        login: Client().post(reverse("login"), form | {"login": login}).status_code
        for login in logins
    }

    assert statuses == logins


def test_a_wrong_password_costs_one_hash_and_says_the_same_for_every_name(person, settings):
    UserFactory(username="imported", is_active=False).set_unusable_password()
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    CountingHasher.hashes = 0
    texts = set()
    names = ("person", "person@example.org", "unconfirmed@example.org", "imported", "no@x.org")
    User.objects.update(password=HASHED)
    for number, name in enumerate((*names, "nobody"), start=1):
        page = Client().post(reverse("login"), {"login": name, "password": "wrong"})
        assert CountingHasher.hashes == number, name
        texts.add(re.sub(r'value="[^"]*"', "", page.text))

    assert len(texts) == 1
