"""What drawn documents must meet against the query paper: a field of study, a year."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.models import Document
from corpus.services import create_query
from pooling.models import Contribution, Pool
from tests.support.factories import DocumentFactory
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, a_listed_run, built, drawn_by
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FACTS = {
    "d01": (2010, ["CS"]),
    "d02": (2012, ["CS"]),
    "d03": (None, ["CS", "Maths"]),
    "d04": (2001, ["Maths"]),
    "d05": (2009, []),
    "d06": (2010, ["Physics", "CS"]),
}


@once_a_file
def collection():
    """q1 is of 2010 and of CS; the documents from d07 on are of 2020 and of no field."""
    made = a_listed_collection()
    Document.objects.update(year=2020, fields=[])
    for docno, (year, fields) in FACTS.items():
        Document.objects.filter(docno=docno).update(year=year, fields=fields)
    the_query_paper(2010, ["CS"])
    return made


def the_query_paper(year, fields):
    Document.objects.filter(docno="q1").update(year=year, fields=fields)


def drawn(collection, *only, **plan):
    asked = {"forced": (), "runs": ("up",), "parameters": {"n": 12}, **plan}
    return drawn_by(built(collection, only=only, **asked)).get("up", [])


def test_without_a_requirement_everything_may_be_drawn(collection):
    assert drawn(collection) == DOCNOS


def test_of_a_field_of_the_query_paper(collection):
    assert drawn(collection, "same_field") == ["d01", "d02", "d03", "d06"]


def test_not_later_than_the_query_paper_and_of_a_year_that_is_known(collection):
    assert drawn(collection, "not_later") == ["d01", "d04", "d05", "d06"]


def test_both_at_once(collection):
    assert drawn(collection, "same_field", "not_later") == ["d01", "d06"]


def test_a_query_paper_without_a_year_asks_for_none(collection):
    the_query_paper(None, ["CS"])

    assert drawn(collection, "not_later") == DOCNOS
    assert drawn(collection, "not_later", "same_field") == ["d01", "d02", "d03", "d06"]


def test_a_query_paper_without_fields_asks_for_none(collection):
    the_query_paper(2010, [])

    assert drawn(collection, "same_field") == DOCNOS


def test_a_field_that_no_other_paper_has_leaves_nothing(collection):
    the_query_paper(2010, ["Law"])

    assert drawn(collection, "same_field") == []
    assert Pool.objects.get().shortfall == {"up": 12}


def test_ranks_stay_those_of_the_list(collection):
    drawn(collection, "not_later", parameters={"n": 3})

    rows = Contribution.objects.filter(drawn=True).order_by("rank")
    assert list(rows.values_list("rank", "score")) == [(1, 1.0), (4, 1 / 4), (5, 1 / 5)]
    assert Pool.objects.get().depth == {"up": 5}


def test_a_depth_is_counted_in_the_list_and_not_among_what_may_be_drawn(collection):
    assert drawn(collection, "not_later", strategy="depth_k", parameters={"k": 4}) == ["d01", "d04"]


def test_what_is_forced_is_taken_as_it_is(collection):
    a_listed_run(collection, "known", {"q1": ["d12"]})

    pools = drawn_by(
        built(collection, forced=("cited", "known"), only=("same_field", "not_later"), runs=("up",))
    )

    assert pools == {"cited": ["d02", "d05"], "known": ["d12"], "up": ["d01", "d06"]}


def test_requirements_and_exclusions_add_up(collection):
    a_listed_run(collection, "known", {"q1": ["d06"]})

    assert drawn(collection, "not_later", excluded=("cited", "known")) == ["d01", "d04"]


def test_every_query_paper_asks_for_itself(collection):
    DocumentFactory(collection=collection, docno="q2", year=2001, fields=["Maths"])
    create_query(collection=collection, docno="q2", facet_key="method")
    a_listed_run(collection, "both", {"q1": DOCNOS, "q2": DOCNOS})

    build = built(collection, forced=(), only=("same_field", "not_later"), runs=("both",))

    assert drawn_by(build, "q1") == {"both": ["d01", "d06"]}
    assert drawn_by(build, "q2") == {"both": ["d04"]}


def questions_of(collection, *only):
    """What the database is asked when drafts are replaced."""
    built(collection, only=only)
    with CaptureQueriesContext(connection) as captured:
        built(collection, only=only)
    return len(captured)


def test_facts_of_the_corpus_are_read_once_and_only_where_they_are_asked_for(collection):
    plain = questions_of(collection)

    assert questions_of(collection, "not_later") == plain + 1
    assert questions_of(collection, "not_later", "same_field") == plain + 1


@pytest.mark.parametrize("only", [(), ("not_later",)])
def test_more_documents_cost_no_more_questions(collection, only):
    before = questions_of(collection, *only)
    for number in range(30):
        DocumentFactory(collection=collection, docno=f"e{number:02}", year=2000)
    a_listed_run(collection, "up", {"q1": [*DOCNOS, *(f"e{n:02}" for n in range(30))]})

    assert questions_of(collection, *only) == before
