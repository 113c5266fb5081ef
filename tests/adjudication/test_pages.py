"""The adjudicator's queue, cases and decided list, as plain forms."""

import re
import uuid

import pytest
from django.urls import reverse

from accounts.models import Role
from adjudication.models import Decision
from annotation.services import Answer, open_query
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    a_query,
    an_open_query,
    member,
)
from tests.support.sittings import (
    carried,
    judge,
    judge_both,
    pair_url,
    query_url,
    settle,
    slots_of,
    tells,
)
from tests.support.visits import csv_rows, markup
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

JSON = {"HTTP_ACCEPT": "application/json"}


@once_a_file
def opening():
    # With these docnos and this seed the pairs show their judgments in both orders.
    DocumentFactory.reset_sequence()
    return an_open_query(a_collection(seed="1"), size=8)


@pytest.fixture
def adjudicator(client, opening):
    user = member(opening.query.collection, Role.ADJUDICATOR, "adju")
    client.force_login(user)
    return user


def queue_page(client, opening) -> str:
    return client.get(reverse("adjudicate", args=[opening.query.collection.slug])).content.decode()


def case_page(client, slot) -> str:
    return markup(client.get(pair_url(slot, "case")).content.decode())


def grades_on_cards(client, slot) -> list[int | None]:
    return [card["grade"] for card in client.get(pair_url(slot, "case")).context["cards"]]


def rule(client, slot, answer, **more):
    return client.post(
        pair_url(slot, "case"), {**carried(case_page(client, slot)), "answer": answer, **more}
    )


# The queue


def test_the_queue_counts_what_is_due_and_what_is_decided(client, opening, adjudicator):
    cases = judge_both(opening, (0, 3), (1, 2), (Answer(reason="garbled"), 1), (2, 2))
    settle(cases[0], adjudicator, 1)

    page = queue_page(client, opening)
    assert "2 due · 1 decided" in page
    assert "Continue with 2 cases" in page


def test_without_a_case_the_queue_says_what_to_wait_for(client, opening, adjudicator):
    judge(slots_of(opening, "ann1")[0], 1)

    page = queue_page(client, opening)
    assert "No case yet" in page
    assert opening.query.name not in page


def test_the_largest_difference_comes_first(client, opening, adjudicator):
    near, far, cannot = judge_both(opening, (1, 2), (0, 3), (Answer(reason="garbled"), 1))

    order = []
    for _ in range(3):
        address = client.get(query_url(opening, "adjudicate-query")).url
        slot = next(s for s in (near, far, cannot) if pair_url(s, "case") == address)
        order.append(slot)
        rule(client, slot, "0")
    assert order == [cannot, far, near]


# All queries


def next_case(client, opening) -> str:
    page = reverse("adjudicate", args=[opening.query.collection.slug])
    return client.get(page, {"next": ""}).url


def test_all_cases_come_with_the_largest_difference_first_across_queries(
    client, opening, adjudicator
):
    near, far = judge_both(opening, (1, 2), (0, 3))
    (between,) = judge_both(an_open_query(opening.query.collection), (0, 2))
    assert "Start with 3 cases" in queue_page(client, opening)

    order, address = [], next_case(client, opening)
    for _ in range(3):
        order.append(
            next(s for s in (near, far, between) if address.startswith(pair_url(s, "case")))
        )
        fields = carried(client.get(address).content.decode())
        address = client.post(address.partition("?")[0], {**fields, "answer": "0"}).url

    assert order == [far, between, near]
    assert address == reverse("adjudicate", args=["small"])


def test_all_cases_are_counted_together_and_undone_together(client, opening, adjudicator):
    judge_both(opening, (1, 2), (0, 3))
    judge_both(an_open_query(opening.query.collection), (0, 2))
    first = next_case(client, opening)
    page = client.get(first).content.decode()
    assert "<b>3</b> due" in markup(page)
    second = client.post(first.partition("?")[0], {**carried(page), "answer": "0"}).url
    assert second.partition("/adjudicate/")[2] != first.partition("/adjudicate/")[2]

    undo = reverse("case-undo", args=["small", second.split("/")[4]])
    token = second.partition("?")[0].strip("/").split("/")[-1]
    assert client.get(undo, {"from": token, "then": "all"}).url == first


# A case


def test_a_case_shows_both_judgments_without_names_or_times(client, opening, adjudicator):
    slot, *_ = judge_both(
        opening, (Answer(grade=0, note="Not at all"), Answer(reason="other", note="A list"))
    )

    page = case_page(client, slot)
    assert "Not at all" in page
    assert "Cannot judge: Something else" in page
    for word in ("ann1", "ann2", "1987", "Secret Venue", "Hidden Author", "bm25_title"):
        assert not tells(page, word)


def test_which_judgment_is_a_follows_from_the_pair_and_stays(client, opening, adjudicator):
    cases = judge_both(opening, *[(0, 3)] * 8)

    sides = [grades_on_cards(client, slot)[0] for slot in cases]
    assert set(sides) == {0, 3}
    assert sides == [grades_on_cards(client, slot)[0] for slot in cases]


def test_each_grade_says_whether_it_overrules_both_and_no_field_has_judgment_ids(
    client, opening, adjudicator
):
    slot, *_ = judge_both(opening, (0, 3))

    page = case_page(client, slot)
    assert re.fullmatch("[0-9a-f]{64}", carried(page)["seen"])
    assert page.count("overrules both") == 2
    assert "as A says" in page
    assert "as B says" in page


def test_a_ruling_is_saved_and_leads_to_the_next_case(client, opening, adjudicator):
    far, near = judge_both(opening, (0, 3), (1, 2))
    response = rule(client, far, "1", note="Shares a step")

    decision = Decision.objects.get()
    assert (decision.grade, decision.note) == (1, "Shares a step")
    assert response.url == pair_url(near, "case")
    page = client.get(response.url).content.decode()
    assert "This overrules both judges." in page
    assert "Say why in a note" not in page


def test_a_ruling_that_overrules_both_without_a_note_is_asked_for_one(client, opening, adjudicator):
    far, _ = judge_both(opening, (0, 3), (1, 2))
    page = client.get(rule(client, far, "1").url).content.decode()

    link = f'<a href="{pair_url(far, "case")}?then=decided">Say why in a note</a>'
    assert f"This overrules both judges. {link}" in page
    rule(client, far, "1", note="Shares a step")
    assert [row.note for row in Decision.objects.order_by("pk")] == ["", "Shares a step"]


def test_the_form_sent_twice_counts_once(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    answer = {**carried(case_page(client, slot)), "answer": "1"}
    for _ in range(2):
        assert client.post(pair_url(slot, "case"), answer).status_code == 302

    assert Decision.objects.count() == 1


def test_a_card_can_be_accepted_as_it_is(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    _, shown_as_b = grades_on_cards(client, slot)
    rule(client, slot, "b")

    assert Decision.objects.get().grade == shown_as_b


def test_accepting_cannot_judge_sets_the_pair_aside_with_its_reason(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (Answer(reason="garbled"), Answer(reason="garbled")))
    rule(client, slot, "a")

    decision = Decision.objects.get()
    assert (decision.grade, decision.reason) == (None, "garbled")


def test_setting_aside_needs_a_reason(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    assert rule(client, slot, "cannot", reason=" ").status_code == 400
    rule(client, slot, "cannot", reason="Two papers in one")

    decision = Decision.objects.get()
    assert (decision.reason, decision.note) == ("other", "Two papers in one")


def test_an_incomplete_ruling_is_asked_for_again(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    fields = {**carried(case_page(client, slot)), "note": "Long thought"}
    for answer in ({}, {"answer": "4"}, {"answer": "1", "key": "no"}):
        response = client.post(pair_url(slot, "case"), {**fields, **answer})

        assert response.status_code == 400, answer
        assert "Long thought" in response.content.decode(), answer


def test_a_revised_judgment_is_shown_anew_with_what_was_typed(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    fields = {**carried(case_page(client, slot)), "answer": "1", "note": "Long thought"}
    judge(slot, 2)
    response = client.post(pair_url(slot, "case"), fields)

    page = response.content.decode()
    assert response.status_code == 409
    assert "A judge revised a judgment of this pair" in page
    assert "Long thought" in page
    assert not Decision.objects.exists()
    assert carried(page)["seen"] != fields["seen"]


def test_a_pair_on_which_the_judges_agree_by_now_is_left(client, opening, adjudicator):
    slot, other = judge_both(opening, (0, 3), (0, 2))
    fields = {**carried(case_page(client, slot)), "answer": "1"}
    judge(slot, 3)
    response = client.post(pair_url(slot, "case"), fields)

    assert response.url == pair_url(other, "case")
    assert "judges agree on this pair now" in client.get(response.url).content.decode()
    assert client.get(pair_url(slot, "case")).status_code == 404


def test_a_case_that_another_settled_first_is_left_with_a_word(client, opening, adjudicator):
    slot, other = judge_both(opening, (0, 3), (0, 2))
    fields = {**carried(case_page(client, slot)), "answer": "1"}
    settle(slot, member(opening.query.collection, Role.ADJUDICATOR, "adju2"), 2)
    response = client.post(pair_url(slot, "case"), fields)

    assert response.url == pair_url(other, "case")
    page = client.get(response.url).content.decode()
    assert "Another adjudicator decided this pair first" in page
    assert client.get(pair_url(slot, "case")).url == query_url(opening, "adjudicate-decided")


def test_a_pair_that_is_no_case_does_not_exist(client, opening, adjudicator):
    agreed, *_ = judge_both(opening, (2, 2))
    half = slots_of(opening, "ann1")[1]
    judge(half, 1)

    assert client.get(pair_url(agreed, "case")).status_code == 404
    assert client.get(pair_url(half, "case")).status_code == 404
    assert client.get(query_url(opening, "adjudicate-query")).status_code == 404
    assert client.get(query_url(opening, "adjudicate-decided")).status_code == 404


def test_a_case_that_the_adjudicator_judged_is_nowhere(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    judge_in_it = opening.seats.get(number=1).annotator
    member(opening.query.collection, Role.ADJUDICATOR, judge_in_it.username)
    fields = {**carried(case_page(client, slot)), "answer": "1"}
    client.force_login(judge_in_it)

    page = queue_page(client, opening)
    assert "No case yet" in page
    assert "that you judge yourself are left out" in page
    assert client.get(query_url(opening, "adjudicate-query")).status_code == 404
    assert client.get(pair_url(slot, "case")).status_code == 404
    assert client.post(pair_url(slot, "case"), fields).status_code == 404
    assert not Decision.objects.exists()


# Going back, and the end


def test_undo_leads_to_the_case_settled_last(client, opening, adjudicator):
    far, near, _ = judge_both(opening, (0, 3), (0, 2), (0, 1))
    settle(far, adjudicator, 1)
    settle(near, adjudicator, 1)

    assert client.get(query_url(opening, "case-undo")).url == pair_url(near, "case")
    again = client.get(query_url(opening, "case-undo"), {"from": near.pair.token})
    assert again.url == pair_url(far, "case")
    assert "You decided this as <b>1</b>" in case_page(client, near)


def test_undo_never_leads_to_the_decision_of_another(client, opening, adjudicator):
    far, _ = judge_both(opening, (0, 3), (0, 2))
    settle(far, member(opening.query.collection, Role.ADJUDICATOR, "adju2"), 1)

    page = client.get(query_url(opening, "case-undo"), follow=True).content.decode()
    assert "Nothing to undo" in page


def test_an_adjudicator_can_change_an_own_decision_from_the_list(client, opening, adjudicator):
    slot, _ = judge_both(opening, (0, 3), (0, 2))
    settle(slot, adjudicator, 1)
    address = pair_url(slot, "case") + "?then=decided"
    decided = query_url(opening, "adjudicate-decided")
    assert address in client.get(decided).content.decode()

    response = client.post(
        pair_url(slot, "case"), {**carried(client.get(address).content.decode()), "answer": "2"}
    )
    assert response.url == decided
    assert list(Decision.objects.values_list("sequence", "grade")) == [(1, 1), (2, 2)]


def test_the_end_says_how_many_cases_overruled_both_judges(client, opening, adjudicator):
    cases = judge_both(opening, (0, 3), (0, 2), (0, 1))
    for slot, grade in zip(cases, (1, 2, None), strict=True):
        settle(slot, adjudicator, grade)

    end = client.get(query_url(opening, "adjudicate-query"), follow=True)
    page = markup(end.content.decode())
    assert "All cases of this query are decided" in page
    assert "<dt>Overruled both</dt><dd>1</dd>" in page
    assert "<dt>Set aside</dt><dd>1</dd>" in page


def test_the_list_of_decided_cases_is_a_file_without_names_and_ids(client, opening, adjudicator):
    own, others = judge_both(opening, (0, 3), (0, 2))
    settle(own, adjudicator, 2)
    settle(others, member(opening.query.collection, Role.ADJUDICATOR, "someone"), 1)

    latest, first = csv_rows(client.get(query_url(opening, "adjudicate-decided") + "?format=csv"))

    assert (latest["final"], latest["own"], first["final"], first["own"]) == ("1", "no", "2", "yes")
    assert sorted([first["a"], first["b"]]) == ["0", "3"]
    assert list(first) == ["title", "a", "b", "final", "reason", "note", "own"]
    assert first["title"] == own.pair.candidate.document.title


# Later


def put_off(client, slot, then=""):
    return client.post(pair_url(slot, "case-later"), {"then": then})


def test_later_puts_the_case_behind_all_others_of_the_query(client, opening, adjudicator):
    near, far, farther = judge_both(opening, (1, 2), (0, 2), (0, 3))

    assert put_off(client, farther).url == pair_url(far, "case")
    assert put_off(client, far).url == pair_url(near, "case")
    assert rule(client, near, "1").url == pair_url(farther, "case")
    assert "put off earlier" in case_page(client, farther)
    assert put_off(client, farther).url == pair_url(far, "case")


def test_later_puts_the_case_behind_those_of_all_queries(client, opening, adjudicator):
    (far,) = judge_both(opening, (0, 3))
    (near,) = judge_both(an_open_query(opening.query.collection), (1, 2))

    assert put_off(client, far, then="all").url == f"{pair_url(near, 'case')}?then=all"
    assert next_case(client, opening) == f"{pair_url(near, 'case')}?then=all"
    assert put_off(client, near, then="all").url == f"{pair_url(far, 'case')}?then=all"


def test_the_only_case_left_cannot_wait(client, opening, adjudicator):
    (case,) = judge_both(opening, (0, 3))

    response = client.post(pair_url(case, "case-later"), follow=True)

    assert "This is the only case left" in response.text


def test_a_case_is_put_off_for_one_sitting_of_one_person(client, opening, adjudicator):
    _, far = judge_both(opening, (1, 2), (0, 3))
    put_off(client, far)
    client.logout()
    client.force_login(adjudicator)

    assert client.get(query_url(opening, "adjudicate-query")).url == pair_url(far, "case")


def test_a_pair_of_a_judge_cannot_be_put_off(client, opening):
    (case,) = judge_both(opening, (0, 3))
    collection = opening.query.collection
    collection.memberships.create(user=case.annotator, role=Role.ADJUDICATOR)
    client.force_login(case.annotator)

    assert put_off(client, case).status_code == 404


# Beside the case


def test_the_queue_beside_a_case_has_the_largest_difference_first(client, opening, adjudicator):
    judge_both(opening, (1, 2), (0, 2))
    other = an_open_query(opening.query.collection)
    (far,) = judge_both(other, (0, 3))

    sidebar = client.get(pair_url(far, "case")).context["sidebar"]

    assert [(row.query.name, row.due, row.widest) for row in sidebar.queries] == [
        (other.query.name, 1, 3),
        (opening.query.name, 2, 2),
    ]
    assert [(case.token, case.difference) for case in sidebar.cases] == [(far.pair.token, 3)]


def test_anchors_are_decided_cases_of_the_query_by_anybody(client, opening, adjudicator):
    own, others, due, aside = judge_both(opening, (0, 3), (1, 2), (0, 2), (0, 1))
    someone = member(opening.query.collection, Role.ADJUDICATOR, "someone")
    settle(own, adjudicator, 1)
    settle(others, someone, 2)
    settle(aside, someone, None)
    (foreign,) = judge_both(an_open_query(opening.query.collection), (0, 3))
    settle(foreign, adjudicator, 3)

    page = client.get(pair_url(due, "case"))

    titles = [slot.pair.candidate.document.title for slot in (others, own)]
    assert page.context["sidebar"].anchors == [(2, titles[0]), (1, titles[1])]
    assert not tells(page.text, "someone")
    own_page = client.get(pair_url(own, "case"))
    assert own_page.context["sidebar"].anchors == [(2, titles[0])]


def test_nothing_beside_a_case_changes_with_pairs_that_lack_a_judgment(
    client, opening, adjudicator
):
    (case,) = judge_both(opening, (0, 3))
    before = client.get(pair_url(case, "case")).context["sidebar"]
    half = next(slot for slot in slots_of(opening, "ann1") if slot.pair_id != case.pair_id)
    judge(half, 3)

    assert client.get(pair_url(case, "case")).context["sidebar"] == before


def test_nothing_beside_a_case_is_of_a_pair_that_the_adjudicator_judged(client, opening):
    case, decided, _ = judge_both(opening, (0, 3), (0, 2), (1, 2))
    collection = opening.query.collection
    settle(decided, member(collection, Role.ADJUDICATOR, "someone"), 1)
    collection.memberships.create(user=case.annotator, role=Role.ADJUDICATOR)
    judges = [member(collection, Role.ANNOTATOR, username) for username in ("eve", "fay")]
    other = open_query(query=a_query(collection), annotators=judges, opened_by=None)
    slots = slots_of(other, "eve")
    judge(slots[0], 0)
    judge(next(s for s in slots_of(other, "fay") if s.pair_id == slots[0].pair_id), 3)
    client.force_login(case.annotator)

    sidebar = client.get(pair_url(slots[0], "case")).context["sidebar"]

    assert [row.query.name for row in sidebar.queries] == [other.query.name]
    assert sidebar.anchors == []


# As the script uses it, and queries


def test_a_script_gets_the_address_of_the_next_case(client, opening, adjudicator):
    far, near = judge_both(opening, (0, 3), (1, 2))
    fields = {**carried(case_page(client, far)), "answer": "1", "person": adjudicator.pk}
    response = client.post(pair_url(far, "case"), fields, **JSON)

    assert response.json() == {"key": fields["key"], "next": pair_url(near, "case")}


def test_a_script_gets_a_refusal_in_words(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    fields = {**carried(case_page(client, slot)), "answer": "1", "key": str(uuid.uuid4())}
    judge(slot, 2)
    response = client.post(pair_url(slot, "case"), fields, **JSON)

    assert (response.status_code, response.json()["error"]) == (409, "JudgmentsChanged")
    assert response.json()["key"] == fields["key"]


def test_a_script_learns_that_another_settled_first_and_where_to_go_on(
    client, opening, adjudicator
):
    far, near = judge_both(opening, (0, 3), (1, 2))
    fields = {**carried(case_page(client, far)), "answer": "1"}
    settle(far, member(opening.query.collection, Role.ADJUDICATOR, "adju2"), 2)
    response = client.post(pair_url(far, "case"), fields, **JSON)

    assert (response.status_code, response.json()["error"]) == (409, "AlreadyDecided")
    assert response.json()["next"] == pair_url(near, "case")
    assert response.json()["key"] == fields["key"]


def test_a_script_learns_that_a_pair_is_not_for_this_adjudicator(client, opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    fields = {**carried(case_page(client, slot)), "answer": "1"}
    opening.query.collection.memberships.filter(user=adjudicator).delete()
    response = client.post(pair_url(slot, "case"), fields, **JSON)

    assert (response.status_code, response.json()["error"]) == (404, "NotYours")
    assert response.json()["key"] == fields["key"]


def test_the_pages_take_the_same_few_queries_however_many_cases_there_are(
    client, opening, adjudicator, django_assert_max_num_queries
):
    cases = judge_both(opening, *[(0, 3)] * 7)
    for slot in cases[:4]:
        settle(slot, adjudicator, 1)

    with django_assert_max_num_queries(9):
        queue_page(client, opening)
    with django_assert_max_num_queries(19):
        case_page(client, cases[5])
    with django_assert_max_num_queries(11):
        client.get(query_url(opening, "adjudicate-decided"))
