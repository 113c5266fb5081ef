"""Annotators and adjudicators read every page in their language, and no other text than data."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from cryptography.hazmat.primitives.asymmetric import ec
from django.core import mail
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from accounts.institution.configuration import read_logins
from accounts.invitations.addresses import Invitee
from accounts.invitations.services import invite
from accounts.models import User
from accounts.password_links import password_link
from annotation.services import Answer
from corpus.models import Document
from studies.models import Study
from tests.support.aspects import an_asking_collection, an_open_query_with_aspects
from tests.support.crawling import Answer as Page
from tests.support.crawling import Crawl
from tests.support.factories import PASSWORD, UserFactory, a_collection, a_query, an_open_query
from tests.support.help_scenes import answer, ask_admin
from tests.support.practice_scenes import a_pilot, practise
from tests.support.pseudo_language import CODE, pseudo_language, stored_words, unmarked_texts
from tests.support.sittings import ask, judge, judge_both, slots_of
from tests.support.study_scenes import attach_full_texts, rate

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]
BEFORE = timezone.now() - timedelta(days=1)
AFTER = BEFORE + timedelta(days=3)
# Pages that programs and readers of releases read.
ENGLISH = {"api-docs", "api-schema", "public-releases"}
# What the crawl must have opened, so that a page that it cannot reach is noticed.
PAGES = {
    "ann1": {
        *("collection", "judge", "judge-pair", "judge-mine", "judge-question", "guideline-text"),
        *("practice", "practice-pair", "own-study", "rate-pair", "timesheet"),
        *("ask-admin", "own-help-requests"),
    },
    "adju": {
        *("collection", "adjudicate", "case", "adjudicate-query", "guideline-text"),
        *("ask-admin-about-case", "own-help-requests"),
    },
}

ACCOUNT_PAGES = {
    *("account", "account_change_password", "account_email", "mfa_index", "usersessions_list"),
    *("tokens", "own-data", "own-profiles", "notice-choice", "privacy"),
}
UNPROTECTED = {"mfa_activate_totp", "mfa_add_webauthn"}
PROTECTED = {
    *("mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"),
    *("mfa_list_webauthn", "mfa_edit_webauthn", "mfa_remove_webauthn"),
}
BEFORE_LOGIN = {
    *("login", "account_reset_password", "invitation", "new-password", "mfa_authenticate"),
    *("account_reset_password_done", "account_confirm_email", "privacy"),
}


def a_reader(username: str, language: str = CODE) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=username))
    client.cookies["language"] = language
    return client


def institution_logins():
    return read_logins(
        {
            "OIDC_DISCOVERY_URL": "https://login.example.org",
            "OIDC_CLIENT_ID": "zz",
            "OIDC_CLIENT_SECRET": "zz",
        }
    )


def a_collection_in_all_states() -> None:
    collection = an_asking_collection()
    opening = an_open_query_with_aspects(collection)
    cases = an_open_query(collection, size=4)
    judge_both(cases, (3, Answer(grade=0, note="x")), (None, 2), (1, 1))
    asked = judge_both(an_open_query(collection, size=2), (0, 3))[0]
    ask(asked, User.objects.get(username="adju"), candidate_sentences=[1])
    ann1 = User.objects.get(username="ann1")
    judge(slots_of(opening, "ann1")[0], Answer(grade=2, aspects=(2,)))
    judge(slots_of(opening, "ann1")[1], None)
    pilot = a_pilot(collection, named=[a_query(collection).name])
    practise(pilot.pairs.first(), ann1, 1)
    pair = slots_of(cases, "ann1")[2].pair
    attach_full_texts(*Document.objects.filter(collection=collection))
    study = Study.objects.create(collection=collection, name="texts", rater=ann1, seed="s")
    study.pairs.create(pair=pair, position=1, token=pair.token, label=1)
    rate(study, 1, grade=2)
    own, other = slots_of(opening, "ann1"), slots_of(opening, "ann2")
    ask_admin(own[2])
    answer(ask_admin(own[1]))
    answer(ask_admin(own[2], on_guideline=True))
    answer(ask_admin(other[0], on_guideline=True), for_all=True)


def texts_of(crawl: Crawl) -> tuple[set[str], set[str]]:
    """The texts of the pages that are neither translated nor data, and the English pages."""
    data = stored_words()
    pages = [answer for answer in crawl.answers if "<html" in answer.body]
    marked = [page for page in pages if f'<html lang="{CODE}" dir="rtl"' in page.body]
    found = {text for page in marked for text in unmarked_texts(page.body, data)}
    return found, {name_of(page) for page in pages if page not in marked}


def name_of(page: Page) -> str:
    return str(resolve(urlsplit(page.request.partition(" ")[2]).path).url_name)


def send_forms(crawl: Crawl) -> Crawl:
    """Not the one that would choose English, of course."""
    crawl.forms = {key: form for key, form in crawl.forms.items() if "language" not in key}
    return crawl.send_forms()


@pytest.mark.parametrize("username", ["ann1", "adju"])
@pytest.mark.by_day(2)
def test_every_text_of_a_judge_s_page_is_translated_or_data(username):
    a_collection_in_all_states()
    with pseudo_language() as language:
        crawl = send_forms(Crawl(a_reader(username)).follow_links("/"))
        found, english = texts_of(crawl)

    assert found | language.untranslated() == set()
    assert english <= ENGLISH
    assert crawl.names >= PAGES[username] | ACCOUNT_PAGES


def logged_in(person: User, code: str = "") -> Client:
    """A browser that proved a moment ago who its person is."""
    client = Client()
    client.cookies["language"] = CODE
    client.post(reverse("login"), {"login": person.username, "password": PASSWORD})
    if code:
        client.post(reverse("mfa_authenticate"), {"code": code})
    return client


def a_registered_passkey() -> dict[str, object]:
    """The answer of a device that made a passkey."""
    public_key = ES256.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()).public_key())
    credential = AttestedCredentialData.create(bytes(16), b"id", public_key)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.AT
    data = AuthenticatorData.create(bytes(32), flags, 0, credential)
    response = {
        "clientDataJSON": CollectedClientData.create("webauthn.create", b"c", "http://x").b64,
        "attestationObject": websafe_encode(AttestationObject.create("none", data, {})),
    }
    key_id = websafe_encode(b"id")
    return {"type": "public-key", "id": key_id, "rawId": key_id, "response": response}


@pytest.mark.parametrize("is_protected", [False, True])
def test_every_text_of_the_pages_of_an_account_is_translated_or_data(is_protected, settings):
    person = UserFactory()
    for name, is_verified in (("one", True), ("two", False)):
        email = f"{name}@example.org"
        EmailAddress.objects.create(
            user=person, email=email, verified=is_verified, primary=is_verified
        )
    code = ""
    if is_protected:
        TOTP.activate(person, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        code = RecoveryCodes.activate(person).get_unused_codes()[0]
        data = {"name": "zz", "credential": a_registered_passkey()}
        person.authenticator_set.create(type="webauthn", data=data)
        for key, ended in (("expires_at", BEFORE), ("expires_at", AFTER), ("revoked_at", AFTER)):
            row = {"name": "zz", "scope": "read", "digest": f"{key}{ended}", "start": "s"}
            person.api_tokens.create(**row, created_at=BEFORE - timedelta(days=1), **{key: ended})
    with pseudo_language() as language:
        client = logged_in(person, code)
        crawl = send_forms(Crawl(client).follow_links(reverse("account")))
        crawl.ask("post", reverse("tokens"), {"name": "zz", "scope": "read", "lifetime": ""})
        found, english = texts_of(crawl)

    assert found | language.untranslated() == set()
    assert english <= ENGLISH
    assert crawl.names >= ACCOUNT_PAGES | (PROTECTED if is_protected else UNPROTECTED)
    assert all("⟦" in f"{message.subject} {message.body}" for message in mail.outbox)


def test_every_text_before_a_login_is_translated_or_data(settings):
    settings.INSTITUTION_LOGINS = institution_logins()
    collection = a_collection()
    known = User.objects.get(username="ann1")
    EmailAddress.objects.create(user=known, email="zz@example.org", verified=True, primary=True)
    admin = User.objects.get(username="admin")
    with_code = UserFactory()
    TOTP.activate(with_code, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    with pseudo_language() as language:
        User.objects.filter(pk__in=[known.pk, admin.pk]).update(language=CODE)
        admin.refresh_from_db()
        invite(
            collection=collection,
            invitees=[Invitee("yy@example.org", "zz")],
            role="annotator",
            invited_by=admin,
            base_url="http://testserver",
        )
        link = re.findall(r"http://testserver(\S+)", mail.outbox[-1].body)[0]
        client = Client()
        client.cookies["language"] = CODE
        crawl = Crawl(client).follow_links(
            *(reverse("login"), reverse("account_reset_password"), link, "/nowhere/"),
            *(password_link(asked_by=admin, person=known), "/accounts/password/1/2/x/"),
            *("/invitations/x/", reverse("account_confirm_email", args=["x"])),
            *(reverse("account_reset_password_done"), "/accounts/password/reset/1-x/"),
            *(reverse("account_reset_password_from_key_done"), reverse("own-data")),
        )
        send_forms(crawl)
        crawl.ask("post", link, {"username": "a b", "password": "1", "password_again": "1"})
        for _ in range(6):
            crawl.ask("post", reverse("login"), {"login": "zz", "password": "x"})
        client.post(reverse("login"), {"login": with_code.username, "password": PASSWORD})
        crawl.ask("get", reverse("mfa_authenticate"))
        crawl.ask("post", reverse("mfa_authenticate"), {"code": "1"})
        found, english = texts_of(crawl)

    assert found | language.untranslated() == set()
    assert english <= ENGLISH
    assert crawl.names >= BEFORE_LOGIN
    assert all("⟦" in f"{message.subject} {message.body}" for message in mail.outbox)
