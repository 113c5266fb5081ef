import pytest
from django.test import RequestFactory

from accounts.models import Role, User
from dashboard.navigation import address, navigation, tabs_for
from tests.support.factories import a_collection, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return a_collection()


def tabs(collection, username, path="/c/small/"):
    request = RequestFactory().get(path)
    request.user = User.objects.get(username=username)
    return tabs_for(request, collection)


def names(found):
    return [tab.name for tab in found]


def test_each_role_gets_its_own_tabs(collection):
    assert names(tabs(collection, "ann1")) == ["Overview", "Judge"]
    assert names(tabs(collection, "adju")) == ["Overview", "Adjudicate"]
    assert names(tabs(collection, "admin"))[:3] == ["Overview", "Documents", "Queries"]


def test_a_person_with_two_roles_sees_each_tab_once(collection):
    member(collection, Role.ADJUDICATOR, "admin")

    found = names(tabs(collection, "admin"))

    assert found[:3] == ["Overview", "Adjudicate", "Documents"]
    assert len(found) == len(set(found))


def test_a_tab_is_current_on_its_page_and_below(collection):
    def current(path):
        return [tab.name for tab in tabs(collection, "admin", path) if tab.current]

    assert current("/c/small/") == ["Overview"]
    assert current("/c/small/documents/") == ["Documents"]
    assert current("/c/small/documents/id/queries/") == ["Documents"]
    assert current("/c/small/elsewhere/") == []


def test_an_unknown_page_has_no_address(collection):
    assert address(collection, "no-such-page") == ""
    assert address(collection, "documents") == "/c/small/documents/"


def test_outside_a_collection_there_are_no_tabs():
    assert navigation(RequestFactory().get("/")) == {}


def test_tabs_need_no_query_until_they_are_shown(collection, django_assert_num_queries):
    request = RequestFactory().get("/c/small/")
    request.user = User.objects.get(username="ann1")
    request.collection = collection

    with django_assert_num_queries(0):
        context = navigation(request)
    with django_assert_num_queries(1):
        assert len(context["places"]) == 2
        assert list(context["places"])
