"""Query papers under facets, whole abstracts, chosen sentences; topics; deleting."""

from __future__ import annotations

import pytest

from corpus.models import Query
from corpus.queries import add_query_papers, delete_query, import_topics, numbers_of, parse_wanted
from tests import builders
from tests.corpus.conftest import case
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def add(collection, papers):
    def add(text, facets=()):
        return add_query_papers(collection=collection, wanted=parse_wanted(text, collection=collection, facets=facets))

    return add


@pytest.fixture
def bring(collection, upload):
    return lambda content, **options: import_topics(collection=collection, path=upload(content, "t"), **options)


def names(collection):
    return list(collection.queries.order_by("pk").values_list("name", flat=True))


def marked(query):
    return [number for number, (_, is_marked) in enumerate(query.marked_sentences(), 1) if is_marked]


def test_a_document_becomes_a_query_under_each_facet(collection, add):
    assert add("d00\nd01", ["method", "result"]) == (4, 0)
    assert names(collection) == ["d00_method", "d00_result", "d01_method", "d01_result"]
    assert marked(collection.queries.get(name="d00_method")) == [2]


def test_a_line_may_name_its_facet_and_its_sentences(collection, add):
    add("d00 method\nd01 background 1,2-3\n\nd02 1", ["result"])
    found = {query.name: marked(query) for query in Query.objects.all()}
    assert found == {"d00_method": [2], "d01_background-2": [1, 2, 3], "d02_result-2": [1]}


def test_a_whole_abstract_has_the_papers_own_id(collection, add):
    add("d00", [""])
    query = collection.queries.get()
    assert (query.name, query.facet, marked(query)) == ("d00", "", [])


def test_other_sentences_are_another_query_and_the_same_are_not(collection, add):
    add("d00 method\nd00 method 1\nd00 method 3\nd00 method 1")
    assert names(collection) == ["d00_method", "d00_method-2", "d00_method-3"]
    assert add("d00 method 3\nd00 method") == (0, 2)


@pytest.mark.parametrize(
    ("text", "facets", "reason"),
    [
        ("", ["method"], "at least one document"),
        ("d00", [], "Line 1: choose a facet for d00"),
        ("d01 method\nd00 mood", [], r"Line 2: write a docno and a facet \(background, method, result\)"),
        ("d00 method result", [], "Line 1"),
        ("d00\nnine", ["method"], "There is no document nine"),
        ("d00 method 4", [], "d00 has 3 sentences, so no sentence 4"),
        ("d00 method 0", [], "no sentence 0"),
        ("blank", ["method"], "blank has no sentence labelled method"),
    ],
)
def test_a_wrong_list_adds_nothing_and_says_why(collection, add, text, facets, reason):
    builders.document(collection, "blank", labels=["", "", ""])
    with pytest.raises(BadInput, match=reason):
        add(text, facets)
    assert not Query.objects.exists()


def test_sentences_are_ranges_of_numbers():
    assert numbers_of("5,2-3,3") == [2, 3, 5]


def test_topics_become_queries(collection, bring):
    assert bring(case("topics_leading_zero.txt")) == {"added": 2, "unchanged": 0, "skipped": 0, "reasons": []}
    first, second = collection.queries.order_by("pk")
    assert (first.name, first.title, first.description) == ("051", "Harbour dues", "What do ships pay?")
    assert (first.is_topic, first.search_text()) == (True, "Harbour dues What do ships pay?")
    assert second.name == "100"


def test_topics_that_are_there_stay(collection, bring):
    bring("1\tA\n")
    assert bring("1\tA\n2\tB\n2\tB\n")["unchanged"] == 2
    assert names(collection) == ["1", "2"]


def test_an_empty_last_record_of_smart_is_skipped_and_counted(bring):
    result = bring(case("topics_smart_end.txt"))
    assert (result["added"], result["skipped"]) == (2, 1)


def test_invalid_topics_are_skipped_up_to_a_number(collection, bring):
    content = "1\tA\nx\n2\tB\n1\tC\n"
    with pytest.raises(BadInput, match="t:2: the row must have 2 columns"):
        bring(content)
    assert not names(collection)
    result = bring(content, skip=2)
    assert (result["added"], result["skipped"]) == (2, 2)
    assert result["reasons"][1] == "t:4: the id 1 is another query's."


def test_a_topic_takes_no_query_papers_id(collection, add, bring):
    add("d00", [""])
    with pytest.raises(BadInput, match="the id d00 is another query's"):
        bring("d00\tA\n")
    bring("d01\tA\n")
    with pytest.raises(BadInput, match="d01 is another query's"):
        add("d01", [""])


def test_a_query_is_deleted_while_it_has_no_pool(collection, add, papers):
    add("d00\nd01", ["method"])
    first, second = collection.queries.order_by("pk")
    delete_query(query=first)
    builders.frozen_pool(second, papers[2:4])
    with pytest.raises(Conflict, match="has a pool"):
        delete_query(query=second)
    assert names(collection) == ["d01_method"]
