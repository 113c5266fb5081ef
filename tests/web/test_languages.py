"""The language of a page, and templates in another language."""

from __future__ import annotations

import threading

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.translation import trans_real

from accounts.invitations.addresses import Invitee
from accounts.invitations.services import invite
from accounts.models import User
from tests.support.factories import PASSWORD, UserFactory, a_collection, an_open_query
from tests.support.sittings import slots_of
from web.languages.source_language import SourceLanguage
from web.languages.template_messages import (
    Message,
    TemplateSyntax,
    in_english,
    in_language,
    messages_of,
)

pytestmark = pytest.mark.one_database


def shouted(context: str, message: str) -> str:
    return message.upper() if "%(" not in message else message.replace("of", "VON")


@pytest.mark.parametrize(
    ("source", "english", "other"),
    [
        ('<p>{% translate "Save" %}</p>', "<p>Save</p>", "<p>SAVE</p>"),
        ('{% head _("Grade") "id" %}', '{% head "Grade" "id" %}', '{% head "GRADE" "id" %}'),
        (
            "{% blocktranslate trimmed with n=row.done total=a|add:b %}{{ n }} of\n {{ total }} %"
            "{% endblocktranslate %}",
            "{{ row.done }} of {{ a|add:b }} %",
            "{{ row.done }} VON {{ a|add:b }} %",
        ),
        (
            '{% blocktranslate with day=date|date:_("d") %}on {{ day }}{% endblocktranslate %}',
            'on {{ date|date:"d" }}',
            'on {{ date|date:"D" }}',
        ),
        (
            "{% blocktranslate count n=x %}1 of{% plural %}{{ n }} of{% endblocktranslate %}",
            "{% blocktranslate count n=x %}1 of{% plural %}{{ n }} of{% endblocktranslate %}",
            "{% blocktranslate count n=x %}1 of{% plural %}{{ n }} of{% endblocktranslate %}",
        ),
        ("Save {{ _ }} {# _(“x”) #}", "Save {{ _ }} {# _(“x”) #}", "Save {{ _ }} {# _(“x”) #}"),
    ],
)
def test_the_texts_of_a_template_are_replaced_before_it_is_compiled(source, english, other):
    assert in_english(source) == english
    assert in_language(source, shouted) == other


def test_the_messages_of_a_template_are_those_that_are_replaced():
    source = (
        '{% translate "Open" context "verb" %}\n{% blocktranslate count n=x trimmed %}{{ n }} pair'
        "{% plural %}{{ n }}\n pairs{% endblocktranslate %}"
    )

    assert messages_of(source) == [
        Message("verb", "Open", "", 1),
        Message("", "%(n)s pair", "%(n)s pairs", 2),
    ]


def test_a_tag_in_a_text_is_refused_with_its_line():
    with pytest.raises(TemplateSyntax, match=r"line 2: .* contains \{% if x %\}"):
        messages_of("\n{% blocktranslate %}a {% if x %}b{% endif %}{% endblocktranslate %}")


def test_english_is_an_empty_catalogue_and_the_language_is_the_thread_s():
    assert isinstance(trans_real.translation(settings.LANGUAGE_CODE), SourceLanguage)
    assert isinstance(trans_real._active, threading.local)
    assert translation.get_language() == settings.LANGUAGE_CODE
    with translation.override("de", deactivate=True):
        assert translation.gettext("Saved") == "Gespeichert"
        assert translation.gettext("no such message") == "no such message"
    assert translation.gettext("Saved") == "Saved"


def a_client(user: User, **headers: str) -> Client:
    client = Client(headers=headers)
    client.force_login(user)
    return client


@pytest.mark.django_db
def test_the_choice_of_a_person_counts_more_than_the_browser_s_languages():
    person = UserFactory()
    client = a_client(person, **{"accept-language": "fr, es-MX;q=0.8, en;q=0.5"})
    home = reverse("home")
    page_of = f"http://testserver{home}"

    assert '<html lang="es">' in client.get(home).text
    sent = {"data": {"language": "de"}, "headers": {"referer": page_of}}
    response = client.post(reverse("choose-language"), **sent)
    assert (response.status_code, response["Location"]) == (302, page_of)
    page = client.get(home).text
    assert '<html lang="de">' in page
    assert "js/languages/de.js" in page
    assert "Ihre Sammlungen" in page
    assert 'lang="de">' in a_client(person).get(home).text  # saved in the account
    client.post(reverse("choose-language"), {"language": "en-gb"})
    assert '<html lang="en">' in client.get(home).text


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", ""])
def test_the_choice_leads_to_no_other_server_and_ignores_unknown_languages(address):
    person = UserFactory()
    asked = {"data": {"language": "xx"}, "headers": {"referer": address}}
    response = a_client(person).post(reverse("choose-language"), **asked)

    assert response["Location"] == "/"
    person.refresh_from_db()
    assert person.language == ""


@pytest.mark.django_db
def test_errors_follow_the_language_and_the_api_and_pages_of_admins_stay_english():
    collection = a_collection()
    german = {"accept-language": "de"}
    admin = a_client(collection.memberships.get(role="admin").user, **german)

    lost = admin.get("/nowhere/")
    assert (lost.status_code, "Seite nicht gefunden" in lost.text) == (404, True)
    assert admin.get("/api/v1/nowhere/").json()["detail"] == "Not found."
    for name in ("people", "collection"):
        page = admin.get(reverse(name, args=[collection.slug])).text
        assert '<html lang="en">' in page
        assert "Abmelden" not in page


@pytest.mark.django_db
def test_a_judge_reads_documents_facets_and_grades_of_any_script_in_the_own_language():
    collection = a_collection(grade_names=["無関係", "関連", "類似", "ほぼ同じ"])
    collection.document_language = "ja"
    collection.save()
    opening = an_open_query(collection)
    collection.facets.filter(key="method").update(name="方法")
    slot = slots_of(opening, "ann1")[0]
    client = a_client(slot.annotator, **{"accept-language": "de"})
    address = reverse("judge-pair", args=[collection.slug, opening.query.name, slot.pair.token])

    page = client.get(address).text
    english = a_client(slot.annotator).get(address).text

    assert "無関係" in page
    assert "方法" in page
    assert '<div class="paper" lang="ja">' in page
    assert "Kandidat" in page
    assert 'data-planned="15.0"' in page  # for a script, so with a point
    # What was on screen is the same in both, so the digest is, too.
    assert slot_digest(page) == slot_digest(english)
    answer = client.post(
        address,
        {"answer": "2", "presentation": "0" * 64, "key": "b0a7c9be-6c04-4b7e-9c37-5f0c8c3f9d11"},
        headers={"accept": "application/json"},
    ).json()
    assert answer["message"].startswith("Der Text dieses Paars hat sich geändert")


def slot_digest(page: str) -> str:
    return page.partition('data-presentation="')[2].partition('"')[0]


def log_in(client: Client, person: User) -> User:
    client.post(reverse("login"), {"login": person.username, "password": PASSWORD})
    person.refresh_from_db()
    return person


@pytest.mark.django_db
def test_what_was_chosen_before_the_login_is_saved_at_the_login():
    person = UserFactory(language="de")
    client = Client(headers={"accept-language": "es"})

    assert '<html lang="es">' in client.get(reverse("login")).text
    client.post(reverse("choose-language"), {"language": "en-gb"})
    assert '<html lang="en">' in client.get(reverse("login")).text
    assert log_in(client, person).language == "en-gb"

    client.post(reverse("choose-language"), {"language": "es"})
    client.post(reverse("logout"))
    assert log_in(client, person).language == "es"  # the choice in the account
    other = UserFactory(language="de")
    client.post(reverse("logout"))
    assert log_in(client, other).language == "de"  # another person of this browser


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accepted", "before", "after"),
    [("de", "", "de"), ("de", "en-gb", "en-gb"), ("en, de", "", "")],
)
def test_without_a_choice_the_account_gets_the_browsers_language(accepted, before, after):
    person = UserFactory(language=before)

    assert log_in(Client(headers={"accept-language": accepted}), person).language == after


@pytest.mark.django_db
def test_mails_are_in_the_language_of_those_who_get_them(monkeypatch):
    monkeypatch.setattr("accounts.login.forms.soon", lambda send: send())
    collection = a_collection()
    admin, person = User.objects.get(username="admin"), UserFactory(language="es")
    EmailAddress.objects.create(user=person, email="x@example.org", verified=True, primary=True)
    stranger = Client(headers={"accept-language": "de"})

    stranger.post(reverse("account_reset_password"), {"email": "x@example.org"})
    for language in ("", "de"):
        admin.language = language
        people = [Invitee(email) for email in ("x@example.org", f"new{language}@example.org")]
        invite(
            **{"collection": collection, "invitees": people, "role": "annotator"},
            **{"invited_by": admin, "base_url": "http://x"},
        )

    subjects = [message.subject.partition("] ")[2] for message in mail.outbox]
    assert subjects == [
        "Un enlace para una contraseña nueva",
        *("Invitación a Small", "Invitation to Small"),
        *("Invitación a Small", "Einladung zu Small"),  # that of the person who invites
    ]
    assert "Su función: anotador/a" in mail.outbox[1].body
