"""The workspace as plain forms, and the same addresses as the scripts use them."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts.models import Role
from annotation.models import Judgment
from annotation.services import Answer, open_query, reassign_seat
from corpus.services import create_query
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    a_pool,
    a_query,
    an_open_query,
    annotators,
    member,
)
from tests.support.sittings import carried, grades_in, judge, pair_url, query_url, slots_of
from tests.support.visits import markup
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

JSON = {"HTTP_ACCEPT": "application/json"}
PART = {"HTTP_HX_REQUEST": "true"}


@once_a_file
def opening():
    return an_open_query(a_collection(), size=4)


@pytest.fixture
def annotator(client, opening):
    user = opening.seats.get(number=1).annotator
    client.force_login(user)
    return user


@pytest.fixture
def slots(annotator, opening):
    return slots_of(opening, "ann1")


def fields(client, slot) -> dict[str, str]:
    return carried(client.get(pair_url(slot)).content.decode())


# Plain forms


def test_a_query_opens_at_the_next_pair_in_the_annotator_s_order(client, opening, slots):
    page = client.get(query_url(opening))

    assert page.status_code == 200
    assert f'action="{pair_url(slots[0])}"' in page.text


def test_a_grade_is_saved_and_leads_to_the_next_pair(client, opening, slots):
    response = client.post(
        pair_url(slots[0]), {**fields(client, slots[0]), "answer": "2"}, follow=True
    )

    assert response.redirect_chain[-1][0] == pair_url(slots[1])
    assert grades_in(opening, "ann1") == [2]
    assert '<b id="judged">1</b>' in response.content.decode()


def test_the_note_is_saved_with_the_grade(client, slots):
    client.post(pair_url(slots[0]), {**fields(client, slots[0]), "answer": "2", "note": "As in X"})

    assert Judgment.objects.get().note == "As in X"


def test_the_form_sent_twice_counts_once(client, opening, slots):
    answer = {**fields(client, slots[0]), "answer": "2"}
    for _ in range(2):
        assert client.post(pair_url(slots[0]), answer).status_code == 302

    assert Judgment.objects.count() == 1


def test_cannot_judge_is_saved_with_its_reason(client, slots):
    answer = {**fields(client, slots[0]), "answer": "cannot", "reason": "garbled"}
    client.post(pair_url(slots[0]), answer)

    judgment = Judgment.objects.get()
    assert (judgment.grade, judgment.reason) == (None, "garbled")


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": "cannot"},
        {"answer": "cannot", "reason": "other", "note": " "},
        {"answer": "cannot", "reason": "source"},
        {"answer": "4"},
        {},
    ],
)
def test_an_incomplete_answer_is_asked_for_again_with_what_was_typed(client, slots, answer):
    answer = {"note": "Long thought", **fields(client, slots[0]), **answer}
    response = client.post(pair_url(slots[0]), answer)

    assert response.status_code == 400
    assert answer["note"] in response.content.decode()
    assert not Judgment.objects.exists()


def test_a_late_copy_of_an_old_page_is_refused_over_the_pair_as_it_is(client, slots):
    old = fields(client, slots[0])
    judge(slots[0], 3)
    response = client.post(pair_url(slots[0]), {**old, "answer": "0", "note": "kept"})

    page = response.content.decode()
    assert response.status_code == 409
    assert "judged this pair in another window" in page
    assert "kept" in page
    assert carried(page)["supersedes"] == str(Judgment.objects.get().key)
    assert Judgment.objects.get().grade == 3


def test_an_answer_to_another_text_than_was_shown_is_refused(client, slots):
    answer = {**fields(client, slots[1]), "answer": "0"}
    response = client.post(pair_url(slots[0]), answer)

    assert response.status_code == 409
    assert not Judgment.objects.exists()


def test_undo_leads_to_the_pair_judged_last_with_its_grade_marked(client, opening, slots):
    judge(slots[0], 1)
    judge(slots[1], 3)
    response = client.get(
        query_url(opening, "judge-undo"), {"from": slots[2].pair.token}, follow=True
    )

    page = response.content.decode()
    assert response.redirect_chain[-1][0] == pair_url(slots[1])
    assert 'You said <b id="was-said">3 Near identical</b>' in page
    assert page.count('aria-pressed="true"') == 1


def test_last_is_by_when_it_was_said_not_by_where_the_pair_stands(client, opening, slots):
    for slot in sorted(slots, key=lambda slot: -slot.pk):
        judge(slot, 1)
    lowest, second = sorted(slots, key=lambda slot: slot.pk)[:2]

    assert client.get(query_url(opening, "judge-undo")).url == pair_url(lowest)
    page = client.get(query_url(opening, "judge-mine")).content.decode()
    assert page.index(pair_url(lowest)) < page.index(pair_url(second))


def test_undo_twice_goes_one_further_back(client, opening, slots):
    judge(slots[0], 1)
    judge(slots[1], 3)

    response = client.get(query_url(opening, "judge-undo"), {"from": slots[1].pair.token})
    assert response.url == pair_url(slots[0])


def test_undo_with_nothing_judged_says_so(client, opening, slots):
    page = client.get(query_url(opening, "judge-undo"), follow=True).content.decode()

    assert "Nothing to undo" in page


def test_a_changed_grade_supersedes_and_leads_back_to_the_current_pair(client, opening, slots):
    judge(slots[0], 1)
    response = client.post(
        pair_url(slots[0]), {**fields(client, slots[0]), "answer": "0"}, follow=True
    )

    assert response.redirect_chain[-1][0] == pair_url(slots[1])
    assert list(slots[0].judgments.values_list("grade", flat=True)) == [1, 0]


def test_a_change_from_the_list_leads_back_to_the_list(client, opening, slots):
    judge(slots[0], 1)
    page = client.get(pair_url(slots[0]), {"then": "mine"}).content.decode()
    response = client.post(pair_url(slots[0]), {**carried(page), "answer": "0"})

    assert response.url == query_url(opening, "judge-mine")


def test_later_puts_the_pair_behind_the_others(client, opening, slots):
    response = client.post(pair_url(slots[0], "judge-later"), follow=True)

    assert response.redirect_chain[-1][0] == pair_url(slots[1])
    assert slots_of(opening, "ann1")[-1] == slots[0]
    assert "put off earlier" in client.get(pair_url(slots[0])).content.decode()


def test_only_a_postponed_pair_without_a_judgment_is_marked_as_postponed(client, slots):
    waiting, judged, *_ = slots
    for slot in (waiting, judged):
        client.post(pair_url(slot, "judge-later"))
    judge(judged, 1)

    marked = [slot for slot in slots if "put off earlier" in client.get(pair_url(slot)).text]
    assert marked == [waiting]


def test_the_only_pair_left_cannot_wait(client, slots):
    for slot in slots[1:]:
        judge(slot, 0)
    page = client.post(pair_url(slots[0], "judge-later"), follow=True).content.decode()

    assert "only pair left" in page


def test_a_judged_pair_cannot_wait(client, slots):
    judge(slots[0], 0)
    page = client.post(pair_url(slots[0], "judge-later"), follow=True).content.decode()

    assert "unjudged pairs can be postponed" in page


def test_a_reload_shows_the_same_pair(client, slots):
    pages = [client.get(pair_url(slots[2])).content.decode() for _ in range(2)]

    assert all(f'data-token="{slots[2].pair.token}"' in page for page in pages)


def test_the_guideline_can_be_opened_beside_the_pair(client, slots):
    shut = markup(client.get(pair_url(slots[0])).text)
    opened = markup(client.get(pair_url(slots[0]) + "?guideline").text)

    assert 'tabindex="-1" hidden>' in shut
    assert 'tabindex="-1" hidden>' not in opened


def test_the_guideline_begins_with_the_grades(client, slots):
    panel = markup(client.get(pair_url(slots[0]) + "?guideline").text).partition('id="guideline"')[
        2
    ]
    guideline = slots[0].pair.query.opening.guideline

    assert panel.index(guideline.grades[0]["definition"]) < panel.index("Instructions")


def test_the_addresses_of_a_pair_are_right_for_any_docno(client, annotator, opening):
    collection = opening.query.collection
    paper = DocumentFactory(collection=collection, docno="10.1/a b&c'é%?")
    query = create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_pool(query.query_paper, DocumentFactory.create_batch(1, collection=collection))
    odd = open_query(query=query, annotators=annotators(collection), opened_by=None)
    (slot,) = slots_of(odd, "ann1")

    for page in (client.get(query_url(odd)), client.get(query_url(odd, "judge-ahead"), **PART)):
        part = page.text.partition("<article")[2]
        assert f'data-url="{escape(pair_url(slot))}"' in part
        assert f'data-later-url="{escape(pair_url(slot, "judge-later"))}"' in part


def test_only_the_sentences_of_the_facet_are_bold(client, slots):
    page = markup(client.get(pair_url(slots[0])).text)
    docno = slots[0].pair.candidate.document.docno

    assert f'<strong class="in-facet">Method of {docno}.</strong>' in page
    assert f'<p data-label="background">Background of {docno}.</p>' in page


def test_a_candidate_without_text_is_shown_as_such(client, opening, annotator):
    collection = opening.query.collection
    query = a_query(collection, size=0)
    empty = DocumentFactory(collection=collection, sentences=[], labels=[])
    query.query_paper.pool.candidates.create(document=empty, position=1)
    bare = open_query(query=query, annotators=annotators(collection), opened_by=None)

    page = client.get(query_url(bare), follow=True).content.decode()
    assert "No abstract available" in page


# Who may


@pytest.mark.parametrize("token", ["0" * 16, "theirs"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_wrong_or_foreign_pair_does_not_exist(client, opening, slots, token, method):
    other = an_open_query(a_collection("elsewhere"))
    token = slots_of(other, "ann1")[0].pair.token if token == "theirs" else token
    url = reverse("judge-pair", args=["small", opening.query.name, token])

    assert getattr(client, method)(url).status_code == 404


def test_the_other_roles_cannot_judge(client, opening, slots):
    answer = {**fields(client, slots[0]), "answer": "1"}
    for username in ("admin", "adju"):
        client.force_login(opening.query.collection.memberships.get(user__username=username).user)
        assert client.post(pair_url(slots[0]), answer).status_code == 404
        assert client.post(pair_url(slots[0], "judge-later")).status_code == 404
    assert not Judgment.objects.exists()


def test_the_form_needs_its_csrf_token(opening, slots, annotator):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(annotator)

    assert strict.post(pair_url(slots[0]), {"answer": "1"}).status_code == 403


# As the scripts use it


def test_a_script_gets_the_new_count(client, slots, annotator):
    answer = {**fields(client, slots[0]), "answer": "2", "seconds": "12.5", "person": annotator.pk}
    response = client.post(pair_url(slots[0]), answer, **JSON)

    assert response.json() == {"key": answer["key"], "judged": 1, "total": 4}
    assert Judgment.objects.get().seconds == 12.5


def test_a_script_gets_a_refusal_in_words(client, slots):
    old = fields(client, slots[0])
    judge(slots[0], 3)
    response = client.post(pair_url(slots[0]), {**old, "answer": "0"}, **JSON)

    assert response.status_code == 409
    assert (response.json()["error"], response.json()["key"]) == ("RevisedMeanwhile", old["key"])


def test_a_key_with_another_answer_is_refused(client, slots):
    key = uuid.uuid4()
    judge(slots[0], 3, key=key)
    answer = {**fields(client, slots[0]), "key": str(key), "answer": "0"}

    response = client.post(pair_url(slots[0]), answer, **JSON)
    assert (response.status_code, response.json()["error"]) == (409, "KeyReused")


def test_what_one_person_judged_is_never_taken_from_another(client, slots, opening):
    answer = {**fields(client, slots[0]), "answer": "2", "person": slots[0].annotator_id}
    client.force_login(opening.seats.get(number=2).annotator)
    response = client.post(pair_url(slots[0]), answer, **JSON)

    assert (response.status_code, response.json()["error"]) == (403, "AnotherPerson")
    assert not Judgment.objects.exists()


def test_a_script_learns_that_later_is_saved_by_the_key_it_sent(client, opening, slots):
    sent = {"key": str(uuid.uuid4())}
    response = client.post(pair_url(slots[0], "judge-later"), sent, **JSON)
    assert response.json() == {**sent, "judged": 0, "total": 4}

    judge(slots[0], 1)
    response = client.post(pair_url(slots[0], "judge-later"), sent, **JSON)
    assert (response.status_code, response.json()["error"]) == (409, "NotYours")
    assert response.json()["key"] == sent["key"]


@pytest.mark.parametrize("view", ["judge-pair", "judge-later"])
def test_a_script_learns_that_its_pair_was_handed_over_not_from_a_page_of_any_proxy(
    client, opening, slots, view
):
    answer = {**fields(client, slots[0]), "answer": "2"}
    newcomer = member(opening.query.collection, Role.ANNOTATOR, "ann3")
    reassign_seat(opening=opening, number=1, annotator=newcomer)
    response = client.post(pair_url(slots[0], view), answer, **JSON)

    assert (response.status_code, response.json()["error"]) == (404, "NotYours")
    assert response.json()["key"] == answer["key"]


@pytest.mark.parametrize("view", ["judge-pair", "judge-later"])
def test_a_script_learns_that_its_login_has_ended_by_the_key_it_sent(client, slots, view):
    answer = {**fields(client, slots[0]), "answer": "2"}
    client.logout()
    response = client.post(pair_url(slots[0], view), answer, **JSON)

    assert (response.status_code, response.json()["error"]) == (401, "LoggedOut")
    assert response.json()["key"] == answer["key"]
    assert client.post(pair_url(slots[0], view), answer).url.startswith(reverse("login"))


@pytest.mark.parametrize("view", ["judge-pair", "judge-ahead", "judge-undo"])
def test_a_page_of_one_person_never_shows_what_another_judged(client, opening, slots, view):
    other = opening.seats.get(number=2).annotator
    pair = slots[0] if view == "judge-pair" else None
    address = pair_url(pair) if pair else query_url(opening, view)
    person = {"HTTP_QRELSMITH_PERSON": str(slots[0].annotator_id)}
    assert client.get(address, **PART, **person).status_code in (200, 204)

    client.force_login(other)
    assert client.get(address, **PART, **person).status_code == 403


def test_a_script_learns_that_its_token_is_out_of_date_by_the_key_it_sent(annotator, slots):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(annotator)
    response = strict.post(pair_url(slots[0]), {"answer": "1", "key": "k"}, **JSON)

    assert (response.status_code, response.json()["error"]) == (403, "CsrfFailed")
    assert response.json()["key"] == "k"


def test_the_pairs_ahead_follow_in_order_without_those_held_already(client, opening, slots):
    judge(slots[0], 1)
    without = slots[1].pair.token
    part = client.get(
        query_url(opening, "judge-ahead"), {"without": without}, **PART
    ).content.decode()

    tokens = [slot.pair.token for slot in slots]
    assert [token for token in tokens if token in part] == tokens[2:]
    assert part.index(tokens[2]) < part.index(tokens[3])
    assert "<html" not in part


@pytest.mark.parametrize(
    ("count", "sent"), [("2", 2), ("3", 3), ("999", 3), ("0", 1), ("-5", 1), ("many", 3), ("", 3)]
)
def test_a_script_gets_as_many_pairs_ahead_as_it_asks_for(client, opening, slots, count, sent):
    asked = {"without": slots[0].pair.token, "count": count}
    part = client.get(query_url(opening, "judge-ahead"), asked, **PART).text

    assert part.count('class="pair"') == sent
    tokens = [slot.pair.token for slot in slots[1 : 1 + sent]]
    assert [token for token in tokens if token in part] == tokens


@pytest.mark.parametrize(("count", "last"), [("3", False), ("4", True)])
def test_a_script_learns_that_no_more_pairs_follow(client, opening, slots, count, last):
    asked = {"without": slots[0].pair.token, "count": count}
    part = client.get(query_url(opening, "judge-ahead"), asked, **PART).text

    assert ("data-last" in part) is last


def test_a_script_gets_the_pair_alone(client, slots):
    judge(slots[0], Answer(grade=2, note="So"))
    part = client.get(pair_url(slots[0]), **PART).content.decode()

    assert "<html" not in part
    assert 'data-grade="2"' in part
    assert 'data-note="So"' in part


def test_a_script_going_back_before_the_first_gets_nothing(client, opening, slots):
    assert client.get(query_url(opening, "judge-undo"), **PART).status_code == 204


# Queries


def test_a_pair_takes_few_queries(client, slots, django_assert_max_num_queries):
    judge(slots[0], 1, seconds=3)
    with django_assert_max_num_queries(9):
        client.get(pair_url(slots[1]))


def test_the_pairs_ahead_take_few_queries(client, opening, slots, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        client.get(query_url(opening, "judge-ahead"), **PART)


def test_saving_takes_few_queries(client, slots, django_assert_max_num_queries):
    answer = {**fields(client, slots[0]), "answer": "2"}
    with django_assert_max_num_queries(9):
        client.post(pair_url(slots[0]), answer, **JSON)
