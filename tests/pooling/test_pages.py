"""The admin's pages about runs and pools."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from corpus.services import create_query
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import Job, State
from pooling import checks, preview, tables
from pooling.checks import PoolChecks, request_due_checks
from pooling.models import Candidate, Pool
from pooling.services import PoolPlan, build_pools, freeze_pools
from pooling.strategies import STRATEGIES
from reports.services import compute_report
from retrieval.formats import ranked, read_run
from retrieval.models import Run
from retrieval.retrievers import BUILT_IN, CATALOGUE
from tests.support.factories import DocumentFactory, a_collection, a_pool, a_query
from tests.support.labels import checked
from tests.support.visits import address, client_of, csv_rows, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PLAN = {
    "strategy": "interleaved",
    "interleaved-n": "2",
    "cited": "forced",
    "depth": "50",
    "seed": "s",
}


@once_a_file
def collection():
    """A query paper q1 that cites d1, and six documents that share words with it."""
    collection = a_collection()
    for name in ("d1", "d2", "d3", "d4", "d5", "d6"):
        DocumentFactory(collection=collection, docno=name, title=f"parsing trees {name}")
    paper = DocumentFactory(
        collection=collection, docno="q1", title="parsing trees", references=["d1"]
    )
    create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_run(collection, "best", ["d3", "d2"])
    return collection


def a_run(collection, name, docnos, **fields):
    run = Run.objects.create(
        collection=collection, name=name, kind="file", depth=len(docnos), **fields
    )
    run.rankings.create(
        query_paper=collection.query_papers.get(),
        docnos=docnos,
        scores=[float(-rank) for rank in range(len(docnos))],
    )
    return run


@pytest.fixture(autouse=True)
def _look_again():
    """The due check remembers when this process last looked."""
    checks.last_look.valid_until = 0


# Runs


def test_the_runs_page_says_what_a_run_holds_and_what_was_left_out(collection, admin):
    a_run(
        collection,
        "second",
        ["d4"],
        report={"outside_corpus": 12, "duplicates": 0, "query_papers_themselves": 1},
    )

    page = text_of(admin.get(address("runs")))

    assert "1 of 1" in page
    assert "12 not in the corpus" in page
    assert "1 the query itself" in page
    assert "listed twice" not in page


def test_the_built_in_retrievers_not_yet_run_are_offered(collection, admin):
    a_run(collection, "bm25_title", ["d1"])

    page = admin.get(address("add-run"))

    assert 'value="tfidf_abstract"' in page.text
    assert 'value="bm25_title"' not in page.text
    assert "Run the 3 usual retrievers" in text_of(admin.get(address("runs")))


def test_running_a_retriever_queues_its_job(collection, admin):
    response = admin.post(address("retrieve"), {"name": "bm25_title"})

    assert response.status_code == 302
    job = Job.objects.get()
    assert (job.kind, job.parameters["name"]) == ("retrieve", "bm25_title")
    assert job.requested_by.username == "admin"


def test_running_all_queues_one_job_for_each(collection, admin):
    admin.post(address("retrieve"), {"name": list(BUILT_IN)})

    assert {job.parameters["name"] for job in Job.objects.all()} == set(BUILT_IN)


def test_an_unknown_retriever_is_refused_in_words(collection, admin):
    page = admin.post(address("retrieve"), {"name": "crystal-ball"}, follow=True)

    assert "crystal-ball" in page.text
    assert not Job.objects.exists()


def test_a_run_downloads_as_a_file_that_reads_back_the_same(collection, admin, tmp_path):
    response = admin.get(address("run-file", "best"))
    path = tmp_path / "best.run"
    path.write_bytes(response.getvalue())

    lists = ranked(read_run(path, name="best.run")).lists
    assert [scored.docno for scored in lists["q1"]] == ["d3", "d2"]
    assert 'filename="small-best.run"' in response["Content-Disposition"]


def test_removing_a_run_asks_first(collection, admin):
    page = admin.post(address("remove-run", "best"))

    assert "Remove the run best?" in page.text
    assert Run.objects.filter(name="best").exists()

    admin.post(address("remove-run", "best"), {"confirmed": "yes"})

    assert not Run.objects.filter(name="best").exists()


def test_a_run_of_a_frozen_pool_stays(collection, admin):
    build_pools(collection=collection, plan=PoolPlan.take(1, runs=("best",)), work=DirectRun())
    freeze_pools(collection=collection)

    page = admin.post(address("remove-run", "best"), {"confirmed": "yes"}, follow=True)

    assert "Frozen pools were drawn from best" in page.text
    assert Run.objects.filter(name="best").exists()
    assert "in frozen pools" in page.text


@pytest.mark.parametrize(("documents", "what"), [(0, "No documents yet"), (1, "No queries yet")])
def test_without_anything_to_search_the_page_says_what_comes_first(documents, what):
    collection = a_collection("bare")
    DocumentFactory.create_batch(documents, collection=collection)

    assert what in client_of("admin").get(address("runs", slug="bare")).text


def test_a_failed_job_is_shown_until_the_next_try(collection, admin):
    Job.objects.create(
        collection=collection, kind="retrieve", key="run:x", state=State.FAILED, error="no luck"
    )
    assert "no luck" in admin.get(address("runs")).text

    Job.objects.create(collection=collection, kind="retrieve", key="run:x", state=State.SUCCEEDED)

    assert "no luck" not in admin.get(address("runs")).text


# Pools


@pytest.fixture
def pooled(collection):
    """Drawn from "best" with n = 3: it had only two, one of which has no text."""
    collection.documents.filter(docno="d2").update(sentences=[], labels=[])
    build_pools(collection=collection, plan=PoolPlan.take(3, runs=("best",)), work=DirectRun())
    return collection


def test_the_pools_page_says_what_was_drawn_and_what_was_missing(pooled, admin):
    page = text_of(admin.get(address("pools")))

    assert "<strong>3</strong> candidates · <strong>2</strong> pairs" in page
    assert "1 too few" in page
    assert "1 without text" in page
    assert "draft" in page


def test_forced_documents_and_draws_are_counted_apart(pooled):
    (row,) = tables.pool_rows(pooled, tables.pool_papers(pooled))

    assert (row.size, row.forced, row.excluded, row.without_text) == (3, 1, 1, 1)
    assert row.draws == (tables.RetrieverDraw("best", 2, 2, 1),)
    assert row.deepest == 2


def test_the_cost_is_two_judgments_a_pair_and_the_adjudication():
    cost = preview.Cost(candidates=4523, pairs=6344, seconds_per_judgment=15)

    assert cost.hours == "62 hours"
    assert cost.judging == "53 hours"


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0.2, "under 1 hour"), (1.2, "1 hour"), (1.6, "2 hours"), (1204.4, "1,204 hours")],
)
def test_hours_are_said_in_words(hours, words):
    assert preview.in_hours(hours) == words


def test_the_overlap_of_two_sources_is_what_both_have_of_what_either_has():
    common = {("a", "a"): 4, ("b", "b"): 3, ("a", "b"): 2, ("b", "a"): 2}

    first, second = tables.overlap_rows(common, {"a": 4}, pooled_count=8)

    assert first.cells == [None, tables.OverlapCell("b", 2, 5)]
    assert (first.share, first.drawn, second.drawn) == (0.5, 4, 0)
    assert first.cells[1].heat == 4


def test_sources_that_share_nothing_have_no_heat():
    first, _ = tables.overlap_rows({("a", "a"): 1, ("b", "b"): 1}, {}, pooled_count=2)

    assert first.cells[1] == tables.OverlapCell("b", 0, 2)
    assert first.cells[1].heat == 0


def test_the_cost_is_calculated_with_what_the_address_says(pooled, admin):
    page = admin.get(
        address("pools"), {"seconds": "3600", "adjudicated": "50", "rate": "10", "sort": "-size"}
    )

    # 2 pairs, 2 judges, an hour each; half of the pairs again: 5 hours.
    assert "<strong>5 hours</strong>" in page.text
    assert "<strong>50</strong> at 10 an hour" in text_of(page)
    assert "rate=10&amp;sort=" in page.text


@pytest.mark.parametrize("wrong", [{"seconds": "0"}, {"adjudicated": "101"}, {"rate": "much"}])
def test_a_cost_that_cannot_be_calculated_says_why(pooled, admin, wrong):
    page = admin.get(address("pools"), wrong)

    assert page.status_code == 200
    assert "errorlist" in page.text


def test_the_preview_names_what_to_look_at(pooled, admin):
    pooled.documents.filter(docno="d3").update(title="Parsing trees: D1")
    compute_report(PoolChecks(), collection=pooled)
    page = text_of(admin.get(address("pools")))

    assert "Warnings to check before freezing" in page
    # One has no text; the sentences of the others have three words each.
    assert "4</span> documents have an empty or very short abstract" in page
    assert "1</span> pair of near-duplicate titles within a pool" in page


def test_the_preview_tells_what_each_retriever_does(pooled):
    a_run(pooled, "other", ["d5", "d2"])
    build_pools(collection=pooled, plan=PoolPlan.take(1, runs=("best", "other")), work=DirectRun())
    preview = tables.preview_of(pooled)

    assert [(share.source, share.drawn, share.alone) for share in preview.shares] == [
        ("best", 1, 1),
        ("other", 1, 1),
    ]
    at_pool, at_usual = preview.matrices
    assert (at_pool.depth, at_pool.cells[0][1][1].share) == (0, 0)
    assert (at_usual.depth, at_usual.cells[0][1][1].percent) == (25, pytest.approx(100 / 3))


def test_pools_without_lists_are_compared_by_what_they_hold(collection, admin):
    a_pool(collection.query_papers.get(), list(collection.documents.filter(docno="d1")))

    compute_report(PoolChecks(), collection=collection)

    page = admin.get(address("pools")).text

    assert "Overlap of the sources" in page
    assert "Contribution of each retriever" not in page


def test_more_pools_and_lists_cost_no_more_queries(collection, admin, django_assert_num_queries):
    def build():
        build_pools(collection=collection, plan=PoolPlan.take(1, depth=20), work=DirectRun())

    build()
    expected = queries_of(admin, address("pools"))
    for docno in ("d2", "d3", "d4"):
        create_query(collection=collection, docno=docno, facet_key="method")
    build()

    with django_assert_num_queries(expected):
        admin.get(address("pools"))


def many_papers(collection, number):
    """Query papers m000, m001, … with a pool of one to three candidates each."""
    documents = list(collection.documents.filter(docno__in=("d4", "d5", "d6")))
    for position in range(number):
        paper = DocumentFactory(collection=collection, docno=f"m{position:03}", title="Mixed")
        query = create_query(collection=collection, docno=paper.docno, facet_key="method")
        a_pool(query.query_paper, documents[: 1 + position % 3])


def docnos(page):
    return [row.docno for row in page.context["table"].rows]


def test_a_page_has_fifty_rows_and_costs_the_same_for_any_number_of_pools(
    collection, admin, django_assert_num_queries
):
    many_papers(collection, 3)
    compute_report(PoolChecks(), collection=collection)
    expected = queries_of(admin, address("pools"))
    DocumentFactory(collection=collection, docno="x")
    many = a_collection("many")
    for docno in ("d4", "d5", "d6"):
        DocumentFactory(collection=many, docno=docno)
    many_papers(many, 60)
    compute_report(PoolChecks(), collection=many)

    with django_assert_num_queries(expected):
        page = admin.get(address("pools", slug="many"))

    assert docnos(page) == [f"m{position:03}" for position in range(50)]
    assert "1–50 of 60" in text_of(page)
    assert "data-filter" not in page.text
    with django_assert_num_queries(expected):
        page = admin.get(page.context["rows"].after)
    assert docnos(page) == [f"m{position:03}" for position in range(50, 60)]


def test_the_confirmation_of_freezing_reads_no_single_pool(
    collection, admin, django_assert_max_num_queries
):
    many_papers(collection, 2)
    with CaptureQueriesContext(connection) as few:
        admin.post(address("freeze-pools"))
    many = a_collection("many")
    for docno in ("d4", "d5", "d6"):
        DocumentFactory(collection=many, docno=docno)
    many_papers(many, 12)

    with django_assert_max_num_queries(len(few)):
        page = admin.post(address("freeze-pools", slug="many"))

    assert "Freeze 12 pools permanently?" in text_of(page)


def test_the_table_is_sorted_in_the_database_with_missing_values_last(collection, admin):
    many_papers(collection, 3)  # q1 has no pool

    up = docnos(admin.get(address("pools"), {"sort": "size"}))
    down = docnos(admin.get(address("pools"), {"sort": "-size"}))

    assert up == ["m000", "m001", "m002", "q1"]
    assert down == ["m002", "m001", "m000", "q1"]
    for sort in tables.POOL_SORTS:
        assert sorted(docnos(admin.get(address("pools"), {"sort": sort}))) == sorted(up)


def test_the_table_is_filtered_by_every_word_of_docno_or_title(collection, admin):
    many_papers(collection, 2)

    page = admin.get(address("pools"), {"q": "M001 mixed"})

    assert docnos(page) == ["m001"]
    assert "Show all 3" in text_of(admin.get(address("pools"), {"q": "m001 nothing"}))


def test_a_table_that_is_on_one_page_is_filtered_while_typing(pooled, admin):
    assert 'data-filter="pool-rows"' in admin.get(address("pools")).text


# Checks


def test_pools_that_are_not_checked_yet_say_so_and_load_the_result(pooled, admin):
    page = admin.get(address("pools"))

    assert "The pools are not checked yet. They are being checked now" in text_of(page)
    assert 'hx-select="#pool-checks"' in page.text

    compute_report(PoolChecks(), collection=pooled)
    page = admin.get(address("pools"))

    assert "being checked" not in page.text
    assert "hx-select" not in page.text
    assert "Contribution of each retriever" in page.text


@pytest.mark.parametrize("change", ["build", "document"])
def test_checks_of_an_earlier_state_say_so(pooled, admin, change):
    compute_report(PoolChecks(), collection=pooled)
    if change == "build":
        build_pools(collection=pooled, plan=PoolPlan.take(2, runs=("best",)), work=DirectRun())
    else:
        checked(pooled.documents.get(docno="d3"), ["result"] * 3)

    page = admin.get(address("pools"))

    assert "so they may no longer apply" in text_of(page)
    assert 'hx-select="#pool-checks"' in page.text


def test_the_checks_stay_current_when_pools_are_frozen(pooled, admin):
    compute_report(PoolChecks(), collection=pooled)

    freeze_pools(collection=pooled)

    assert "no longer apply" not in text_of(admin.get(address("pools")))


def test_a_worker_checks_new_pools_by_itself(pooled, admin):
    request_due_checks()
    request_due_checks()
    job = Job.objects.get(kind="check_pools")
    jobs.run(job.pk)

    assert Job.objects.get(pk=job.pk).state == State.SUCCEEDED
    assert "being checked" not in admin.get(address("pools")).text
    request_due_checks()
    assert Job.objects.filter(kind="check_pools").count() == 1


def test_checks_that_failed_are_not_requested_again_for_the_same_pools(pooled, admin):
    request_due_checks()
    Job.objects.filter(kind="check_pools").update(state=State.FAILED, error="no luck")
    checks.last_look.valid_until = 0

    request_due_checks()

    assert Job.objects.filter(kind="check_pools").count() == 1
    page = admin.get(address("pools"))
    assert "The check failed. See the job above." in text_of(page)
    assert 'hx-select="#pool-checks"' not in page.text


def test_a_report_that_began_earlier_does_not_replace_a_later_one(pooled):
    later = compute_report(PoolChecks(), collection=pooled)
    pooled.stored_reports.update(checked_at=timezone.now() + timedelta(minutes=1), state="later")

    compute_report(PoolChecks(), collection=pooled)

    assert pooled.stored_reports.get(pk=later.pk).state == "later"


def test_a_preview_is_the_same_after_it_was_stored(pooled, collection):
    a_pool(
        create_query(collection=pooled, docno="d5", facet_key="method").query_paper,
        [pooled.documents.get(docno="d5"), pooled.documents.get(docno="d6")],
    )
    pooled.documents.filter(docno="d6").update(title="parsing trees d5")
    found = tables.preview_of(pooled)
    stored = json.loads(json.dumps(found.as_json()))

    assert tables.Preview.from_json(stored) == found
    assert found.own_pool.total == found.near_duplicates.total == 1


def test_building_pools_queues_the_job_with_the_plan(collection, admin):
    admin.post(address("build-pools"), {**PLAN, "runs": ["best", "bm25_title"]})

    job = Job.objects.get()
    assert job.kind == "build_pools"
    assert job.parameters == {
        "strategy": "interleaved",
        "parameters": {"n": 2},
        "forced": ["cited"],
        "excluded": [],
        "only": [],
        "seed": "s",
        "runs": ["best", "bm25_title"],
        "depth": 50,
    }


def test_only_the_chosen_strategy_s_parameters_count(collection, admin):
    sent = {**PLAN, "strategy": "rrf", "rrf-size": "30", "rrf-depth": "40", "mdcr-n": "none"}

    admin.post(address("build-pools"), {**sent, "runs": ["best"], "more": "bm25_text"})

    parameters = Job.objects.get().parameters
    assert (parameters["strategy"], parameters["parameters"]) == (
        "rrf",
        {"size": 30, "depth": 40, "k": 60.0},
    )
    assert parameters["runs"] == ["best", "bm25_text"]


def test_every_strategy_and_retriever_can_be_chosen(collection, admin):
    page = admin.get(address("plan-pools")).text

    for strategy in STRATEGIES.values():
        assert strategy.title in page
        for parameter in strategy.parameters:
            assert f'name="{strategy.name}-{parameter.name}"' in page
    for name in CATALOGUE:
        assert f'value="{name}"' in page


def test_cited_papers_like_any_other_are_not_forced(collection, admin):
    admin.post(address("build-pools"), {**PLAN, "cited": "drawn", "runs": ["best"]})

    assert Job.objects.get().parameters["forced"] == []


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"runs": []}, "Tick at least one run"),
        ({"runs": ["best"], "interleaved-n": "0"}, "must be a whole number, at least 1"),
        ({"runs": ["best"], "interleaved-n": "90"}, "reads 90 documents of each list"),
        (
            {"runs": ["best"], "strategy": "mdcr", "mdcr-n": "9", "mdcr-top": "8"},
            "must be from 1 to top",
        ),
        ({"runs": ["best"], "more": "bm25_title@method"}, "a title has no facets"),
        ({"runs": ["nothing"]}, "nothing"),
    ],
)
def test_a_wrong_plan_says_why_and_keeps_what_was_typed(collection, admin, changed, what):
    page = admin.post(address("build-pools"), {**PLAN, "seed": "my own", **changed})

    assert page.status_code == 422
    assert what in page.text
    assert 'value="my own"' in page.text
    assert not Job.objects.exists()


def test_a_build_over_drafts_says_that_they_are_replaced(pooled, admin):
    assert "1 pool is a draft and is replaced." in text_of(admin.get(address("plan-pools")))


def test_freezing_asks_first_and_says_how_much(pooled, admin):
    page = admin.post(address("freeze-pools"))

    assert "Freeze 1 pool permanently?" in text_of(page)
    assert "3 candidates" in page.text
    assert not Pool.objects.frozen().exists()

    admin.post(address("freeze-pools"), {"confirmed": "yes"})

    assert Pool.objects.frozen().count() == 1


def test_freezing_leaves_other_collections_alone(pooled, admin):
    a_query(a_collection("other"))

    admin.post(address("freeze-pools"), {"confirmed": "yes"})

    assert not Pool.objects.frozen().filter(query_paper__collection__slug="other").exists()


def test_a_collection_without_queries_is_told_what_comes_first():
    a_collection("bare")

    assert "No queries yet" in client_of("admin").get(address("pools", slug="bare")).text


def test_a_query_paper_without_pool_is_listed(collection, admin):
    a_query(collection)

    assert "no pool yet" in admin.get(address("pools")).text


# One pool


def test_a_pool_says_that_its_retrievers_drew_one_document_a_round(pooled, admin):
    assert "one document a round" in text_of(admin.get(address("query", "q1_method")))


def test_a_pool_shows_its_candidates_in_draw_order_with_every_source(pooled, admin):
    page = admin.get(address("query", "q1_method"))

    assert [row.docno for row in page.context["rows"]] == ["d1", "d3", "d2"]
    drawers = [row.drawer.source for row in page.context["rows"]]
    assert drawers == ["cited", "best", "best"]
    assert "not judged no text in the corpus" in " ".join(re.sub("<[^>]+>", " ", page.text).split())


def test_a_pool_can_be_sorted_and_filtered_without_script(pooled, admin):
    rows = admin.get(address("query", "q1_method"), {"sort": "-docno"}).context["rows"]
    assert [row.docno for row in rows] == ["d3", "d2", "d1"]

    rows = admin.get(address("query", "q1_method"), {"q": "CITED"}).context["rows"]
    assert [row.docno for row in rows] == ["d1"]


def test_what_has_no_value_comes_last_in_either_direction(pooled, admin):
    up = admin.get(address("query", "q1_method"), {"sort": "rank"}).context["rows"]
    down = admin.get(address("query", "q1_method"), {"sort": "-rank"}).context["rows"]

    assert [row.docno for row in up] == ["d3", "d2", "d1"]
    assert [row.docno for row in down] == ["d2", "d3", "d1"]


def test_a_docno_with_a_slash_has_its_page():
    collection = a_collection("doi")
    paper = DocumentFactory(collection=collection, docno="10.1145/3 a")
    query = create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_pool(query.query_paper, [DocumentFactory(collection=collection)])

    page = client_of("admin").get(address("pool", paper.docno, slug="doi"))

    assert page.url == address("query", query.name, slug="doi")
    assert client_of("admin").get(page.url).status_code == 200


# Cost of the pages


@pytest.mark.parametrize("name", ["runs", "pools"])
def test_more_rows_cost_no_more_queries(pooled, admin, name, django_assert_num_queries):
    expected = queries_of(admin, address(name))
    for number in range(4):
        a_query(pooled, size=number + 1)
        Run.objects.create(collection=pooled, name=f"run{number}", kind="file")

    with django_assert_num_queries(expected):
        admin.get(address(name))


def test_more_candidates_cost_no_more_queries(collection, admin, django_assert_num_queries):
    few, many = a_query(collection, size=2), a_query(collection, size=9)
    expected = queries_of(admin, address("query", few.name))

    with django_assert_num_queries(expected):
        admin.get(address("query", many.name))


# Filters and the file


def pool_lines(admin, **asked) -> list[dict[str, str]]:
    answer = admin.get(address("pools"), {**asked, "format": "csv"})
    return csv_rows(answer)


def test_pools_are_filtered_by_state_and_shortfall(collection, admin):
    many_papers(collection, 3)
    frozen, short, missing = "m000", "m001", "m002"
    Pool.objects.filter(query_paper__name=frozen).update(frozen_at=timezone.now())
    Pool.objects.filter(query_paper__name=short).update(shortfall_sum=2)
    Pool.objects.filter(query_paper__name=missing).delete()

    def found(**asked):
        return [line["docno"] for line in pool_lines(admin, **asked)]

    assert found() == [frozen, short, missing, "q1"]
    assert found(state="frozen") == [frozen]
    assert found(state="draft") == found(shortfall="yes") == [short]
    assert found(state="none", sort="-size", q="m") == [missing]
    assert docnos(admin.get(address("pools"), {"state": "draft"})) == [short]


def test_the_file_of_pools_has_the_columns_and_the_order_of_the_page(collection, admin):
    many_papers(collection, 3)
    shown = ["size", "retrievers", "state"]
    admin.post(reverse("choose-columns", args=["pools"]), {"column": shown, "next": "/"})

    lines = pool_lines(admin, sort="-docno")

    assert list(lines[0]) == ["docno", "title", "size", "drawn", "state"]
    assert [line["docno"] for line in lines] == ["q1", "m002", "m001", "m000"]
    assert "sort=-excluded" not in admin.get(address("pools")).text


def test_candidates_are_filtered_by_source_and_downloaded(collection, admin):
    many_papers(collection, 3)
    page = address("query", "m002_method")
    Candidate.objects.filter(pool__query_paper__name="m002", position=2).update(excluded="no-text")

    def found(**asked):
        answer = admin.get(page, {**asked, "format": "csv"})
        lines = csv_rows(answer)
        return [line["docno"] for line in lines]

    assert found(sort="-docno") == ["d6", "d5", "d4"]
    assert found(source="bm25_title", q="d4") == ["d4"]
    assert found(source="unknown") == ["d4", "d5", "d6"]
    assert found(excluded="yes") == ["d5"]
    assert [row.docno for row in admin.get(page, {"excluded": "yes"}).context["rows"]] == ["d5"]
