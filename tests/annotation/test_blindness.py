"""What an annotator's pages and parts hold: a Presentation, and nothing else about a pair."""

import re
from itertools import cycle

import pytest
from django.urls import reverse

from accounts.models import Role
from annotation.services import Answer
from tests.support.aspects import (
    a_proposing_collection,
    an_asking_collection,
    an_open_query_with_aspects,
    an_open_query_with_steps,
)
from tests.support.factories import a_collection, an_open_query, member
from tests.support.sittings import judge, pair_url, query_url, settle, slots_of, tells

pytestmark = pytest.mark.django_db

PART = {"HTTP_HX_REQUEST": "true"}
HIDDEN = ("1987", "Secret Venue", "Hidden Author", "bm25_title", "ann2", "adju", "Otto", "Berg")


@pytest.fixture
def opening():
    opening = an_open_query(a_collection(), size=5)
    other = opening.seats.get(number=2).annotator
    other.first_name, other.last_name = "Otto", "Berg"
    other.save()
    return opening


def everything_served(client, opening) -> dict[str, str]:
    """Every page and part that the annotator can ask for, by its address."""
    slots = slots_of(opening, "ann1")
    addresses = [reverse("judge", args=[opening.query.collection.slug])]
    addresses += [query_url(opening, view) for view in ("judge-query", "judge-mine", "judge-undo")]
    addresses += [query_url(opening, "judge-ahead"), *(pair_url(slot) for slot in slots)]
    pages = {url: client.get(url, follow=True) for url in addresses}
    parts = {f"{url} (part)": client.get(url, follow=True, **PART) for url in addresses}
    return {url: answer.content.decode() for url, answer in (pages | parts).items()}


def without_noise(page: str) -> str:
    """A page without what differs at every request: CSRF tokens and keys."""
    return re.sub(r'(csrfmiddlewaretoken|"key") ?.*?value="[^"]*"', "", page)


def test_no_page_holds_metadata_sources_other_people_or_docnos(client, opening):
    for number, username in enumerate(("ann1", "ann2")):
        for slot in slots_of(opening, username)[: number + 2]:
            judge(slot, Answer(grade=number + 1, note=f"note of {number}"))
    client.force_login(opening.seats.get(number=1).annotator)
    docnos = [slot.pair.candidate.document.docno for slot in slots_of(opening, "ann1")]

    for url, page in everything_served(client, opening).items():
        for word in (*HIDDEN, "note of 1"):
            assert not tells(page, word), f"{url} tells {word!r}"
        # The factory's texts name their document; what is left must not.
        bare = re.sub(r"(Title|Background|Method|Result) of d\d+", "", page)
        for docno in docnos:
            assert not re.search(rf"\b{docno}\b", bare), f"{url} tells {docno}"


def test_no_page_changes_when_the_other_judges_and_a_case_is_settled(client, opening):
    own, *_ = slots_of(opening, "ann1")
    judge(own, 2, seconds=10)
    client.force_login(opening.seats.get(number=1).annotator)
    before = everything_served(client, opening)
    theirs = cycle([Answer(grade=0), Answer(grade=3, note="!"), Answer(reason="garbled")])
    for slot, answer in zip(slots_of(opening, "ann2"), theirs, strict=False):
        judge(slot, answer, seconds=2)
    after = everything_served(client, opening)
    settle(own, member(opening.query.collection, Role.ADJUDICATOR, "adju"), 3)
    settled = everything_served(client, opening)

    for pages in (after, settled):
        assert {url: without_noise(page) for url, page in before.items()} == {
            url: without_noise(page) for url, page in pages.items()
        }


def test_no_page_changes_with_what_the_other_says_that_a_match_is_about(client):
    """Of pairs that the annotator has judged, too."""
    opening = an_open_query_with_aspects(an_asking_collection(), size=6)
    by_pair = sorted(slots_of(opening, "ann1"), key=lambda slot: slot.pair_id)
    for slot in by_pair[:3]:
        judge(slot, Answer(grade=2, aspects=(5,)))
    client.force_login(opening.seats.get(number=1).annotator)
    before = everything_served(client, opening)
    theirs = sorted(slots_of(opening, "ann2"), key=lambda slot: slot.pair_id)
    for slot, aspects in zip(theirs, cycle([(), (2,), (3, 5)]), strict=False):
        judge(slot, Answer(grade=2, aspects=aspects))
    after = everything_served(client, opening)

    assert {url: without_noise(page) for url, page in before.items()} == {
        url: without_noise(page) for url, page in after.items()
    }


def test_no_page_changes_with_the_grade_that_is_proposed_to_the_other(client):
    opening = an_open_query_with_steps(a_proposing_collection(), size=3)
    own, _, _ = slots_of(opening, "ann1")
    judge(own, Answer(grade=1, aspects=(1, 2)))
    client.force_login(opening.seats.get(number=1).annotator)
    proposal = pair_url(own, "judge-proposal")
    before = {**everything_served(client, opening), proposal: page_at(client, proposal)}
    # Of the pair that the annotator has judged, first the one and then the other.
    for theirs in ((), (1, 2, 3)):
        for slot in slots_of(opening, "ann2"):
            judge(slot, Answer(grade=1, aspects=theirs))
        after = {**everything_served(client, opening), proposal: page_at(client, proposal)}

        assert "They suggest 2" in before[proposal]
        assert {url: without_noise(page) for url, page in before.items()} == {
            url: without_noise(page) for url, page in after.items()
        }


def page_at(client, url: str) -> str:
    return client.get(url).content.decode()


def test_the_two_judges_see_different_orders_that_say_nothing_of_the_pool():
    # Docnos differ from run to run, and with them the orders: twenty never agree by chance.
    opening = an_open_query(a_collection(), size=20)
    orders = [
        [slot.pair.candidate.position for slot in slots_of(opening, username)]
        for username in ("ann1", "ann2")
    ]

    assert orders[0] != orders[1]
    assert list(range(1, 21)) not in orders
