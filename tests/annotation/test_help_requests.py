"""A judge asks the admin about a pair or a guideline, and the answer tells nothing of others."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.locking import CollectionArchived
from accounts.models import Role, User
from annotation.guidelines.changes import apply_guideline
from annotation.help_requests.names import named_in
from annotation.help_requests.services import (
    AlreadyAnswered,
    AlreadyAsked,
    BadHelpText,
    NamesSecrets,
    NoAdmin,
    UndecidedExample,
    write_example,
)
from annotation.models import Guideline, HelpExample, HelpReading, HelpRequest
from annotation.services import KeyReused, NotYours
from tests.support.factories import a_collection, an_open_query
from tests.support.help_scenes import answer, ask_admin
from tests.support.repeats import a_collection_with_repeats, repeats_of
from tests.support.sittings import judge, judge_both, pair_url, query_url, settle, slots_of
from tests.support.visits import markup, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

JSON = {"HTTP_ACCEPT": "application/json"}
PART = {"HTTP_HX_REQUEST": "true"}


@once_a_file
def opening():
    opening = an_open_query(a_collection(), size=4)
    User.objects.filter(username="ann2").update(first_name="Zebedee", last_name="Plugh")
    opening.query.collection.runs.create(name="secret-run", kind="file", sha256="0" * 64)
    return opening


@pytest.fixture
def slots(opening):
    """Of ann1, before any judgment."""
    return slots_of(opening, "ann1")


def browser_of(username: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


def own_page(username: str, slot) -> str:
    slug = slot.pair.query.collection.slug
    return browser_of(username).get(reverse("own-help-requests", args=[slug])).text


def ask_url(slot) -> str:
    return f"{pair_url(slot)}ask/"


# Names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As ann2 says", ["ann2"]),
        ("As Zebedee\n plugh says", ["Zebedee Plugh"]),
        ("Zebedee-Plugh, ann22 and xann2", []),
        ("(secret-run) has it", ["secret-run"]),
        ("a b", []),
    ],
)
def test_a_name_is_found_as_whole_words_whatever_the_case_and_spaces(text, found):
    assert named_in(text, ["ann2", "Zebedee Plugh", "secret-run", "a", ""]) == found


# Asking


def test_a_question_without_a_script_is_saved_once_and_the_pair_can_be_judged(slots):
    client = browser_of("ann1")
    page = client.get(pair_url(slots[0])).text
    assert f'action="{ask_url(slots[0])}"' in markup(page)
    sent = {"text": " Is a survey a method?\r\n", "key": str(uuid.uuid4())}

    for _ in range(2):
        assert client.post(ask_url(slots[0]), sent)["Location"] == pair_url(slots[0])

    request = HelpRequest.objects.get()
    assert (request.text, request.pair, request.token) == (
        "Is a survey a method?",
        slots[0].pair,
        slots[0].pair.token,
    )
    judge(slots[0], 2)
    assert "You asked the admin" in client.get(pair_url(slots[0])).text


def test_a_script_gets_its_key_back_and_a_refusal_with_its_reason(slots):
    client = browser_of("ann1")
    sent = {"text": "Why?", "guideline": "on", "key": str(uuid.uuid4())}

    assert client.post(ask_url(slots[0]), sent, **JSON).json() == {"key": sent["key"]}
    assert HelpRequest.objects.get().pair is None
    again = client.post(ask_url(slots[1]), sent | {"key": str(uuid.uuid4())}, **JSON)
    assert (again.status_code, again.json()["error"]) == (409, "AlreadyAsked")
    empty = client.post(ask_url(slots[0]), sent | {"text": " "}, **JSON)
    assert (empty.status_code, empty.json()["message"]) == (400, "Enter your question.")
    page = client.post(ask_url(slots[0]), {"text": "Kept text", "key": "none"})
    assert page.status_code == 400
    assert "Kept text" in page.text


def test_a_judge_reads_refusals_and_the_list_in_the_own_language(slots):
    client = browser_of("ann1")
    client.cookies["language"] = "de"
    sent = {"text": "Why?", "guideline": "on"}
    answer(ask_admin(slots[0]))
    client.post(ask_url(slots[0]), sent | {"key": str(uuid.uuid4())})

    again = client.post(ask_url(slots[1]), sent | {"key": str(uuid.uuid4())}, **JSON)
    assert again.json()["message"].startswith("Sie haben schon zu diesem Leitfaden gefragt")
    empty = client.post(ask_url(slots[0]), sent | {"text": " "}, **JSON)
    assert empty.json()["message"] == "Geben Sie Ihre Frage ein."
    url = reverse("own-help-requests", args=[slots[0].pair.query.collection.slug])
    page = text_of(client.get(url))
    assert "zum Leitfaden gefragt" in page
    assert f"{slots[0].pair.candidate.document.title}</a> gefragt" in page


def test_what_may_not_be_asked_is_refused(opening, slots):
    with pytest.raises(NotYours):
        ask_admin(slots[0], asker=User.objects.get(username="ann2"))
    for text in (" ", "x" * 4_001):
        with pytest.raises(BadHelpText):
            ask_admin(slots[0], text)
    key = uuid.uuid4()
    first = ask_admin(slots[0], key=key)
    assert ask_admin(slots[0], key=key) == first
    with pytest.raises(KeyReused):
        ask_admin(slots[0], "Another", key=key)
    with pytest.raises(AlreadyAsked):
        ask_admin(slots[0], "Again")
    answer(first)
    ask_admin(slots[0], "Again, after the answer")
    collection = opening.query.collection
    collection.memberships.filter(role=Role.ADMIN).delete()
    with pytest.raises(NoAdmin):
        ask_admin(slots[1])


def test_an_archived_collection_takes_neither_question_nor_answer(opening, slots):
    asked = ask_admin(slots[0])
    opening.query.collection.__class__.objects.update(archived_at="2026-01-01T00:00Z")

    with pytest.raises(CollectionArchived):
        ask_admin(slots[1])
    with pytest.raises(CollectionArchived):
        answer(asked)


def test_a_question_on_a_repeat_is_shown_on_the_repeat_alone():
    opening = an_open_query(a_collection_with_repeats(0.5), size=4)
    repeat = repeats_of(opening)[0]
    slot = repeat.slot
    judge(slot, 1)
    client = browser_of("ann1")
    answer(ask_admin(slot, "About the pair"), "First answer")

    url = f"{query_url(opening)}{repeat.token}/"
    assert "First answer" not in client.get(url).text
    answer(ask_admin(repeat, "About the repeat"), "Second answer")

    assert "Second answer" in client.get(url).text
    assert "Second answer" not in client.get(pair_url(slot)).text
    assert pair_url(slot) in own_page("ann1", slot)
    assert url in own_page("ann1", slot)


# Answers


def test_the_asker_alone_reads_an_answer_and_marks_it_as_read(slots):
    request = answer(ask_admin(slots[0]), "**Only** if it compares.")

    page = browser_of("ann1").get(pair_url(slots[0])).text
    assert "<strong>Only</strong> if it compares." in page
    part = browser_of("ann1").get(query_url(slots[0].pair.query.opening, "judge-ahead"), **PART)
    assert part.text.count("if it compares.") == 1
    assert "if it compares." not in browser_of("ann2").get(pair_url(slots[0])).text
    assert ">New<" in own_page("ann1", slots[0])
    assert not HelpReading.objects.exists()  # a GET writes nothing
    assert "if it compares." not in own_page("ann2", slots[0])
    url = reverse("own-help-requests", args=[slots[0].pair.query.collection.slug])
    browser_of("ann2").post(url, {"request": request.pk})
    assert not HelpReading.objects.exists()
    browser_of("ann1").post(url)

    assert ">New<" not in own_page("ann1", slots[0])


def test_an_answer_for_all_is_shown_to_all_judges_without_the_question(slots):
    answer(ask_admin(slots[0], "SECRET QUESTION"), "A survey is no method.", for_all=True)
    client = browser_of("ann2")

    page = client.get(query_url(slots[0].pair.query.opening)).text
    assert "A survey is no method." in page
    assert "SECRET QUESTION" not in page + own_page("ann2", slots[0])
    request = HelpRequest.objects.get()
    assert f'name="request" value="{request.pk}"' in page
    url = reverse("own-help-requests", args=[slots[0].pair.query.collection.slug])
    sent = {"request": request.pk, "then": slots[0].pair.query.name}
    assert client.post(url, sent)["Location"] == query_url(slots[0].pair.query.opening)
    assert "A survey is no method." not in client.get(pair_url(slots[1])).text
    assert "A survey is no method." in own_page("ann2", slots[0])


@pytest.mark.parametrize(
    ("text", "for_all"),
    [
        ("ann2 gave it, too", False),
        ("Ask zebedee PLUGH", False),
        ("Found by secret-run", False),
        ("Found by bm25_text", False),
        ("As ann1 asks", True),
        ("As in {title}", True),
        ("As in {docno}", True),
    ],
)
def test_an_answer_with_a_name_is_refused(slots, text, for_all):
    document = slots[0].pair.candidate.document
    request = ask_admin(slots[0])

    with pytest.raises(NamesSecrets):
        answer(request, text.format(title=document.title, docno=document.docno), for_all=for_all)
    answer(request, f"ann1: as in {document.title}")
    with pytest.raises(AlreadyAnswered):
        answer(request)


def test_the_admin_answers_on_a_page_that_shows_the_pair_and_no_grade(opening, slots):
    judge(slots[0], 3)
    request = ask_admin(slots[0])
    client = browser_of("admin")
    slug = opening.query.collection.slug
    url = reverse("help-request", args=[slug, request.pk])
    overview = client.get(reverse("collection", args=[slug])).text
    assert "1 question to the admin without an answer" in overview

    assert url in client.get(reverse("help-requests", args=[slug])).text
    page = client.get(url).text
    assert slots[0].pair.candidate.document.title in page
    assert "grade-3" not in page
    refused = client.post(url, {"answer": "ann2 has it", "audience": ""})
    assert refused.status_code == 409
    assert "The answer names “ann2”" in refused.text
    assert client.post(url, {"answer": ""}).status_code == 422
    assert client.post(url, {"answer": "No.", "audience": "all"})["Location"] == url
    request.refresh_from_db()
    assert (request.answer, request.for_all, request.answered_by.username) == ("No.", True, "admin")
    assert "without an answer" not in client.get(reverse("collection", args=[slug])).text


# Examples of the guideline


def with_example(guideline: Guideline, text: str) -> dict:
    grades = [dict(grade) for grade in guideline.grades]
    grades[1]["example"] = text
    return {"instructions": guideline.instructions, "grades": grades}


def write(request: HelpRequest, text: str) -> Guideline:
    guideline = request.facet.guidelines.first()
    return write_example(
        request=request,
        written_by=User.objects.get(username="admin"),
        based_on=guideline.version,
        **with_example(guideline, text),
    )


def test_a_pair_is_an_example_only_once_it_is_decided(opening, slots):
    request = answer(ask_admin(slots[0]))
    title = slots[0].pair.candidate.document.title
    other = slots_of(opening, "ann2")
    theirs = next(slot for slot in other if slot.pair_id == slots[0].pair_id)

    for step in (lambda: None, lambda: judge(slots[0], 1), lambda: judge(theirs, 3)):
        step()
        with pytest.raises(UndecidedExample):
            write(request, f"Candidate: {title}")
    assert not HelpExample.objects.exists()
    assert request.facet.guidelines.count() == 1
    settle(slots[0], User.objects.get(username="adju"), 2)
    write(request, f"Candidate: {title}")

    assert HelpExample.objects.get().shows_pair is True


def test_an_agreed_pair_is_decided_and_a_made_up_example_needs_none(opening, slots):
    request = answer(ask_admin(slots[0]))
    write(request, "Candidate: A made-up paper")
    assert HelpExample.objects.get().shows_pair is False
    with pytest.raises(NamesSecrets):
        write(request, "As ann2 said")
    judge_both(opening, (2, 2), (2, 2), (2, 2), (2, 2))

    write(request, f"Candidate: {slots[0].pair.candidate.document.title}")

    assert [each.shows_pair for each in HelpExample.objects.all()] == [False, True]
    assert "version 3 of the guideline" in own_page("ann1", slots[0])


def test_the_form_of_the_next_version_begins_with_the_answer(opening, slots):
    request = answer(ask_admin(slots[0]), "Only if it compares.", for_all=True)
    client = browser_of("admin")
    collection, facet = opening.query.collection, opening.query.facet
    url = reverse("guideline", args=[collection.slug, facet.slug])

    page = client.get(url, {"help_request": request.pk, "grade": 1, "shows_pair": "on"}).text
    title = slots[0].pair.candidate.document.title
    assert f"Candidate: {title}\n\nOnly if it compares.</textarea>" in page
    current = facet.guidelines.first()
    sent = {"based_on": current.version, "help_request": request.pk}
    sent["instructions"] = current.instructions
    for grade in current.grades:
        for name in ("name", "definition", "detail", "example"):
            sent[f"grade-{grade['grade']}-{name}"] = grade.get(name, "")
    refused = client.post(url, sent | {"grade-1-example": f"Candidate: {title}"})
    assert refused.status_code == 422
    assert "is not decided yet" in refused.text
    assert client.post(url, sent | {"grade-1-example": "Made up"})["Location"] == url
    new = HelpExample.objects.get(request=request).guideline
    assert new.version == current.version + 1
    apply_guideline(
        collection=collection,
        queries=[opening.query.name],
        guideline=new,
        reason="A question",
        judge_again=False,
        made_by=None,
    )
    assert "Made up" in browser_of("ann1").get(pair_url(slots[0]), follow=True).text
    assert client.get(url, {"help_request": 0}).status_code == 404


# Queries


def test_pages_take_more_queries_only_where_somebody_asked(slots, django_assert_num_queries):
    client, url = browser_of("ann1"), pair_url(slots[1])
    judge(slots[0], 1, seconds=3)
    with django_assert_num_queries(7):
        client.get(url)
    answer(ask_admin(slots[1]))
    with django_assert_num_queries(9):
        client.get(url)
