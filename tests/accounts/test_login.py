"""What somebody without an account can try: names to find out, addresses to be sent to, links to use twice."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts import services
from accounts.models import User
from tests import builders

pytestmark = pytest.mark.django_db

LOGIN = reverse("account_login")
HASHED: list[str] = []


class CountingHasher(MD5PasswordHasher):
    def encode(self, password, salt):
        HASHED.append(password)
        return super().encode(password, salt)


@pytest.fixture
def ann(db) -> User:
    person = builders.person("ann")
    person.set_password("correct horse")
    person.save()
    return person


def said(answer) -> bytes:
    body = re.sub(rb'value="[^"]*"', b"", answer.content)
    return re.sub(rb"\w+@example.org", b"", body)


@pytest.mark.parametrize(("known", "unknown"), [("ann", "nobody"), ("ann@example.org", "nobody@example.org")])
def test_a_failed_log_in_tells_nobody_who_has_an_account(ann, client, settings, known, unknown):
    """By the page, and by what takes time: one password is hashed for each."""
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    ann.set_password("correct horse")
    ann.save()
    answers, costs = [], []
    for login in (known, unknown):
        HASHED.clear()
        answers.append(said(client.post(LOGIN, {"login": login, "password": "wrong"})))
        costs.append(len(HASHED))
    assert answers[0] == answers[1]
    assert costs[0] == costs[1] > 0


def test_asking_for_a_new_password_tells_nobody_who_has_an_account(ann, client):
    answers = []
    for address in ("ann@example.org", "nobody@example.org"):
        answers.append(client.post(reverse("account_reset_password"), {"email": address}, follow=True))
    assert said(answers[0]) == said(answers[1])
    assert [len(message.to) for message in mail.outbox] == [1, 1]  # both cost a mail
    assert "password/reset/key" not in mail.outbox[1].body


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:0"])
def test_a_log_in_or_log_out_leads_to_no_other_host(ann, client, elsewhere):
    form = {"login": "ann", "password": "correct horse", "next": elsewhere}
    assert client.post(LOGIN, form)["Location"] == "/"
    assert client.post(reverse("account_logout"), {"next": elsewhere})["Location"] == LOGIN


def test_a_form_of_another_site_does_nothing(ann, collection, people):
    client = Client(enforce_csrf_checks=True)
    link = services.invite(collection=collection, by=people.admin, roles=["admin"])[1]
    assert client.post(LOGIN, {"login": "ann", "password": "correct horse"}).status_code == 403
    client.force_login(ann)
    for path in (link, reverse("make-token"), reverse("ask-erasure"), reverse("account_email")):
        assert client.post(path, {"name": "x", "days": 30, "email": "evil@example.org"}).status_code == 403
    assert "admin" not in collection.memberships.get(user=ann).roles


def test_a_link_to_a_new_password_works_once_and_not_after_the_next_log_in(ann, client):
    def link() -> str:
        client.post(reverse("account_reset_password"), {"email": ann.email})
        return re.search(r"http://testserver(/\S+)", mail.outbox[-1].body)[1]

    first, second = link(), link()
    form = {"password1": "battery staple", "password2": "battery staple"}
    page = client.get(first, follow=True)
    assert client.post(page.redirect_chain[-1][0], form).status_code == 302
    ann.refresh_from_db()
    assert ann.check_password("battery staple")
    for used in (first, second):
        assert "Bad Token" in Client().get(used, follow=True).content.decode()


def test_an_address_given_with_an_invitation_counts_once_its_owner_followed_the_mail(collection, people, client):
    link = services.invite(collection=collection, by=people.admin, roles=["annotator"], email="eva@example.org")[1]
    client.post(link, {"username": "eva", "password": "correct horse", "email": "eva@example.org"})
    assert not EmailAddress.objects.get(user__username="eva").verified
    confirmation = re.search(r"http://testserver(/\S+confirm-email\S+)", mail.outbox[-1].body)[1]
    Client().get(confirmation)  # a mail filter that looks at links confirms nothing
    assert not EmailAddress.objects.get(user__username="eva").verified
    Client().post(confirmation)
    assert EmailAddress.objects.get(user__username="eva").verified


def test_a_mail_server_that_is_away_costs_no_account_and_no_link(collection, people, client, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.SITE_URL = "127.0.0.1", 9, "https://lab.example.org"
    _, link, is_mailed = services.invite(collection=collection, by=people.admin, roles=["annotator"], email="e@x.org")
    assert not is_mailed
    account = {"username": "eva", "password": "correct horse", "email": "e@x.org"}
    assert client.post(link.replace(settings.SITE_URL, ""), account).status_code == 302
