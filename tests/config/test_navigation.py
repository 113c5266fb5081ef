import pytest
from django.test import RequestFactory

from accounts.models import Role, User
from config.navigation import address, navigation, places_for
from tests.factories import a_collection, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return a_collection()


def places(collection, username, path="/c/small/"):
    request = RequestFactory().get(path)
    request.user = User.objects.get(username=username)
    return places_for(request, collection)


def names(found):
    return [place.name for place in found]


def test_each_role_gets_its_own_places(collection):
    assert names(places(collection, "ann1")) == ["Overview", "Judge"]
    assert names(places(collection, "adju")) == ["Overview", "Adjudicate"]
    assert names(places(collection, "admin"))[:3] == ["Overview", "Documents", "Queries"]


def test_somebody_with_two_roles_sees_each_place_once(collection):
    member(collection, Role.ADJUDICATOR, "admin")

    found = names(places(collection, "admin"))

    assert found[:3] == ["Overview", "Adjudicate", "Documents"]
    assert len(found) == len(set(found))


def test_a_place_is_current_on_its_page_and_below(collection):
    def current(path):
        return [place.name for place in places(collection, "admin", path) if place.current]

    assert current("/c/small/") == ["Overview"]
    assert current("/c/small/documents/") == ["Documents"]
    assert current("/c/small/documents/id/queries/") == ["Documents"]
    assert current("/c/small/elsewhere/") == []


def test_a_page_that_no_app_brings_is_no_place(collection):
    assert address(collection, "no-such-page") == ""
    assert address(collection, "documents") == "/c/small/documents/"


def test_outside_a_collection_there_are_no_places():
    assert navigation(RequestFactory().get("/")) == {}


def test_places_cost_nothing_until_they_are_shown(collection, django_assert_num_queries):
    request = RequestFactory().get("/c/small/")
    request.user = User.objects.get(username="ann1")
    request.collection = collection

    with django_assert_num_queries(0):
        context = navigation(request)
    with django_assert_num_queries(1):
        assert len(context["places"]) == 2
        assert list(context["places"])
