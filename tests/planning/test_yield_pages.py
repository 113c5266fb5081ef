"""Yields read from the database, on the pages of admins and in the API."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from accounts.models import Role
from adjudication.retriever_yield import yields_of
from annotation.models import Slot
from annotation.services import postpone
from planning.yields.reading import (
    ELSEWHERE,
    IN_ROUNDS,
    queries_without_random_order,
    read_pairs,
)
from planning.yields.report import YieldReport, shown_yields
from pooling.models import Candidate
from pooling.services.state import pools_state
from reports.services import compute_report
from tests.support.factories import UserFactory, a_collection, a_query, an_open_query, member
from tests.support.rounds import top_up
from tests.support.sittings import judge, judge_at_once, judge_both, settle, slots_of
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return a_collection()


def pair_of(table, query):
    """The places of the query's pairs."""
    return np.flatnonzero(table.query == table.queries.index(query.name))


def test_time_is_that_of_both_judges_with_revisions(collection):
    opening = an_open_query(collection, size=1)
    first = slots_of(opening, "ann1")[0]
    judge(first, 3, seconds=10.0)
    judge(first, 2, seconds=4.0)
    judge(slots_of(opening, "ann2")[0], 2, seconds=6.0)
    (place,) = pair_of(table := read_pairs(collection), opening.query)
    assert table.seconds[place] == 20
    assert (table.judgments[place], table.assumed[place]) == (3, 0)


def test_a_judgment_without_a_time_counts_as_planned(collection):
    collection.seconds_per_judgment = 40
    collection.save()
    opening = an_open_query(collection, size=1)
    judge(slots_of(opening, "ann1")[0], 2, seconds=5.0)
    judge(slots_of(opening, "ann2")[0], 2, seconds=None)
    table = read_pairs(collection)
    assert table.seconds.tolist() == [45]
    assert table.assumed.tolist() == [1]
    assert table.seconds_a_judgment == 40  # too few are measured


def test_the_median_of_20_measured_judgments_stands_for_those_to_come(collection):
    an_open_query(collection, size=10)
    for slot, seconds in zip(Slot.objects.of(collection), [900.0] * 9 + [8.0] * 11, strict=True):
        judge(slot, 1, seconds=seconds)
    assert read_pairs(collection).seconds_a_judgment == 8


def test_a_pair_of_one_judge_is_neither_judged_nor_seen(collection):
    opening = an_open_query(collection, size=1)
    judge(slots_of(opening, "ann1")[0], 3)
    table = read_pairs(collection)
    assert not (table.judged | table.seen | table.relevant_or_maybe).any()
    assert table.seconds.tolist() == [0]


@pytest.mark.parametrize(
    ("grades", "maybe"), [((0, 1), False), ((1, 2), True), ((None, 0), True), ((0, 0), False)]
)
def test_a_case_may_be_relevant_unless_both_graded_it_lower(grades, maybe, collection):
    opening = an_open_query(collection, size=1)
    judge_both(opening, grades)
    table = read_pairs(collection)
    assert table.judged.all()
    assert table.maybe.tolist() == [maybe]
    assert table.labelled.tolist() == [grades[0] == grades[1]]


def test_a_decision_ends_the_doubt(collection):
    opening = an_open_query(collection, size=1)
    (slot,) = judge_both(opening, (1, 3))
    settle(slot, member(collection, Role.ADJUDICATOR, "adju"), 3)
    table = read_pairs(collection)
    assert (table.relevant.tolist(), table.maybe.tolist()) == ([True], [False])


def test_a_postponed_pair_was_seen_and_may_be_relevant(collection):
    opening = an_open_query(collection, size=2)
    first = slots_of(opening, "ann1")[0]
    postpone(slot_id=first.pk, annotator=first.annotator)
    second = next(slot for slot in slots_of(opening, "ann2") if slot.pair_id == first.pair_id)
    assert not read_pairs(collection).seen.any()  # the other judge has not seen it
    judge(second, 0)
    table = read_pairs(collection)
    assert table.seen.sum() == table.maybe.sum() == 1
    assert not table.judged.any()


def test_queries_that_are_not_open_are_to_forecast(collection):
    query = a_query(collection, size=4)
    table = read_pairs(collection)
    assert len(pair_of(table, query)) == 4
    assert table.depth.tolist() == [1, 2, 3, 4]
    assert not table.judged.any()


def test_excluded_candidates_and_the_query_paper_are_in_no_number(collection):
    query = a_query(collection, size=4)
    first, second = query.query_paper.pool.candidates.all()[:2]
    Candidate.objects.filter(pk=first.pk).update(excluded="no-text")
    Candidate.objects.filter(pk=second.pk).update(document=query.query_paper.document)
    table = read_pairs(collection)
    assert table.depth.tolist() == [3, 4]  # as they were drawn


def test_a_later_pool_round_is_no_part_of_the_random_order(collection):
    opening = an_open_query(collection)
    judge_both(opening, (1, 1))
    before = pools_state(collection)
    top_up(opening, 2)
    assert queries_without_random_order(collection) == {opening.query.name: IN_ROUNDS}
    assert pools_state(collection) != before  # so reports on pools are out of date


def test_only_imported_judgments_have_an_unknown_order(collection):
    opening = an_open_query(collection)
    judge_both(opening, (1, 1))
    assert queries_without_random_order(collection) == {}
    opening.query.slot_counts.filter(number=1).update(
        annotator=UserFactory(username="imported-mara@small")
    )
    assert queries_without_random_order(collection) == {opening.query.name: ELSEWHERE}


# Pages


def rows_of(answer):
    text = "".join(map(bytes.decode, answer.streaming_content))
    return list(csv.DictReader(io.StringIO(text)))


@once_a_file
def judged():
    """Eleven finished queries without a relevant pair, and one after 12 of 20."""
    collection = a_collection()
    for _ in range(11):
        an_open_query(collection, size=20)
    judge_at_once((slot, 0) for slot in Slot.objects.of(collection))
    opening = an_open_query(collection, size=20)
    judge_both(opening, *[(0, 0)] * 12)
    compute_report(YieldReport(), collection=collection)
    return opening.query


def test_the_report_counts_sources_as_before(judged):
    collection = judged.collection
    stored = shown_yields(collection)
    assert stored.rows == yields_of(collection)
    ((row, group),) = stored.by_source
    assert (row.judged, row.relevant) == (group.judged, group.relevant) == (11 * 20 + 12, 0)
    assert stored.all.unjudged + stored.all.unsaid == 8


def test_the_page_has_rates_advice_and_no_forecast_without_relevant_pairs(judged):
    page = client_of("admin").get(address("yields"))
    text = text_of(page)
    assert "in 232 pairs" in text
    assert "8 pairs have no forecast" in text
    assert "How good the forecast is" not in text
    (row,) = page.context["advice"].rows
    assert (row.query, row.left) == (judged.name, 8)
    assert "Queries that could stop" in text


def test_progress_and_the_page_of_the_query_advise_the_admin(judged):
    admin = client_of("admin")
    board = admin.get(address("board"))
    assert "consider stopping" in text_of(board)
    (row,) = rows_of(admin.get(address("board"), {"format": "csv"}))
    assert (row["query"], row["stop"]) == (judged.name, "True")
    assert float(row["nothing_in_next_ten"]) > 0.95
    page = text_of(admin.get(address("query", judged.name)))
    assert "Consider stopping. The next 8 candidates will hold nothing relevant" in page


def test_a_query_that_was_finished_since_has_no_advice(judged):
    judge_at_once((slot, 0) for slot in Slot.objects.filter(pair__query=judged).unjudged())
    admin = client_of("admin")
    assert "Stopping advice" not in text_of(admin.get(address("query", judged.name)))
    board = text_of(admin.get(address("board"), {"state": "all"}))
    assert "consider stopping" not in board.replace("The advice is to consider stopping", "")


def test_the_file_has_every_group(judged):
    rows = rows_of(client_of("admin").get(address("yields"), {"format": "csv"}))
    assert {row["dimension"] for row in rows} == {
        *("all", "drawn", "has", "depth", "facet", "strategy"),
    }
    whole = rows[0]
    assert (whole["pairs_judged"], whole["relevant_per_hour"]) == ("232", "0.0")


def test_the_figures_can_be_downloaded(judged):
    admin = client_of("admin")
    for extension in ("svg", "csv"):
        answer = admin.get(address("yields-figure", "yield-curve", extension))
        assert answer.status_code == 200
    assert admin.get(address("yields-figure", "nothing", "svg")).status_code == 404


def test_the_api_has_the_report(judged):
    admin = client_of("admin")
    answer = admin.get("/api/v1/collections/small/yields/").json()
    assert (answer["up_to_date"], answer["calibration"]) == (True, None)
    assert answer["groups"][0]["judged"] == 232
    (advice,) = answer["advice"]
    assert (advice["query"], advice["stop"]) == (judged.name, True)
    assert advice["outlook"]["nothing"] > 0.95


def test_before_anything_is_judged_the_page_says_what_will_be_here(collection):
    member(collection, Role.ADMIN, "owner")
    admin = client_of("admin")
    assert "No pairs judged yet" in text_of(admin.get(address("yields")))
    judge_both(an_open_query(collection), (1, 1))
    assert "Not counted yet" in text_of(admin.get(address("yields")))
    assert admin.get("/api/v1/collections/small/yields/").status_code == 404


def test_the_page_reads_the_stored_report_only(judged, django_assert_max_num_queries):
    admin = client_of("admin")
    admin.get(address("yields"))
    with django_assert_max_num_queries(25):
        admin.get(address("yields"))


def test_no_judge_reads_any_of_it(judged):
    for username in ("ann1", "ann2"):
        judge_client = client_of(username)
        for page in (address("yields"), address("board"), "/api/v1/collections/small/yields/"):
            assert judge_client.get(page).status_code == 404


def test_without_finished_queries_there_is_nothing_to_simulate(collection):
    an_open_query(collection)
    with pytest.raises(CommandError, match="small has no facet with more than 10 queries"):
        call_command("simulate_stopping", "small")
