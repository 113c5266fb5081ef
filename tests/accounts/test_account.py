import pytest
from django.urls import reverse

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
