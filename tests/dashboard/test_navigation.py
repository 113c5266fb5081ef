import pytest
from django.test import RequestFactory

from accounts.models import Role, User
from dashboard.navigation.context import Navigation, address, navigation, navigation_for
from dashboard.navigation.stages import STAGES
from tests.support.factories import member

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def navigation_of(collection, username, path="/c/small/") -> Navigation:
    request = RequestFactory().get(path)
    request.user = User.objects.get(username=username)
    return navigation_for(request, collection)


def labels(links):
    return [link.caption for link in links]


def test_each_role_gets_the_stages_of_its_own_pages(collection):
    assert labels(navigation_of(collection, "ann1").stages) == ["Overview", "Judge"]
    assert labels(navigation_of(collection, "adju").stages) == ["Overview", "Adjudicate"]
    assert labels(navigation_of(collection, "admin").stages) == [
        *("Overview", "Corpus", "Curation", "Pools", "Judging", "Evaluation", "Trust"),
        *("Results", "Settings"),
    ]


def test_a_person_with_two_roles_sees_the_own_work_first_and_both_roles(collection):
    member(collection, Role.ADJUDICATOR, "admin")

    shown = navigation_of(collection, "admin")

    assert labels(shown.stages)[:3] == ["Overview", "Adjudicate", "Corpus"]
    assert shown.role_names == ["Admin", "Adjudicator"]


@pytest.mark.parametrize(
    ("path", "parent"),
    [
        ("/c/small/", None),
        ("/c/small/documents/", None),
        ("/c/small/documents/id/queries/", "Documents"),
        ("/c/small/jobs/17/", "Jobs"),
        ("/c/small/evaluation/errors/", None),
        ("/c/small/evaluation/errors/tag/", "Errors"),
        ("/c/small/evaluation/baselines/", "Leaderboard"),
    ],
)
def test_a_page_below_one_of_the_navigation_names_it_as_its_parent(collection, path, parent):
    shown = navigation_of(collection, "admin", path)

    assert (shown.parent and shown.parent.caption) == parent


@pytest.mark.parametrize(
    ("path", "stage", "page"),
    [
        ("/c/small/", "Overview", "Overview"),
        ("/c/small/documents/", "Corpus", "Documents"),
        ("/c/small/documents/id/queries/", "Corpus", "Documents"),
        ("/c/small/people/", "Judging", "People"),
        ("/c/small/jobs/17/", "Settings", "Jobs"),
    ],
)
def test_a_page_and_its_stage_are_current_on_the_page_and_below(collection, path, stage, page):
    shown = navigation_of(collection, "admin", path)

    current = [link for link in shown.stages if link.current]
    assert labels(current) == [stage]
    assert labels(link for link in current[0].pages if link.current) == [page]


def test_elsewhere_nothing_is_current(collection):
    shown = navigation_of(collection, "admin", "/c/small/elsewhere/")
    assert not any(stage.current for stage in shown.stages)
    assert shown.second_level is None


def test_the_second_level_lists_the_pages_of_a_stage_that_has_several(collection):
    on_runs = navigation_of(collection, "admin", "/c/small/runs/")
    assert labels(on_runs.second_level.pages) == ["Runs", "Pools"]
    assert navigation_of(collection, "admin").second_level is None


def test_every_page_of_the_map_has_an_address(collection):
    for stage in STAGES:
        for page in stage.pages:
            assert address(collection, page.url_name), page


def test_an_unknown_page_has_no_address(collection):
    assert address(collection, "no-such-page") == ""
    assert address(collection, "documents") == "/c/small/documents/"


def test_outside_a_collection_there_is_no_navigation():
    assert navigation(RequestFactory().get("/")) == {}


def test_the_navigation_needs_no_query_until_it_is_shown(collection, django_assert_num_queries):
    request = RequestFactory().get("/c/small/")
    request.user = User.objects.get(username="ann1")
    request.collection = collection

    with django_assert_num_queries(0):
        context = navigation(request)
    with django_assert_num_queries(1):
        assert len(context["navigation"].stages) == 2
        assert not context["navigation"].can_search


def test_a_page_whose_address_is_below_that_of_another_stage_is_in_one_stage(collection):
    stages = navigation_of(collection, "admin", "/c/small/evaluation/pool-bias/").stages

    assert [stage.caption for stage in stages if stage.current] == ["Trust"]
