import pytest
from django.urls import reverse
from rest_framework.authtoken.models import Token

from accounts.models import Role
from tests.support.factories import UserFactory, a_collection, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client):
    person = UserFactory(username="person")
    client.force_login(person)
    return person


def test_the_account_page_lists_collections_with_roles(client, person, django_assert_num_queries):
    collection = a_collection()
    member(collection, Role.ANNOTATOR, "person")

    with django_assert_num_queries(6):
        page = client.get(reverse("account"))

    assert page.status_code == 200
    assert collection.name in page.text


def test_a_name_is_saved_whole_and_shown(client, person):
    page = client.post(reverse("account"), {"name": "Núria de la Fuente"}, follow=True)

    person.refresh_from_db()
    assert person.shown_name == "Núria de la Fuente"
    assert "Others here see you as Núria de la Fuente" in page.text


def test_a_name_that_is_too_long_is_refused_and_kept_in_the_form(client, person):
    page = client.post(reverse("account"), {"name": "x" * 151})

    assert page.status_code == 422
    assert "x" * 151 in page.text
    person.refresh_from_db()
    assert person.shown_name == "person"


def test_a_token_is_shown_once(client, person):
    page = client.post(reverse("make-token"))
    token = Token.objects.get(user=person)

    assert token.key in page.text
    assert "no-store" in page["Cache-Control"]
    assert token.key not in client.get(reverse("account")).text


def test_replacing_a_token_ends_the_old_one(client, person):
    client.post(reverse("make-token"))
    old = Token.objects.get(user=person).key

    client.post(reverse("make-token"))

    assert Token.objects.get(user=person).key != old
    assert not Token.objects.filter(key=old).exists()


def test_revoking_a_token_leaves_none(client, person):
    client.post(reverse("make-token"))

    page = client.post(reverse("revoke-token"), follow=True)

    assert not Token.objects.exists()
    assert "can no longer log in" in page.text


def test_revoking_without_a_token_says_so(client, person):
    page = client.post(reverse("revoke-token"), follow=True)

    assert "no API token to revoke" in page.text


def test_tokens_of_others_are_left_alone(client, person):
    other = Token.objects.create(user=UserFactory())

    client.post(reverse("make-token"))
    client.post(reverse("revoke-token"))

    assert list(Token.objects.all()) == [other]


@pytest.mark.parametrize("name", ["make-token", "revoke-token"])
def test_reading_an_address_changes_no_token(client, person, name):
    assert client.get(reverse(name)).status_code == 405
    assert not Token.objects.exists()
