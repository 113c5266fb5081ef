import pytest
from django.test import RequestFactory

from accounts.models import Collection, Role, User
from dashboard.navigation.context import Navigation, address, navigation, navigation_for
from dashboard.navigation.stages import ACTIONS, STAGES
from tests.support.factories import member

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def navigation_of(collection, username, path="/c/small/") -> Navigation:
    request = RequestFactory().get(path)
    request.user = User.objects.get(username=username)
    return navigation_for(request, collection)


def labels(links):
    return [link.caption for link in links]


def pages_of(collection, username) -> dict[str, list[str]]:
    stages = navigation_of(collection, username).stages
    return {stage.caption: labels(stage.pages) for stage in stages}


def test_each_role_gets_the_stages_of_its_own_pages(collection):
    member(collection, Role.CURATOR, "curator")

    assert pages_of(collection, "ann1") == {
        "Overview": ["Overview"],
        "Judging": ["Judge", "Guidelines"],
    }
    assert pages_of(collection, "adju") == {
        "Overview": ["Overview"],
        "Judging": ["Adjudicate", "Guidelines"],
    }
    assert pages_of(collection, "curator") == {
        "Overview": ["Overview"],
        "Corpus": ["Labels", "Choice of queries"],
    }
    assert list(pages_of(collection, "admin")) == [
        *("Overview", "Corpus", "Pools", "Judging", "Evaluation", "Release", "Settings"),
    ]


def test_a_person_with_two_roles_sees_the_own_work_first_and_both_roles(collection):
    member(collection, Role.ADJUDICATOR, "admin")

    shown = navigation_of(collection, "admin")

    judging = next(stage for stage in shown.stages if stage.caption == "Judging")
    assert labels(judging.pages)[:2] == ["Adjudicate", "Progress"]
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
        ("/c/small/systems/bm25", "Leaderboard"),
        ("/c/small/screening/", None),
        ("/c/small/screening/2020/", "Choice of queries"),
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
        ("/c/small/choice/", "Corpus", "Choice of queries"),
        ("/c/small/datasheet/", "Release", "Release"),
        ("/c/small/evaluation/pool-bias/", "Evaluation", "Pool bias"),
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
    assert labels(on_runs.second_level.pages) == ["Pools", "Runs"]
    assert navigation_of(collection, "admin").second_level is None


def test_every_page_of_the_map_has_an_address(collection):
    for stage in STAGES:
        for page in stage.pages:
            assert address(collection, page.url_name), page
            assert all(address(collection, step.url_name) for step in page.steps), page
    for action in ACTIONS:
        assert address(collection, action.url_name), action


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


def test_the_steps_of_a_page_are_shown_on_each_of_them_to_those_who_open_several(collection):
    member(collection, Role.CURATOR, "curator")

    steps = navigation_of(collection, "admin", "/c/small/screening/").steps
    assert [(step.caption, step.current) for step in steps] == [
        ("Sample", False),
        ("Screen", True),
        ("Choose", False),
    ]
    assert navigation_of(collection, "admin").steps == ()
    assert navigation_of(collection, "curator", "/c/small/screening/").steps == ()


def test_the_link_to_a_page_with_steps_opens_the_first_step_that_the_role_opens(collection):
    member(collection, Role.CURATOR, "curator")

    def link(username):
        corpus = navigation_of(collection, username).stages[1]
        return next(page.url for page in corpus.pages if page.caption == "Choice of queries")

    assert link("admin") == "/c/small/samples/"
    assert link("curator") == "/c/small/screening/"


def test_judges_find_the_training_where_a_qualification_is_needed(collection):
    Collection.objects.update(qualifying_rho=0.5)

    assert pages_of(Collection.objects.get(), "ann1")["Judging"] == [
        *("Judge", "Guidelines", "Training")
    ]


def test_the_navigation_has_seven_stages_and_few_pages(collection):
    assert len(STAGES) == 7
    assert max(len(stage.pages) for stage in STAGES) <= 10


def test_the_links_between_the_pages_of_evaluation_keep_the_choices_of_the_address(collection):
    request = RequestFactory().get("/c/small/evaluation/", {"measure": "AP", "q": "bm25"})
    request.user = User.objects.get(username="admin")

    stages = {stage.caption: stage for stage in navigation_for(request, collection).stages}

    assert {page.url.partition("?")[2] for page in stages["Evaluation"].pages} == {"measure=AP"}
    assert {page.url.partition("?")[2] for page in stages["Corpus"].pages} == {""}
    assert stages["Evaluation"].current
