"""The aspects of a query on its page."""

import pytest
from django.urls import reverse

from annotation.services import open_query
from corpus.models import Query
from tests.support.aspects import a_query_with_aspects, an_asking_collection
from tests.support.factories import a_query, a_topic, annotators
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def query() -> Query:
    return a_query_with_aspects(an_asking_collection())


def page_of(query: Query) -> str:
    return " ".join(text_of(client_of("admin").get(address("query", query.name))).split())


def save(query: Query, names: str) -> str:
    where = reverse("name-query-aspects", args=["small", query.name])
    return text_of(client_of("admin").post(where, {"names": names}, follow=True))


def names_of(query: Query) -> list[str]:
    return Query.objects.get(pk=query.pk).aspect_names


def test_the_page_names_the_bold_sentences(query):
    assert "which of these bold sentences a match is about: 2, 3, 5." in page_of(query)


def test_an_admin_names_the_aspects_of_a_query_and_takes_the_names_back(query):
    save(query, "speed\n\nmemory\n")
    assert names_of(query) == ["speed", "memory"]
    assert "a match is about: 1 speed, 2 memory." in page_of(query)

    save(query, "")
    assert names_of(query) == []


def test_a_topic_needs_names(query):
    topic = a_topic(query.collection)

    assert "fewer than two bold sentences" in page_of(topic)


def test_names_that_are_no_choice_are_refused_with_the_reason(query):
    assert "Name at least two aspects" in save(query, "speed")
    assert names_of(query) == []


def test_the_names_of_an_open_query_stay(query):
    open_query(query=query, annotators=annotators(query.collection), opened_by=None)

    assert "open for judging" in save(query, "speed\nmemory")
    assert "Save the names" not in page_of(query)


def test_a_collection_that_does_not_ask_says_nothing_of_aspects(query):
    query.collection.marks_aspects = False
    query.collection.save()

    assert "aspect" not in page_of(query).lower()


def test_a_query_with_one_bold_sentence_says_why_nothing_can_be_marked(query):
    assert "fewer than two bold sentences" in page_of(a_query(query.collection))
