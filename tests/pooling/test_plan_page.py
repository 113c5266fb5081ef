"""The page "Plan the pools": the panel with size and cost, the last plan, and some query papers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.models import Role, User
from corpus.services import create_query
from jobs.context import DirectRun
from jobs.models import Job
from pooling.errors import PoolingError
from pooling.models import LastPlan, Pool
from pooling.services import PoolPlan, build_pools, freeze_pools, save_last_plan
from tests.pooling.test_pages import PLAN
from tests.support.factories import DocumentFactory, a_collection, member
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, a_listed_run, built
from tests.support.visits import address, client_of, markup, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

SENT = {**PLAN, "depth": "500", "runs": ["up", "down"], "interleaved-n": "3"}
LIVE = {"HX-Request": "true"}


@once_a_file
def collection():
    """The pool of q1 has 2 cited papers, and three documents of each of two runs."""
    return a_listed_collection()


def plan_page(admin, query=""):
    return admin.get(f"{address('plan-pools')}{query}")


def calculated(admin, **changes):
    return admin.post(address("plan-pools"), {**SENT, **changes})


def live(admin, **changes):
    return admin.post(address("plan-pools"), {**SENT, **changes}, headers=LIVE)


# The way there


def test_a_collection_without_pools_leads_to_the_plan(admin):
    page = text_of(admin.get(address("pools")))

    assert "No pools yet" in page
    assert f'class="button primary" href="{address("plan-pools")}">Plan the pools' in page


def test_the_plan_needs_query_papers():
    a_collection("bare")

    page = client_of("admin").get(address("plan-pools", slug="bare"))

    assert "No queries yet" in page.text
    assert "Build the pools" not in page.text


def test_with_all_pools_frozen_there_is_nothing_to_plan(collection, admin):
    built(collection)
    freeze_pools(collection=collection)

    page = plan_page(admin)

    assert "All 1 pools are frozen" in text_of(page)
    assert '<h2 id="size">' not in page.text


def test_a_paper_named_plan_has_a_pool_page_of_its_own(collection, admin):
    for docno in ("plan", ":plan"):
        DocumentFactory(collection=collection, docno=docno)
        create_query(collection=collection, docno=docno, facet_key="method")
    built(collection)

    for docno in ("plan", ":plan"):
        page = admin.get(address("pool", docno), follow=True)
        assert page.context["pool"].query_paper.name == docno
    assert "Size and cost" in plan_page(admin).text


@pytest.mark.parametrize(
    ("act", "current"),
    [
        (lambda collection: None, "Plan"),
        (built, "Preview"),
        (lambda collection: Job.objects.create(collection=collection, kind="build_pools"), "Build"),
    ],
)
def test_the_pools_page_says_which_step_is_next(collection, admin, act, current):
    act(collection)

    steps = admin.get(address("pools")).context["steps"]

    assert [step.name for step in steps if step.current] == [current]
    assert [step.name for step in steps] == ["Plan", "Build", "Preview", "Freeze"]


# The panel


def test_the_page_opens_with_the_size_and_cost_of_its_plan(admin):
    page = text_of(plan_page(admin, "?runs=up&runs=down&interleaved-n=3&rate=10&seconds=3600"))

    assert "8 <span>documents" in page
    assert "8 <span>pairs" in page
    # 8 pairs, each 2 + 0.36 times an hour.
    assert "19 hours <span>with two judges" in page
    assert "<dt>At 10 an hour</dt> <dd> 189 </dd>" in page
    assert "Exact: every pool was drawn." in page


def test_the_panel_follows_the_form_and_saves_nothing(admin):
    page = text_of(live(admin, **{"interleaved-n": "1"}))

    assert "4 <span>documents" in page
    assert "<h1>" not in page
    assert 'hx-swap-oob="innerHTML:#plan-sources"' in page
    assert not LastPlan.objects.exists()
    assert not Job.objects.exists()


def test_the_panel_says_what_is_wrong_instead_of_old_numbers(admin):
    page = live(admin, **{"interleaved-n": "none", "runs": []})

    assert page.status_code == 200
    assert "Drawn from: Tick at least one run" in text_of(page)
    assert "<p" in page.text
    assert "n must be a whole number" in text_of(page)
    assert "candidates" not in page.text


def test_the_panel_names_retrievers_without_lists(admin):
    page = markup(live(admin, runs=["up", "bm25_title"]).text)

    assert "At least this many. No ranked lists yet from <code>bm25_title</code>." in page


def test_without_any_list_the_panel_shows_no_number(admin):
    page = text_of(live(admin, runs=["bm25_title"], cited="drawn"))

    assert "No source has ranked lists yet" in page
    assert "candidates" not in page


def test_more_query_papers_cost_the_page_no_more_queries(collection, admin):
    expected = queries_of(admin, address("plan-pools"))
    docnos = [f"m{position:02}" for position in range(25)]
    for docno in docnos:
        DocumentFactory(collection=collection, docno=docno, references=["d02"])
        create_query(collection=collection, docno=docno, facet_key="method")
    a_listed_run(collection, "more", dict.fromkeys(docnos, DOCNOS))

    assert queries_of(admin, address("plan-pools")) <= expected
    assert "Estimated from 20 of 26 query papers." in text_of(plan_page(admin))


# The last plan


def test_calculating_saves_the_plan_and_shows_it_again(collection, admin):
    sent = {"strategy": "rrf", "rrf-size": "7", "mdcr-n": "4", "rate": "12", "only": "not_later"}

    response = calculated(admin, **sent, runs=["down"])

    assert response.url == f"{address('plan-pools')}#size"
    page = plan_page(admin)
    form = page.context["form"]
    for name in ("strategy", "rrf-size", "mdcr-n"):
        assert form[name].value() == sent[name]
    assert (form["runs"].value(), form["only"].value()) == (["down"], ["not_later"])
    assert page.context["costs"]["rate"].value() == "12"
    assert "This is the last plan, saved" in text_of(page)
    assert "by admin" in text_of(page)
    assert not Job.objects.exists()


def test_building_saves_the_plan(admin):
    admin.post(address("build-pools"), {**SENT, "strategy": "take_b"})

    assert plan_page(admin).context["form"]["strategy"].value() == "take_b"


def test_the_last_plan_is_one_row_that_the_next_replaces(collection, admin):
    member(collection, Role.ADMIN, "other")
    calculated(admin)
    client_of("other").post(address("plan-pools"), {**SENT, "seed": "later"})

    last_plan = LastPlan.objects.get()
    assert last_plan.fields["seed"] == ["later"]
    assert last_plan.saved_by == User.objects.get(username="other")


def test_what_was_unticked_stays_unticked(admin):
    calculated(admin, runs=[], more="bm25_text")

    assert plan_page(admin).context["form"]["runs"].value() == []


def test_a_removed_run_of_the_last_plan_is_left_out(collection, admin):
    calculated(admin)
    collection.runs.get(name="up").delete()

    assert plan_page(admin).context["form"]["runs"].value() == ["down"]


def test_the_defaults_are_a_link_away(admin):
    calculated(admin, strategy="rrf")

    page = plan_page(admin, "?defaults")

    assert page.context["form"]["strategy"].value() == "interleaved"
    assert "last plan" not in page.text
    assert LastPlan.objects.get().fields["strategy"] == ["rrf"]


def test_an_address_that_names_a_plan_opens_that_one(admin):
    calculated(admin, strategy="rrf")

    assert plan_page(admin, "?strategy=mdcr").context["form"]["strategy"].value() == "mdcr"


def test_an_invalid_plan_is_not_saved(admin):
    page = calculated(admin, depth="none")

    assert page.status_code == 422
    assert "Enter a whole number." in page.text
    assert not LastPlan.objects.exists()


def test_the_cost_of_an_hour_with_an_error_is_shown_with_it(admin):
    assert "Enter a number." in live_page(admin, rate="much")


def live_page(admin, **changes):
    calculated(admin, **changes)
    return plan_page(admin).text


# Only some query papers


@pytest.fixture
def two_papers(collection):
    DocumentFactory(collection=collection, docno="q2")
    create_query(collection=collection, docno="q2", facet_key="method")
    return collection


def test_only_the_named_query_papers_are_estimated_and_built(two_papers, admin):
    some = {"scope": "some", "papers": " q2\n\nq2 "}

    assert "<dt>1 pool</dt>" in text_of(live(admin, **some))
    admin.post(address("build-pools"), {**SENT, **some})

    assert Job.objects.get().parameters["query_papers"] == ["q2"]


def test_all_query_papers_are_built_whatever_was_written_below(two_papers, admin):
    admin.post(address("build-pools"), {**SENT, "scope": "all", "papers": "q2"})

    assert "query_papers" not in Job.objects.get().parameters


@pytest.mark.parametrize(
    ("papers", "what"),
    [
        ("", "Write at least one id"),
        ("d01", "d01 is not a query paper without a frozen pool"),
        ("q1", "q1 is not a query paper without a frozen pool"),
    ],
)
def test_a_query_paper_that_cannot_be_pooled_is_named(collection, admin, papers, what):
    built(collection)
    freeze_pools(collection=collection)
    DocumentFactory(collection=collection, docno="q2")
    create_query(collection=collection, docno="q2", facet_key="method")

    page = admin.post(address("build-pools"), {**SENT, "scope": "some", "papers": papers})

    assert page.status_code == 422
    assert what in page.context["form"].errors["papers"][0]
    assert not Job.objects.exists()


def test_other_drafts_stay_when_some_pools_are_built(two_papers):
    built(two_papers)
    before = Pool.objects.get(query_paper__name="q1")

    build_pools(
        collection=two_papers, plan=PoolPlan(runs=("up",)), work=DirectRun(), docnos=("q2",)
    )

    assert Pool.objects.get(query_paper__name="q1") == before
    assert Pool.objects.get(query_paper__name="q2").build != before.build


def test_a_build_refuses_a_query_paper_that_is_gone(two_papers):
    with pytest.raises(PoolingError, match="q9 is not a query paper without a frozen pool"):
        build_pools(
            collection=two_papers, plan=PoolPlan(runs=("up",)), work=DirectRun(), docnos=("q9",)
        )


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_admins_who_calculate_at_once_leave_one_plan():
    collection = a_listed_collection()
    admin = User.objects.get(username="admin")

    def save(number):
        try:
            fields = {"seed": [str(number)]}
            save_last_plan(collection=collection, fields=fields, saved_by=admin)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(save, range(12)))

    assert LastPlan.objects.count() == 1
