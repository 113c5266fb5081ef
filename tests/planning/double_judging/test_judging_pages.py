"""The page that plans the judging: CSFCube's figures, own ones, and the lists of pairs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from planning.double_judging import pair_list
from planning.double_judging.offers import offers
from planning.double_judging.pair_list import NoPairList, listed_pairs, pairs_to_judge
from planning.double_judging.plan_tables import MEASURED_COLUMNS, UNDEFINED, plan_lines
from planning.double_judging.report import JudgingPlansReport
from planning.double_judging.strategies import STRATEGIES
from planning.double_judging.views import csfcube_figures
from reports.services import compute_report, stored_report
from tests.planning.double_judging.test_compare_judging_plans import GRADES
from tests.planning.test_choose_models import a_run
from tests.support.factories import a_collection, a_query, an_open_query
from tests.support.sittings import judge, judge_both, settle, slots_of
from tests.support.visits import address, client_of, csv_rows, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

DOCS = Path(__file__).parents[3] / "docs" / "judging_plans.md"


@once_a_file
def collection():
    """A finished query of six pairs, one with a single judgment, one that is not open; a run."""
    collection = a_collection()
    opening = an_open_query(collection, size=6)
    slots = judge_both(opening, *GRADES)
    settle(slots[-1], collection.memberships.get(role="adjudicator").user, 3)
    half = an_open_query(collection, size=4)
    judge(slots_of(half, "ann1")[0], 3)
    closed = a_query(collection, size=2)
    lists = {
        each.query_paper.document.docno: [
            candidate.document.docno
            for candidate in each.query_paper.pool.candidates.order_by("position")
        ]
        for each in (opening.query, half.query, closed)
    }
    a_run(collection, "best", lists)
    return collection


@pytest.fixture
def admin(collection):
    return client_of("admin")


def test_before_any_comparison_the_page_shows_csfcubes_figures_and_says_so(admin):
    page = text_of(admin.get(address("plan-judging"), {"hours": "30", "pairs": "4000"}))

    assert "These are the figures of another collection, CSFCube: 4,039 pairs of 33 queries" in page
    assert "Two judges for each pair stay the default. Nothing is changed or saved here." in page
    assert "Two judges for each of 4,000 pairs, with the adjudicator, take 39 hours." in page
    # random at 1.5 judgments for each pair: 28.3 hours for 4,039 pairs.
    cells = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Second judge at random 28.1 2,000 2,000 0 0 9.9 ± 0.6 1.6 ± 0.2 17.3 ± 3.2" in cells
    assert "What 30 hours buy" in page


def test_after_a_comparison_the_page_shows_the_own_figures(collection, admin):
    answer = admin.post(address("compare-judging-plans"), {"model": "best"}, follow=True)
    assert "Comparing the plans on this collection’s finished queries." in text_of(answer)
    compute_report(JudgingPlansReport("best"), collection=collection)

    page = text_of(admin.get(address("plan-judging")))

    assert "From 6 pairs of 1 finished query of this collection" in page
    assert "Fewer than ten queries say little" in page
    assert "another collection" not in page
    assert "another collection" in text_of(admin.get(address("plan-judging"), {"basis": "csfcube"}))
    report = stored_report(JudgingPlansReport("best"), collection)
    assert report is not None
    assert admin.get(address("judging-plans-json")).json()["pairs"] == 6


def test_new_judgments_make_the_figures_out_of_date(collection, admin):
    compute_report(JudgingPlansReport("best"), collection=collection)
    assert "Changed since then" not in admin.get(address("plan-judging")).text

    judge_both(an_open_query(collection, size=1), (1, 1))

    assert "Changed since then: the labels" in text_of(admin.get(address("plan-judging")))


def test_an_unknown_model_is_refused_in_words(admin):
    answer = admin.post(address("compare-judging-plans"), {"model": "zzz"}, follow=True)

    assert 'No model "zzz". There are: best' in unescape(text_of(answer))


def test_a_wrong_number_is_marked_and_the_default_is_used(admin):
    page = admin.get(address("plan-judging"), {"hours": "-3", "pairs": "x"})

    assert page.status_code == 200
    assert page.text.count("errorlist") == 2


def test_a_list_has_each_pair_without_two_judgments_once(collection, admin):
    rows = csv_rows(admin.get(address("judging-plan-csv", "random"), {"budget": "1.5"}))

    assert pairs_to_judge(collection) == (12, 6)
    assert len({(row["query"], row["docno"]) for row in rows}) == len(rows) == 6
    assert [row["judges"] for row in rows] == ["2"] * 3 + ["1"] * 3
    assert [row["label"] for row in rows] == ["final"] * 3 + ["first judge"] * 3
    assert [row["place"] for row in rows] == list("123456")


@pytest.mark.parametrize(
    ("plan", "budget", "judges"),
    [
        ("double", "1.3", [0, 0, 0, 0, 2, 2]),  # the query of four pairs does not fit
        ("uncertainty", "1.5", [1, 1, 1, 2, 2, 2]),
        ("lara", "1", [0, 0, 0, 2, 2, 2]),
        ("hybrid", "1", [0, 0, 0, 2, 2, 2]),
    ],
)
def test_a_list_spends_the_budget(collection, plan, budget, judges):
    rows = listed_pairs(collection, STRATEGIES[plan], budget=budget)

    assert sorted(row.judges for row in rows) == judges
    unlabelled = {row.label for row in rows if not row.judges}
    assert unlabelled <= ({"model"} if plan in ("lara", "hybrid") else {"none"})


def test_the_hybrid_pool_begins_at_the_top_of_the_lists(collection):
    rows = listed_pairs(collection, STRATEGIES["hybrid"], budget="1")

    tops = {row.docno for row in rows[:2]}
    first = {
        next(docno for docno in ranking.docnos if docno in {row.docno for row in rows})
        for ranking in collection.runs.get(name="best").rankings.all()
        if set(ranking.docnos) & {row.docno for row in rows}
    }
    assert tops == first


def test_no_list_tells_a_single_judgment(collection):
    """Another grade in one slot changes no list, and plans that would read it have none."""
    listed = [plan for plan in STRATEGIES.values() if not plan.needs_first]
    before = [listed_pairs(collection, plan, budget="1.5") for plan in listed]
    half = collection.queries.filter(pair_count__judged=0, opening__isnull=False).get()
    slot = half.pairs.get(slots__judgment__isnull=False).slots.get(judgment__isnull=False)
    judge(slot, 0)

    assert [listed_pairs(collection, plan, budget="1.5") for plan in listed] == before
    for plan in STRATEGIES.values():
        if plan.needs_first:
            with pytest.raises(NoPairList, match="no judgment is revealed before both are in"):
                listed_pairs(collection, plan, budget="1.5")


def test_a_refused_list_says_why_on_the_page(admin, monkeypatch):
    answer = admin.get(address("judging-plan-csv", "boundary"), {"budget": "1.5"}, follow=True)
    assert "no judgment is revealed before both are in" in text_of(answer)

    monkeypatch.setattr(pair_list, "MOST_LISTED", 5)
    answer = admin.get(address("judging-plan-csv", "random"), {"budget": "1.5"}, follow=True)
    assert "A list has at most 5 pairs." in text_of(answer)


@pytest.mark.parametrize(("plan", "budget"), [("nonsense", "1"), ("random", "3"), ("random", "")])
def test_an_unknown_plan_and_a_wrong_budget_are_not_found(admin, plan, budget):
    assert admin.get(address("judging-plan-csv", plan), {"budget": budget}).status_code == 404


def test_more_pairs_and_queries_cost_no_more_database_queries(
    collection, admin, django_assert_num_queries
):
    expected = queries_of(admin, address("plan-judging"))
    for _ in range(3):
        judge_both(an_open_query(collection, size=5), (1, 1))

    with django_assert_num_queries(expected):
        admin.get(address("plan-judging"))


def test_the_plan_of_the_pools_and_the_progress_lead_to_the_page(admin):
    for name in ("plan-pools", "board"):
        assert address("plan-judging") in admin.get(address(name)).text


def test_an_offer_is_the_largest_budget_that_the_hours_pay_for():
    lines = plan_lines(csfcube_figures())

    found = {
        offer.strategy.key: offer
        for offer in offers(lines, hours=20.5, pairs=4039, seconds=15, rate=10, model="m")
    }

    budgets = {key: offer.line.budget for key, offer in found.items() if offer.line}
    assert budgets == {
        "double": "1",
        **dict.fromkeys(("random", "boundary", "disagreement", "uncertainty"), "1.1"),
        "lara": "0.5",
        "hybrid": "1",
    }
    assert found["hybrid"].counts == [2019, 0, 2020, 0]
    assert found["hybrid"].money == pytest.approx(10 * found["hybrid"].hours)
    assert sum(found["double"].counts) == 4039
    cheap = offers(lines, hours=1, pairs=4039, seconds=15, rate=None, model="")
    assert [offer.line for offer in cheap] == [None] * 7
    assert cheap[0].cells == cheap[0].counts == []


def test_the_table_of_the_docs_has_the_figures_that_the_page_shows():
    lines = {(line.strategy.key, line.budget): line for line in plan_lines(csfcube_figures())}
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| (.*) \|$", DOCS.read_text(), re.M)

    assert len(rows) == 6 + 5 + 3 * 3 + 2 * 5
    for plan, budget, rest in rows:
        line = lines[plan, budget]
        cells = dict(zip((column.key for column in MEASURED_COLUMNS), line.cells, strict=True))
        assert rest.split(" | ") == [
            f"{line.hours(4039, 15):.1f}",
            *(cells[n] for n in ("labelled", "different", "false_relevant", "false_nonrelevant")),
            cells["alpha"],
            line.interval or UNDEFINED,
            cells["tau"],
            cells["swaps"],
        ]
