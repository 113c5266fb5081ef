"""Only the members of a collection can open it."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.urls import reverse

from accounts.access import collection_for, roles_in
from accounts.models import Collection, Role, User
from tests.support.api_world import token_of
from tests.support.factories import UserFactory, a_collection, member
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

MEMBERS = ["admin", "ann1", "adju"]


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def stranger():
    """A member of another collection in every role that fits together."""
    elsewhere = a_collection("elsewhere")
    member(elsewhere, Role.ADJUDICATOR, "stranger")
    return member(elsewhere, Role.ADMIN, "stranger")


@pytest.mark.parametrize("roles", [(), (Role.ADMIN,), (Role.ADJUDICATOR,), tuple(Role.values)])
def test_a_stranger_opens_no_collection(collection, stranger, roles):
    with pytest.raises(Http404):
        collection_for(stranger, collection.slug, *roles)


@pytest.mark.parametrize("roles", [(), (Role.ADMIN,)])
@pytest.mark.parametrize("person", [AnonymousUser(), None])
def test_without_a_login_no_collection_is_opened(collection, person, roles):
    with pytest.raises(Http404):
        collection_for(person, collection.slug, *roles)


@pytest.mark.parametrize("username", MEMBERS)
def test_every_member_opens_the_collection(collection, username):
    person = User.objects.get(username=username)

    assert collection_for(person, collection.slug) == collection
    with pytest.raises(Http404):
        collection_for(person, "no-such-collection")


@pytest.mark.parametrize("username", MEMBERS)
@pytest.mark.parametrize("role", Role.values)
def test_a_role_opens_what_is_for_the_role(collection, username, role):
    person = User.objects.get(username=username)

    if role in roles_in(collection, person):
        assert collection_for(person, collection.slug, role) == collection
    else:
        with pytest.raises(Http404):
            collection_for(person, collection.slug, role)


def test_roles_are_those_of_the_person_in_the_collection(collection, stranger):
    member(collection, Role.ADJUDICATOR, "admin")

    assert roles_in(collection, User.objects.get(username="admin")) == {"admin", "adjudicator"}
    assert roles_in(collection, User.objects.get(username="ann1")) == {"annotator"}
    assert roles_in(collection, stranger) == set()


def test_two_roles_show_a_collection_once(collection):
    person = member(collection, Role.ADJUDICATOR, "admin")

    assert list(Collection.objects.visible_to(person)) == [collection]
    assert list(Collection.objects.with_role(person, Role.values)) == [collection]


def test_a_person_sees_the_collections_of_his_or_her_own(collection, stranger):
    assert [str(found) for found in Collection.objects.visible_to(stranger)] == ["Elsewhere"]
    assert list(Collection.objects.visible_to(UserFactory())) == []


def test_a_stranger_does_not_find_the_home_of_a_collection(client, collection, stranger):
    address = reverse("collection", args=[collection.slug])
    client.force_login(stranger)
    assert client.get(address).status_code == 404

    for username in MEMBERS:
        client.force_login(User.objects.get(username=username))
        assert client.get(address).status_code == 200


def test_a_stranger_does_not_see_the_collection_in_any_list(client, collection, stranger):
    client.force_login(stranger)

    assert "Elsewhere" in client.get(reverse("home"), follow=True).content.decode()
    assert collection.name not in client.get(reverse("home"), follow=True).content.decode()


def test_the_api_lists_own_collections_only(client, collection, stranger):
    token = token_of(stranger.username)
    answer = client.get("/api/v1/collections/", HTTP_AUTHORIZATION=f"Token {token}")

    assert answer.status_code == 200
    assert [found["slug"] for found in answer.json()["results"]] == ["elsewhere"]
