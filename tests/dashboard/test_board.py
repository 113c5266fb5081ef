"""The admin's board, seats and guidelines; and the services behind them."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Role, User
from adjudication.models import Case
from adjudication.services import Ruling, decide
from annotation.deadlines.services import set_deadlines
from annotation.guidelines.versions import versions_in_use
from annotation.models import Guideline, Judgment, Opening, Slot
from annotation.services import (
    CannotOpen,
    CannotReassign,
    NotYours,
    open_queries,
    open_query,
    reassign_seat,
)
from corpus.models import Document, Facet
from dashboard.board.annotators import eligible_annotators, recent_pace
from dashboard.board.completion import Completion
from dashboard.board.rows import board_of, open_queries_matching, open_rows
from database.natural_order import natural_key
from tests.support.factories import a_collection, a_query, an_open_query, annotators, member
from tests.support.rounds import top_up
from tests.support.running import at_once
from tests.support.sittings import decide_case, judge
from tests.support.visits import address, csv_rows, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@once_a_file
def collection():
    return a_collection()


def slots(opening, number):
    found = Slot.objects.filter(pair__query=opening.query, number=number)
    return list(found.order_by("pair__candidate__document__docno"))


def judge_both(opening, *grades):
    for first, second, (grade, other) in zip(
        slots(opening, 1), slots(opening, 2), grades, strict=False
    ):
        judge(first, grade)
        judge(second, other)


def rows_of(collection, words=""):
    return open_rows(list(open_queries_matching(collection, words)))


def people_of(collection):
    return board_of(collection).people


def closed_page():
    return f"{address('board')}?state=not-open"


def words_of(page):
    return re.sub("<[^>]+>", "", text_of(page))


@pytest.fixture
def days_pass(monkeypatch):
    """Let so many days pass."""
    now = timezone.now

    def later(days):
        monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(days=days))

    return later


# What the board counts


def test_the_board_counts_each_slot_and_the_pairs_with_both(collection):
    opening = an_open_query(collection, size=4)
    first, second = slots(opening, 1), slots(opening, 2)
    for slot in first[:3]:
        judge(slot, 1)
    judge(second[0], 1)

    (row,) = rows_of(collection)

    assert [seat.judged for seat in row.seats] == [Completion(3, 4), Completion(1, 4)]
    assert row.both == Completion(1, 4)
    assert board_of(collection).judgments == Completion(4, 8)


def test_the_board_counts_cases_only_of_pairs_with_both_judgments(collection):
    opening = an_open_query(collection, size=4)
    judge_both(opening, (0, 3), (1, 1), (2, 1))
    judge(slots(opening, 1)[3], 0)
    case = Case.objects.due().first()
    decide(
        pair_id=case.pk,
        adjudicator=User.objects.get(username="adju"),
        ruling=Ruling(grade=2),
        judgment_ids=(case.first, case.second),
        key=uuid.uuid4(),
    )

    (row,) = rows_of(collection)

    assert row.cases == Completion(1, 2)


def test_a_revised_judgment_makes_its_case_open_again(collection):
    opening = an_open_query(collection, size=1)
    judge_both(opening, (0, 3))
    case = Case.objects.due().get()
    decide(
        pair_id=case.pk,
        adjudicator=User.objects.get(username="adju"),
        ruling=Ruling(grade=2),
        judgment_ids=(case.first, case.second),
        key=uuid.uuid4(),
    )
    judge(slots(opening, 1)[0], 1)

    (row,) = rows_of(collection)

    assert row.cases == Completion(0, 1)


def test_the_board_is_the_same_whatever_a_first_judgment_says(collection):
    opening = an_open_query(collection, size=2)
    for grade in (0, 1, 2, 3):
        judge(slots(opening, 1)[0], grade)

        (row,) = rows_of(collection)

        assert (board_of(collection).judgments, row.both, row.cases) == (
            Completion(1, 4),
            Completion(0, 2),
            Completion(0, 0),
        ), grade


def test_a_person_s_pace_is_the_median_of_the_recent_judgments(collection):
    opening = an_open_query(collection, size=4)
    for slot, seconds in zip(slots(opening, 1), (10, 14, 900), strict=False):
        judge(slot, 0, seconds=seconds)

    second, first = people_of(collection)

    assert (first.user.username, first.pace, first.judged) == ("ann1", 14, Completion(3, 4))
    assert (second.pace, second.planned, second.share.last_judged) == (None, 15.0, None)


def test_old_judgments_do_not_set_the_pace(collection, monkeypatch):
    monkeypatch.setattr("dashboard.board.annotators.RECENT", 2)
    opening = an_open_query(collection, size=3)
    for slot, seconds in zip(slots(opening, 1), (99, 10, 12), strict=True):
        judge(slot, 0, seconds=seconds)

    annotator = opening.seats.get(number=1).annotator
    assert recent_pace(collection, [annotator]) == {annotator.pk: 11}


def test_other_roles_and_people_who_left_cannot_be_given_seats(collection):
    User.objects.filter(username="ann2").update(is_active=False)

    assert [user.username for user in eligible_annotators(collection)] == ["ann1"]


def test_the_board_says_what_needs_a_person(collection):
    judge_both(an_open_query(collection, size=1), (0, 1))
    a_query(collection)
    collection.memberships.filter(role=Role.ADJUDICATOR).delete()

    lines = board_of(collection).advice

    assert "1 query has no annotators." in lines
    assert "1 case waits for adjudication and the collection has no adjudicator." in lines


def test_the_board_says_that_pairs_of_a_pool_round_wait(collection, admin):
    top_up(an_open_query(collection, size=2), 4)

    page = words_of(admin.get(address("board")))

    assert "4 pairs of later pool rounds are not open for judging." in page


# Who will not finish


def test_the_page_says_who_can_no_longer_judge_the_pairs_left(collection, admin):
    an_open_query(collection, size=3)
    User.objects.filter(username="ann2").update(is_active=False)

    page = words_of(admin.get(address("board")))

    assert "1 of 2 annotators with pairs left will not finish: ann2 (can no longer judge)" in page
    assert "waits for ann2" in page


def test_who_did_not_judge_for_a_week_will_not_finish(collection, days_pass):
    opening = an_open_query(collection, size=3)
    judge(slots(opening, 1)[0], 1)

    problems = []
    for days in (6, 7, 30):
        days_pass(days)
        problems += [row.problem for row in people_of(collection) if row.user.username == "ann1"]

    assert problems == ["", "no judgment for 7 days", "no judgment for 30 days"]


def test_who_did_not_begin_for_a_week_will_not_finish(collection, days_pass):
    an_open_query(collection, size=3)
    days_pass(8)

    assert {row.problem for row in people_of(collection)} == {"not started for 8 days"}


def test_the_forecast_divides_the_pairs_left_by_the_pairs_a_day(collection, admin):
    opening = an_open_query(collection, size=6)
    for slot in slots(opening, 1)[:2]:
        judge(slot, 1)
    Opening.objects.update(opened_at=timezone.now() - timedelta(days=4))

    (person,) = [row for row in people_of(collection) if row.user.username == "ann1"]

    assert person.days_left == pytest.approx(8, rel=0.01)
    assert person.finishes_on == timezone.localdate(timezone.now() + timedelta(days=8))
    assert "The last to finish is ann1, about" in words_of(admin.get(address("board")))


def test_who_will_miss_the_date_at_the_present_pace(collection, admin, days_pass):
    opening = an_open_query(collection, size=12)
    for number, judged in ((1, 6), (2, 3)):
        for slot in slots(opening, number)[:judged]:
            judge(slot, 1)
    now, today = timezone.now(), timezone.localdate()
    Opening.objects.update(opened_at=now - timedelta(days=4))
    due = today + timedelta(days=7)
    set_deadlines(collection=collection, dates={None: due})

    ann1, ann2 = sorted(people_of(collection), key=lambda row: row.user.username)
    # Once more, from the rows of slots and judgments.
    late = {}
    for person in (ann1.user, ann2.user):
        left = Slot.objects.filter(annotator=person, judgment=None).count()
        a_day = Judgment.objects.filter(annotator=person).count() / 4
        late[person] = (timezone.localdate(now + timedelta(days=left / a_day)) - due).days
    assert late == {ann1.user: -3, ann2.user: 5}
    assert (ann1.lateness, ann2.lateness) == ("", "5 days late at this pace")
    assert (ann1.needed_a_day, ann2.needed_a_day) == (6 / 8, 9 / 8)
    page = words_of(admin.get(address("board")))
    assert "1 of 2 annotators with pairs left will miss the date: ann2 (5 days late" in page
    file = csv_rows(admin.get(address("board") + "?format=csv&list=annotators"))
    rows = {row["username"]: row for row in file}
    assert (rows["ann2"]["due_on"], rows["ann2"]["lateness"]) == (f"{due}", ann2.lateness)
    assert rows["ann1"]["lateness"] == ""

    set_deadlines(collection=collection, dates={ann2.user: due + timedelta(days=6)})
    assert [row.lateness for row in people_of(collection)] == ["", ""]
    days_pass(7)
    assert {row.lateness for row in people_of(collection)} == {"no judgment for 7 days"}
    days_pass(14)
    assert {row.lateness for row in people_of(collection)} == {"the date is over"}


def test_a_date_of_which_nothing_can_be_said_is_not_called_missed(collection):
    an_open_query(collection, size=3)
    set_deadlines(collection=collection, dates={None: timezone.localdate()})

    assert {(row.lateness, row.forecast) for row in people_of(collection)} == {("", "not started")}


def test_the_people_with_the_most_time_left_come_first(collection, admin):
    judge(slots(an_open_query(collection, size=3), 1)[0], 1)

    people = admin.get(address("board")).context["people"].rows

    assert [person.user.username for person in people] == ["ann2", "ann1"]


def test_the_annotators_are_a_file(collection, admin):
    judge(slots(an_open_query(collection, size=3), 1)[0], 1, seconds=60)

    rows = csv_rows(admin.get(address("board"), {"format": "csv", "list": "annotators"}))

    assert [(row["username"], row["judged"], row["minutes_left"]) for row in rows] == [
        ("ann1", "1", "2"),
        ("ann2", "0", "1"),
    ]


# Queries at risk


def reasons_of(collection):
    (row,) = rows_of(collection)
    return row.reasons


def shown_at_risk(admin):
    page = admin.get(address("board"))
    return len(page.context["rows"]) if page.context["state"] == "at-risk" else 0


def test_a_query_without_a_judgment_for_a_week_is_at_risk(collection, admin, days_pass):
    first, second = an_open_query(collection, size=3), an_open_query(collection, size=3)
    judge_both(first, (1, 1))
    judge_both(second, (1, 1))
    assert shown_at_risk(admin) == 0

    days_pass(9)
    judge_both(second, (2, 2))

    page = admin.get(address("board"))
    assert [row.query for row in page.context["rows"]] == [first.query]
    assert page.context["rows"][0].risk_text == "no judgment for 9 days"
    assert csv_rows(admin.get(address("board"), {"format": "csv"}))[0]["risk"]


def test_a_query_with_one_slot_far_behind_is_at_risk(collection, admin):
    opening = an_open_query(collection, size=20)
    for slot in slots(opening, 1)[:9]:
        judge(slot, 1)
    assert (reasons_of(collection), shown_at_risk(admin)) == ([], 0)

    judge(slots(opening, 1)[9], 1)

    assert reasons_of(collection) == ["slot 2 is 10 pairs behind slot 1"]
    assert shown_at_risk(admin) == 1


def test_a_slot_less_than_half_the_query_behind_is_no_risk(collection, admin):
    opening = an_open_query(collection, size=21)
    for slot in slots(opening, 1)[:10]:
        judge(slot, 1)
    assert (reasons_of(collection), shown_at_risk(admin)) == ([], 0)

    judge(slots(opening, 1)[10], 1)

    assert reasons_of(collection) == ["slot 2 is 11 pairs behind slot 1"]
    assert shown_at_risk(admin) == 1


def test_a_query_does_not_wait_for_a_person_who_finished_it(collection, admin):
    done, waiting = an_open_query(collection, size=2), an_open_query(collection, size=2)
    for slot in slots(done, 1):
        judge(slot, 1)
    User.objects.filter(username="ann1").update(is_active=False)

    page = admin.get(address("board"))

    assert [row.query for row in page.context["rows"]] == [waiting.query]


def test_a_query_of_one_pair_is_at_risk_too(collection, admin, days_pass):
    judge(slots(an_open_query(collection, size=1), 1)[0], 1)
    days_pass(9)

    assert reasons_of(collection) == ["no judgment for 9 days"]
    assert shown_at_risk(admin) == 1


def test_a_query_whose_cases_wait_for_a_week_is_at_risk_until_one_is_decided(
    collection, admin, days_pass
):
    judge_both(an_open_query(collection, size=10), *[(0, 1)] * 10)
    assert shown_at_risk(admin) == 0

    days_pass(7)

    assert reasons_of(collection) == ["10 cases wait"]
    assert shown_at_risk(admin) == 1

    decide_case(Case.objects.due().first(), User.objects.get(username="adju"), Ruling(grade=1))

    assert (reasons_of(collection), shown_at_risk(admin)) == ([], 0)


def test_when_all_is_judged_the_page_says_so_and_shows_finished_queries_when_asked_for(
    collection, admin
):
    judge_both(an_open_query(collection, size=1), (1, 1))

    page = admin.get(address("board"))
    assert "Every open pair has both judgments." in text_of(page)
    assert "2 annotators without pairs to judge" in text_of(page)
    finished = admin.get(address("board"), {"state": "finished"})

    assert page.context["rows"] == []
    assert "?state=finished" in page.text
    assert len(finished.context["rows"]) == 1


def test_more_queries_cost_the_board_no_more_questions(
    collection, admin, django_assert_num_queries
):
    judge_both(an_open_query(collection), (0, 1))
    a_query(collection)
    expected = queries_of(admin, address("board"))
    for number in range(3):
        judge_both(an_open_query(collection, size=number + 2), (0, 1))
        a_query(collection)
        member(collection, Role.ANNOTATOR, f"more{number}")

    with django_assert_num_queries(expected):
        admin.get(address("board"))


def test_the_board_shows_twenty_queries_and_folds_the_people_without_work(collection, admin):
    for number in range(22):
        an_open_query(collection, size=1)
        a_query(collection, size=1)
        member(collection, Role.ANNOTATOR, f"more{number:02}")

    first = admin.get(address("board"))
    second = admin.get(first.context["opened"].after)

    assert (len(first.context["opened"].rows), len(second.context["opened"].rows)) == (20, 2)
    assert [person.user.username for person in first.context["people"].rows] == ["ann1", "ann2"]
    assert len(first.context["idle"]) == 22
    assert "21–22 of 22" in second.text
    assert "1 query" not in first.text
    assert "22 queries have no annotators." in first.text


def test_the_server_finds_open_queries_by_name_facet_or_person(collection, admin):
    method = an_open_query(collection).query
    result = an_open_query(collection, facet="result").query

    expected = {
        "ANN2": [method, result],
        "method": [method],
        "nothing": [],
        "ann1 method": [method],
    }
    for words, queries in expected.items():
        page = admin.get(address("board"), {"q": words})
        assert [row.query for row in page.context["rows"]] == queries, words


def test_every_column_of_the_board_sorts_both_ways(collection, admin):
    """Each in an order of its own."""
    a, b, c = (
        a_query(collection, size, facet)
        for size, facet in ((3, "method"), (10, "result"), (2, "background"))
    )
    opened = {
        query: open_query(query=query, annotators=annotators(collection), opened_by=None)
        for query in (b, c, a)
    }
    judge_both(opened[a], (1, 1))
    judge_both(opened[b], (0, 1), (0, 1))
    judge_both(opened[c], (0, 1))

    orders = {
        "query": [a, b, c],
        "facet": [c, a, b],
        "judged": [b, a, c],
        "cases": [a, c, b],
        "opened": [b, c, a],
    }
    for key, queries in orders.items():
        for sort, expected in ((key, queries), (f"-{key}", queries[::-1])):
            page = admin.get(address("board"), {"sort": sort})
            assert [row.query for row in page.context["rows"]] == expected, sort


def test_a_query_is_ready_when_its_paper_speaks_of_its_facet(collection):
    query = a_query(collection)
    document = Document.objects.filter(pk=query.query_paper.document_id)
    own_labels = document.get().labels
    for label in ("méthode", 'the "how"', "method"):
        Facet.objects.filter(pk=query.facet_id).update(labels=["other", label])
        ready = []
        for labels in (own_labels, ["result", label], [f"{label}s"]):
            document.update(labels=labels)
            ready.append(board_of(collection).ready)
        assert ready == [int(label == "method"), 1, 0], label


def test_a_collection_without_queries_is_told_what_comes_first(collection, admin):
    assert "No queries yet" in admin.get(address("board")).text


def test_a_query_that_cannot_be_opened_says_why(collection, admin):
    query = a_query(collection)
    query.query_paper.pool.delete()

    page = admin.get(closed_page())

    assert "no pool yet" in page.text
    assert 'name="queries"' not in page.text


def test_the_closed_queries_cost_a_fixed_number_of_questions(
    collection, admin, django_assert_num_queries
):
    a_query(collection)
    expected = queries_of(admin, closed_page())
    for _ in range(4):
        a_query(collection)

    with django_assert_num_queries(expected):
        admin.get(closed_page())


def test_closed_queries_are_shown_fifty_at_a_time_in_natural_order(collection, admin):
    names = [a_query(collection, size=1).name for _ in range(52)]

    first = admin.get(closed_page())
    second = admin.get(first.context["page"].after)

    shown = [row.query.name for page in (first, second) for row in page.context["rows"]]
    assert shown == sorted(names, key=natural_key)
    assert len(second.context["rows"]) == 2


def test_closed_queries_are_found_by_state_facet_and_words(collection, admin):
    ready, without = a_query(collection), a_query(collection)
    without.query_paper.pool.delete()
    documents = Document.objects.filter(pk=ready.query_paper.document_id)
    documents.update(title="Title of the ready paper")
    an_open_query(collection)

    for parameters, matches in (
        ({"state": "ready"}, [ready]),
        ({"state": "no-pool"}, [without]),
        ({"facet": "result"}, []),
        ({"facet": "method", "q": "TITLE OF THE READY"}, [ready]),
    ):
        page = admin.get(address("board"), {"state": "not-open", **parameters})

        assert [row.query for row in page.context["rows"]] == matches, parameters
        assert f"{len(matches)} of 2" in text_of(page), parameters


def test_an_empty_page_of_closed_queries_leads_on(collection, admin):
    assert "No queries yet" in admin.get(closed_page()).text

    an_open_query(collection)

    assert "All queries are open" in admin.get(closed_page()).text


# Opening queries


@pytest.fixture
def wanted(collection):
    """Two queries that are ready, and the form that opens them."""
    queries = [a_query(collection, size=3), a_query(collection, size=2)]
    return {
        "queries": [query.name for query in queries],
        "annotators": [str(user.pk) for user in annotators(collection)],
    }


def confirmed(admin, wanted):
    """The answer to the question, with the plan that it showed."""
    question = admin.post(closed_page(), wanted)
    return admin.post(closed_page(), {**wanted, "plan": question.context["plan"].digest})


def test_opening_asks_first_and_says_how_much(admin, wanted):
    page = admin.post(closed_page(), wanted)

    assert "Open 2 queries for judging?" in page.text
    rows = [(row.annotator.username, row.pairs) for row in page.context["plan"].rows]
    assert rows == [("ann1", 5), ("ann2", 5)]
    assert "2 draft pools are frozen permanently" in text_of(page)
    assert not Opening.objects.exists()
    # It carries on what was asked.
    for field in ("queries", "annotators"):
        values = [value for name, value in page.context["kept"] if name == field]
        assert values == wanted[field]


def test_confirmed_queries_open_with_both_seats_and_frozen_pools(admin, wanted):
    response = confirmed(admin, wanted)

    assert response.status_code == 302
    openings = Opening.objects.all()
    assert [opening.query.name for opening in openings] == sorted(wanted["queries"])
    assert {opening.opened_by.username for opening in openings} == {"admin"}
    assert Slot.objects.count() == 10
    assert all(opening.query.query_paper.pool.is_frozen for opening in openings)


def test_a_plan_that_changed_is_asked_about_again(admin, wanted):
    page = admin.post(closed_page(), {**wanted, "plan": "an older one"})

    assert "changed since you saw this plan" in text_of(page)
    assert not Opening.objects.exists()


def test_a_wrong_choice_says_why_and_keeps_the_ticks(admin, wanted):
    for changed, what in (
        ({"queries": []}, "Tick at least one query"),
        ({"annotators": []}, "Choose at least two annotators."),
        ({"queries": ["nothing_method"]}, "nothing_method is open already or cannot be opened"),
    ):
        page = admin.post(closed_page(), {**wanted, **changed})

        assert page.status_code == 422, changed
        assert what in page.text
        ticked = re.findall(r"<input[^>]*\bchecked\b[^>]*>", page.text)
        assert len([field for field in ticked if 'name="column"' not in field]) == 2, changed
        assert not Opening.objects.exists()


def test_one_person_is_not_enough_and_an_admin_is_not_offered_as_annotator(admin, wanted):
    person = wanted["annotators"][0]

    alone = admin.post(closed_page(), {**wanted, "annotators": [person]})
    assert "Every query needs two annotators. Choose another." in alone.text
    others = [person, User.objects.get(username="admin").pk]
    assert admin.post(closed_page(), {**wanted, "annotators": others}).status_code == 422
    assert not Opening.objects.exists()


def test_when_one_query_cannot_open_none_does(collection, admin, wanted):
    last = collection.queries.get(name=max(wanted["queries"]))
    last.query_paper.pool.candidates.all().delete()

    page = confirmed(admin, wanted)

    assert "No query was opened." in page.text
    assert not Opening.objects.exists()
    assert not Slot.objects.exists()


def test_open_queries_raises_for_one_that_is_open_and_opens_no_other(collection):
    busy, free = a_query(collection), a_query(collection)
    open_query(query=busy, annotators=annotators(collection), opened_by=None)

    with pytest.raises(CannotOpen):
        open_queries(queries=[free, busy], annotators=annotators(collection), opened_by=None)

    assert not Opening.objects.filter(query=free).exists()


# Seats


def test_reassigning_moves_the_unjudged_slots_only(collection):
    opening = an_open_query(collection, size=4)
    first = slots(opening, 1)
    judge(first[0], 2)
    newcomer = member(collection, Role.ANNOTATOR, "ann3")

    moved = reassign_seat(opening=opening, number=1, annotator=newcomer)

    assert moved == 3
    holders = [slot.annotator.username for slot in slots(opening, 1)]
    assert holders == ["ann1", "ann3", "ann3", "ann3"]
    assert opening.seats.get(number=1).annotator == newcomer
    assert {slot.annotator.username for slot in slots(opening, 2)} == {"ann2"}


def test_the_newcomer_gets_the_order_of_his_or_her_own(collection):
    opening, whole = an_open_query(collection, size=5), an_open_query(collection, size=5)
    newcomer = member(collection, Role.ANNOTATOR, "ann3")
    Slot.objects.filter(pair__query=opening.query, number=1).update(
        postponed_at="2026-01-01T00:00Z"
    )

    reassign_seat(opening=opening, number=1, annotator=newcomer)

    assert sorted(slot.position for slot in slots(opening, 1)) == [1, 2, 3, 4, 5]
    assert all(slot.postponed_at is None for slot in slots(opening, 1))
    assert {slot.annotator.username for slot in slots(whole, 1)} == {"ann1"}


def test_the_holder_of_one_seat_cannot_take_the_other(collection):
    opening = an_open_query(collection)

    with pytest.raises(CannotReassign, match="other seat"):
        reassign_seat(opening=opening, number=1, annotator=annotators(collection)[1])


def test_who_judged_in_one_seat_cannot_come_back_in_the_other(collection):
    opening = an_open_query(collection)
    leaver = annotators(collection)[0]
    judge(slots(opening, 1)[0], 3)
    reassign_seat(opening=opening, number=1, annotator=member(collection, Role.ANNOTATOR, "ann3"))

    with pytest.raises(CannotReassign, match="judges a pair only once"):
        reassign_seat(opening=opening, number=2, annotator=leaver)

    assert {slot.annotator.username for slot in slots(opening, 2)} == {"ann2"}


def test_a_judged_seat_cannot_be_handed_over(collection):
    opening = an_open_query(collection, size=1)
    judge(slots(opening, 1)[0], 3)

    with pytest.raises(CannotReassign, match="are judged already"):
        reassign_seat(
            opening=opening, number=1, annotator=member(collection, Role.ANNOTATOR, "ann3")
        )


def test_only_annotators_take_a_seat(collection):
    opening = an_open_query(collection)
    for username in ("adju", "admin"):
        person = User.objects.get(username=username)
        with pytest.raises(CannotReassign, match=f"{username} is not an annotator"):
            reassign_seat(opening=opening, number=1, annotator=person)


def test_the_page_hands_a_seat_over(collection, admin):
    opening = an_open_query(collection, size=2)
    newcomer = member(collection, Role.ANNOTATOR, "ann3")
    url = address("seat", opening.pk, 2)

    assert "judged 0 of 2 pairs" in " ".join(admin.get(url).text.split())
    page = admin.post(url, {"annotator": newcomer.pk}, follow=True)

    assert "ann3 takes over 2 unjudged pairs" in page.text
    assert opening.seats.get(number=2).annotator == newcomer


def test_the_page_does_not_offer_a_person_who_has_a_seat(collection, admin):
    opening = an_open_query(collection)

    page = admin.post(address("seat", opening.pk, 1), {"annotator": annotators(collection)[1].pk})

    assert page.status_code == 422
    assert opening.seats.get(number=1).annotator.username == "ann1"


def test_a_seat_that_does_not_exist_is_not_found(collection, admin):
    opening = an_open_query(collection)

    assert admin.get(address("seat", opening.pk, 3)).status_code == 404


# Guidelines


def typed(guideline, **changed):
    texts = {
        f"grade-{grade['grade']}-{name}": grade[name]
        for grade in guideline.grades
        for name in ("name", "definition", "detail", "example")
    }
    return {
        "based_on": guideline.version,
        "instructions": guideline.instructions,
        **texts,
        **changed,
    }


@pytest.fixture
def newest(collection):
    return Guideline.objects.get(facet__collection=collection, facet__key="method")


def test_a_changed_guideline_becomes_the_next_version(collection, admin, newest):
    form = typed(newest, **{"grade-2-definition": "Same idea, another step"})

    response = admin.post(address("guideline", "method"), form)

    assert response.status_code == 302
    written = newest.facet.guidelines.first()
    assert written.version == 2
    assert written.grades[2]["definition"] == "Same idea, another step"
    assert written.grades[0] == newest.grades[0]
    assert written.instructions == newest.instructions


def test_a_browser_s_line_ends_are_no_change(collection, admin, newest):
    form = typed(newest, instructions=newest.instructions.replace("\n", "\r\n"))

    page = admin.post(address("guideline", "method"), form)

    assert "Nothing has changed" in page.text
    assert newest.facet.guidelines.count() == 1


def test_open_queries_keep_their_version(collection, admin, newest):
    opening = an_open_query(collection)
    admin.post(address("guideline", "method"), typed(newest, instructions="Another."))
    later = an_open_query(collection)

    opening.refresh_from_db()
    assert (opening.guideline.version, later.guideline.version) == (1, 2)
    second, first = versions_in_use(collection)[newest.facet_id]
    assert (first.queries, second.queries) == ([opening.query.name], [later.query.name])


def test_a_preview_writes_nothing(collection, admin, newest):
    form = typed(newest, instructions="Look closely.", preview="yes")

    page = admin.post(address("guideline", "method"), form)

    assert page.status_code == 200
    assert "Preview" in page.text
    assert "<p>Look closely.</p>" in page.text
    assert newest.facet.guidelines.count() == 1


def test_a_wrong_guideline_says_why_and_keeps_what_was_typed(collection, admin, newest):
    for changed, what in (
        ({"instructions": " "}, "Enter instructions: what the annotators compare."),
        ({"grade-1-name": ""}, "Give the grade a name"),
        ({"grade-3-definition": "x" * 61}, "This has 61 characters; 60 fit"),
    ):
        form = typed(newest, **{"grade-0-detail": "what I typed", **changed})

        page = admin.post(address("guideline", "method"), form)

        assert page.status_code == 422, changed
        assert what in page.text
        assert "what I typed" in page.text
        assert newest.facet.guidelines.count() == 1


def test_a_guideline_written_meanwhile_is_not_overwritten_unseen(collection, admin, newest):
    mine = typed(newest, instructions="Mine.")
    admin.post(address("guideline", "method"), typed(newest, instructions="Theirs."))

    page = admin.post(address("guideline", "method"), mine)

    assert "Version 2 was written while you were editing" in page.text
    assert "Mine." in page.text
    assert newest.facet.guidelines.count() == 2

    admin.post(address("guideline", "method"), {**mine, "based_on": "2"})

    assert newest.facet.guidelines.first().instructions == "Mine."


def test_an_earlier_version_can_be_read(collection, admin, newest):
    admin.post(address("guideline", "method"), typed(newest, instructions="Another."))

    page = admin.get(address("guideline", "method"), {"version": "1"})

    assert page.context["shown"] == newest
    assert admin.get(address("guideline", "method"), {"version": "9"}).status_code == 404


def test_a_facet_without_guideline_can_get_its_first(collection, admin, newest):
    collection.facets.create(key="goal", name="Goal", position=9, labels=["goal"])

    assert "This facet has no guideline yet" in admin.get(address("guideline", "goal")).text
    admin.post(address("guideline", "goal"), typed(newest, based_on="0"))

    assert collection.facets.get(key="goal").guidelines.get().version == 1


def test_an_unknown_facet_is_not_found(collection, admin):
    assert admin.get(address("guideline", "nothing")).status_code == 404


def test_more_versions_cost_the_list_no_more_questions(
    collection, admin, newest, django_assert_num_queries
):
    expected = queries_of(admin, address("guidelines"))
    for number in range(3):
        an_open_query(collection)
        admin.post(
            address("guideline", "method"),
            typed(newest, based_on=number + 1, instructions=f"Version {number}."),
        )
    admin.get(address("guidelines"))  # reads the messages of the posts

    with django_assert_num_queries(expected):
        admin.get(address("guidelines"))


# At once


@pytest.fixture
def busy():
    """An open query of eight pairs, and two more annotators."""
    collection = a_collection()
    opening = an_open_query(collection, size=8)
    return opening, [member(collection, Role.ANNOTATOR, name) for name in ("ann3", "ann4")]


def trying(call, *refusals):
    try:
        return call()
    except refusals as error:
        return error


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_judgment_that_lands_while_the_seat_moves_is_kept_or_refused(busy):
    opening, (newcomer, _) = busy
    old = slots(opening, 1)
    calls = [lambda slot=slot: trying(lambda: judge(slot, 2), NotYours) for slot in old]
    handover = partial(reassign_seat, opening=opening, number=1, annotator=newcomer)
    calls.insert(4, lambda: trying(handover, CannotReassign))

    outcomes = at_once(calls)

    handed_over = outcomes.pop(4)
    all_were_judged = isinstance(handed_over, CannotReassign)
    moved = 0 if all_were_judged else handed_over
    saved = [isinstance(outcome, Judgment) for outcome in outcomes]
    assert sum(saved) + moved == 8
    for slot, kept in zip(slots(opening, 1), saved, strict=True):
        assert slot.annotator.username == ("ann1" if kept else "ann3")
        assert (slot.judgment is not None) == kept


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_handovers_at_once_do_not_give_a_person_both_seats(busy):
    opening, (newcomer, _) = busy

    outcomes = at_once(
        [
            lambda number=number: trying(
                lambda: reassign_seat(opening=opening, number=number, annotator=newcomer),
                CannotReassign,
            )
            for number in (1, 2)
        ]
    )

    assert {type(outcome) for outcome in outcomes} == {CannotReassign, int}
    assert opening.seats.filter(annotator=newcomer).count() == 1
    for number in (1, 2):
        holder = opening.seats.get(number=number).annotator
        assert {slot.annotator for slot in slots(opening, number)} == {holder}


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_admins_handing_over_one_seat_leave_one_holder(busy):
    opening, newcomers = busy

    outcomes = at_once(
        [
            lambda person=person: reassign_seat(opening=opening, number=1, annotator=person)
            for person in newcomers
        ]
    )

    assert outcomes == [8, 8]
    holder = opening.seats.get(number=1).annotator
    assert holder in newcomers
    assert {slot.annotator for slot in slots(opening, 1)} == {holder}


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_admins_opening_the_same_queries_open_them_once():
    collection = a_collection()
    queries = [a_query(collection, size=2) for _ in range(3)]

    def open_all(order):
        return trying(
            lambda: open_queries(queries=order, annotators=annotators(collection), opened_by=None),
            CannotOpen,
        )

    outcomes = at_once([lambda: open_all(queries), lambda: open_all(queries[::-1])])

    assert {type(outcome) for outcome in outcomes} == {list, CannotOpen}
    assert Opening.objects.count() == 3
    assert Slot.objects.count() == 12


def test_a_lock_reaches_no_row_of_another_table(on_postgresql, collection):
    with CaptureQueriesContext(connection) as captured:
        opening = an_open_query(collection)
        judge(slots(opening, 1)[0], 2)
        newcomer = member(collection, Role.ANNOTATOR, "ann3")
        reassign_seat(opening=opening, number=1, annotator=newcomer)

    statements = [query["sql"] for query in captured]
    locking = [sql for sql in statements if "FOR UPDATE" in sql or "FOR NO KEY UPDATE" in sql]
    assert len(locking) >= 4
    assert [sql for sql in locking if "JOIN" in sql and "UPDATE OF" not in sql] == []


def test_without_two_annotators_nothing_can_be_ticked(collection, admin):
    a_query(collection)
    collection.memberships.filter(user__username="ann2").delete()

    page = admin.get(address("board"))

    assert 'name="queries"' not in page.text
    assert "Every query needs two annotators" in page.text


def test_a_guideline_version_that_is_no_number_or_was_never_written_is_refused(collection, admin):
    admin.raise_request_exception = False
    guideline = address("guideline", "method")

    for version in ("²", "one", "-1", "9" * 5000):
        assert admin.get(guideline, {"version": version}).status_code == 400, version
    assert admin.get(guideline, {"version": "99999"}).status_code == 404
    assert admin.get(guideline, {"version": "1"}).status_code == 200


# Filters and the file


def lines_of(admin, **asked) -> list[dict[str, str]]:
    answer = admin.get(address("board"), {**asked, "format": "csv"})
    return csv_rows(answer)


def test_open_queries_are_filtered_by_facet_annotator_and_state(collection, admin):
    judged = an_open_query(collection, size=1)
    waiting = an_open_query(collection, size=1, facet="result")
    judge_both(judged, (0, 3))

    def found(**asked):
        return [line["query"] for line in lines_of(admin, **asked)]

    both = [judged.query.name, waiting.query.name]
    assert found(state="all") == found(annotator="ann1") == found(state="unknown") == both
    assert found() == found(facet="result") == found(state="open") == [waiting.query.name]
    assert found(state="cases") == [judged.query.name]
    assert found(state="finished") == found(state="at-risk") == found(facet="background") == []
    page = admin.get(address("board"), {"state": "cases", "annotator": "ann2"})
    assert [row.query for row in page.context["rows"]] == [judged.query]
    assert "data-filter" not in page.text


def test_the_file_of_the_board_has_counts_and_no_grade(collection, admin):
    opening = an_open_query(collection, size=2)
    judge(slots(opening, 1)[0], 3)

    (line,) = lines_of(admin)

    assert line == {
        "query": opening.query.name,
        "title": opening.query.query_paper.title,
        "facet": "method",
        "annotator_1": "ann1",
        "judged_1": "1",
        "pairs_1": "2",
        "annotator_2": "ann2",
        "judged_2": "0",
        "pairs_2": "2",
        "pairs_with_both_judgments": "0",
        "pairs": "2",
        "cases_decided": "0",
        "cases": "0",
        "last_judged": Judgment.objects.get().created_at.isoformat(),
        "opened_at": opening.opened_at.isoformat(),
        "guideline_version": "1",
    }


def test_hidden_columns_are_not_on_the_board(collection, admin):
    an_open_query(collection)
    shown = ["facet", "slot1", "both", "adjudication", "opened"]

    admin.post(reverse("choose-columns", args=["board"]), {"column": shown, "next": "/"})
    page = admin.get(address("board"))

    assert "Slot 1" in page.text
    assert '<th scope="col">Slot 2</th>' not in page.text
    assert "annotator_2" not in lines_of(admin)[0]


def test_many_annotators_are_searched_for_instead_of_chosen(collection, admin):
    an_open_query(collection)
    assert 'name="annotator"' in admin.get(address("board")).text

    for number in range(13):
        member(collection, Role.ANNOTATOR, f"more{number:02}")

    assert 'name="annotator"' not in admin.get(address("board")).text
