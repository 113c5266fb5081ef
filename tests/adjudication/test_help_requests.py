"""An adjudicator asks the admin about a case. Judges learn nothing from question or answer."""

from __future__ import annotations

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Role, User
from adjudication.errors import JudgedByYou, NoSuchCase
from adjudication.help_requests.services import ask_about_case
from annotation.help_requests.reading import help_of_pairs
from annotation.help_requests.services import AlreadyAsked, NamesSecrets
from annotation.models import HelpRequest
from notices.models import NoticeKind
from notices.waiting import active_roles, notices_for
from tests.support import api_world
from tests.support.factories import a_collection, an_open_query
from tests.support.help_scenes import answer
from tests.support.sittings import judge_both, pair_url, query_url, settle, slots_of
from tests.support.visits import client_of, markup
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

SECRET = "A says 0 and B says 3"


@once_a_file
def opening():
    opening = an_open_query(a_collection(), size=4)
    judge_both(opening, (0, 3), (2, 2))
    return opening


@pytest.fixture
def slot(opening):
    """Of ann1, in the case."""
    return slots_of(opening, "ann1")[0]


def ask(slot, text=SECRET, **changes) -> HelpRequest:
    values = {"asker": User.objects.get(username="adju"), "on_guideline": False}
    return ask_about_case(
        pair_id=slot.pair_id, text=text, **{"key": uuid.uuid4()} | values | changes
    )


def pages_of(username: str, slot) -> str:
    """All that the judge's pages say about the query and about questions."""
    client, opening = client_of(username), slot.pair.query.opening
    pages = [
        reverse("own-help-requests", args=[opening.query.collection.slug]),
        query_url(opening),
        query_url(opening, "judge-mine"),
        pair_url(slot),
    ]
    return "".join(client.get(page, follow=True).text for page in pages)


def waiting_for_adju() -> list[str]:
    """What waits for the adjudicator, beside cases."""
    adju = User.objects.get(username="adju")
    found = notices_for(adju, active_roles(adju))
    return [notice.text for notice in found if notice.kind != NoticeKind.CASES]


def test_the_question_is_sent_from_the_case_and_answered_on_it(slot):
    client, url = client_of("adju"), pair_url(slot, "ask-admin-about-case")
    page = markup(client.get(pair_url(slot, "case")).text)
    assert f'action="{url}"' in page
    sent = {"text": " Is a survey a method? ", "key": str(uuid.uuid4()), "then": "all"}

    for _ in range(2):
        assert client.post(url, sent)["Location"] == f"{pair_url(slot, 'case')}?then=all"
    request = HelpRequest.objects.get()
    assert (request.text, request.pair, request.from_case) == (
        "Is a survey a method?",
        slot.pair,
        True,
    )
    assert "You asked the admin" in client.get(pair_url(slot, "case")).text
    again = client.post(url, sent | {"key": str(uuid.uuid4()), "text": "Kept words"})
    assert again.status_code == 409
    assert "Kept words" in again.text
    assert client.post(url, {"text": " "}).status_code == 400

    admin = client_of("admin")
    slug = slot.pair.query.collection.slug
    assert "adjudicating" in admin.get(reverse("help-requests", args=[slug])).text
    admin_page = admin.get(reverse("help-request", args=[slug, request.pk])).text
    assert slot.pair.candidate.document.title in admin_page
    assert "grade-0" not in admin_page
    assert "grade-3" not in admin_page
    answer(request, "Only if it **compares**.")
    assert "Only if it <strong>compares</strong>." in client.get(pair_url(slot, "case")).text
    own = reverse("own-help-requests", args=[slug])
    assert pair_url(slot, "case") in client.get(own).text
    assert waiting_for_adju() == ["1 answer of an admin is unread"]
    client.post(own)
    assert waiting_for_adju() == []


def test_judges_read_neither_the_question_nor_an_answer_to_the_adjudicator(slot):
    other = User.objects.get(username="ann2")
    answer(ask(slot), "ANSWER TO ONE")
    for person in (slot.annotator, other):
        assert SECRET not in pages_of(person.username, slot)
        assert "ANSWER TO ONE" not in pages_of(person.username, slot)

    answer(ask(slot), "ANSWER TO ALL", for_all=True)

    for person in (slot.annotator, other):
        page = pages_of(person.username, slot)
        assert "ANSWER TO ALL" in page
        assert SECRET not in page
        api = api_world.client_of(person.username)
        where = f"/api/v1/collections/{slot.pair.query.collection.slug}/judging/help-requests/"
        [row] = api.get(where).json()["results"]
        assert (row["answer"], row["from_case"]) == ("ANSWER TO ALL", False)
        assert [row[key] for key in ("text", "query", "token")] == ["", "", ""]


def test_a_later_judge_who_asked_as_an_adjudicator_is_not_shown_the_question_beside_the_pair(slot):
    adju = ask(slot).asker

    assert help_of_pairs(slot.pair.query, adju, [slot.pair.token]) == {}


def test_an_answer_for_all_names_no_paper_that_an_adjudicator_asked_about(slot):
    document = slot.pair.candidate.document
    request = ask(slot)

    for text in (f"As in {document.title}", f"As in {document.docno}", "As ann2 says"):
        with pytest.raises(NamesSecrets):
            answer(request, text, for_all=True)
    settle(slot, User.objects.get(username="adju"), 2)
    with pytest.raises(NamesSecrets, match="would learn that they differ"):
        answer(request, f"As in {document.title}", for_all=True)
    answer(request, f"As in {document.title}")


def test_only_cases_of_others_are_asked_about(opening, slot):
    agreed, unjudged = slots_of(opening, "ann1")[1:3]
    for each in (agreed, unjudged):
        with pytest.raises(NoSuchCase):
            ask(each)
    collection = opening.query.collection
    collection.memberships.create(user=slot.annotator, role=Role.ADJUDICATOR)
    with pytest.raises(JudgedByYou):
        ask(slot, asker=slot.annotator)
    first = ask(slot)
    with pytest.raises(AlreadyAsked):
        ask(slot)
    assert ask(slot, key=first.key) == first
    assert ask(slot, on_guideline=True).pair is None


def test_an_adjudicator_asks_and_reads_by_the_api(opening, slot):
    api = api_world.client_of("adju")
    where = f"/api/v1/collections/{opening.query.collection.slug}/"
    address = f"{where}cases/{opening.query.name}/pairs/{slot.pair.token}/help-request/"
    sent = {"text": SECRET, "key": str(uuid.uuid4())}

    asked = api.post(address, sent, format="json")
    assert asked.status_code == 201
    again = api.post(address, sent | {"key": str(uuid.uuid4())}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "already_asked")
    [row] = api_world.client_of("admin").get(f"{where}help-requests/").json()["results"]
    assert (row["asker"], row["from_case"], row["text"]) == ("adju", True, SECRET)
    [own] = api.get(f"{where}judging/help-requests/").json()["results"]
    assert (own["from_case"], own["token"], own["text"]) == (True, slot.pair.token, SECRET)
    read = f"{where}judging/help-requests/{own['id']}/read/"
    assert api.post(read).status_code == 204


def test_a_case_takes_one_query_more_only_where_the_adjudicator_asked(
    slot, django_assert_num_queries
):
    client = client_of("adju")
    client.get(pair_url(slot, "case"))
    with CaptureQueriesContext(connection) as before:
        client.get(pair_url(slot, "case"))
    answer(ask(slot))
    with django_assert_num_queries(len(before) + 1):
        client.get(pair_url(slot, "case"))
