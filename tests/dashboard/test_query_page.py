"""The page of a query, with its candidates, and the files of final grades."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from adjudication.models import Recipient
from adjudication.referrals.services import refer_pair
from annotation.services import Answer, open_query
from corpus.services import create_query
from dashboard.query_page.results import stored_value
from pooling.services import freeze_pools
from scoring.services import evaluate
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    a_pool,
    a_query,
    a_topic,
    annotators,
)
from tests.support.label_scenes import two_systems
from tests.support.release_scenes import (
    QRELS,
    a_judged_collection,
    an_opened_collection,
    judge_all,
    slot_of,
)
from tests.support.sittings import judge
from tests.support.visits import address, client_of, csv_rows, markup, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    return a_judged_collection()


def page_of(name="q1_method", **asked):
    return client_of("admin").get(address("query", name), asked)


def found(**asked):
    return [row.docno for row in page_of(**asked).context["rows"]]


def state_of(name="q1_method"):
    action = page_of(name).context["next"]
    return action.state, action.button


# State and next action


def test_a_query_without_a_pool_leads_to_the_plan():
    collection = a_collection()
    DocumentFactory(collection=collection, docno="q1")
    create_query(collection=collection, docno="q1", facet_key="method")

    page = page_of()

    assert state_of() == ("no pool", "Plan the pools")
    assert "No pool yet" in page.text
    assert "Agreement" not in markup(page.text).partition("<main")[2]


def test_the_state_follows_the_query_to_its_last_decision():
    collection = a_collection()
    query = a_query(collection)
    name = query.name
    assert state_of(name) == ("draft", "Open for judging")
    freeze_pools(collection=collection)
    assert state_of(name) == ("frozen", "Open for judging")

    other = an_opened_collection(slug="other")
    client = client_of("admin")

    def state():
        page = client.get(address("query", "q2_method", slug="other"))
        return page.context["next"].state

    assert state() == "open"
    judge(slot_of(other, "q2_method", "d1", 1), 1)
    assert state() == "judging"
    judge(slot_of(other, "q2_method", "d1", 2), 1)
    for docno, grades in (("d3", (2, 2)), ("d4", (0, 3))):
        for number, grade in enumerate(grades, start=1):
            judge(slot_of(other, "q2_method", docno, number), grade)
    assert state() == "to decide"


def test_a_query_with_every_label_offers_its_grades(collection):
    assert state_of() == ("done", "Download the grades")
    assert page_of().context["next_url"] == f"{address('query', 'q1_method')}?format=qrels"


# Candidates


def test_grades_are_shown_when_both_judges_gave_theirs():
    collection = an_opened_collection()
    judge(slot_of(collection, "q1_method", "d1", 1), Answer(grade=3, note="only mine"))
    judge(slot_of(collection, "q1_method", "d2", 1), Answer(grade=1, note="we disagree"))
    judge(slot_of(collection, "q1_method", "d2", 2), 2)

    page = page_of(sort="-slot1")
    rows = {row.docno: row for row in page.context["rows"]}

    assert (rows["d1"].pair, rows["d2"].slot(1), rows["d2"].slot(2)) == (None, 1, 2)
    assert [row.docno for row in page.context["rows"]] == ["d2", "d1", "d3"]
    assert "only mine" not in page.text
    assert "we disagree" in page.text
    assert "to decide" in page.text
    lines = csv_rows(page_of(format="csv"))
    assert [(line["docno"], line["slot_1"]) for line in lines] == [
        ("d1", ""),
        ("d2", "1"),
        ("d3", ""),
    ]


def test_a_pair_that_is_judged_again_shows_no_earlier_grade(collection):
    refer_pair(
        collection=collection,
        query="q1_method",
        docno="d3",
        recipient=Recipient.JUDGES,
        reason="The text was cut off.",
        referred_by=None,
    )

    page = page_of()

    (row,) = (row for row in page.context["rows"] if row.docno == "d3")
    assert row.pair is None
    assert "Secret thought about ann2" not in page.text
    assert "opened again for two judges" in page.text


def test_candidates_are_filtered_by_their_grades():
    collection = an_opened_collection()
    grades = {("q1_method", "d1"): (3, 3), ("q1_method", "d2"): (0, 2)}
    judge_all(collection, grades)

    assert found(grades="relevant") == ["d1"]
    assert found(grades="differ") == ["d2"]
    assert found(grades="undecided") == ["d2", "d3"]
    assert found(source="also", sort="docno") == ["d1", "d2", "d3"]
    assert page_of(source="also").context["rows"][0].rank == 7


def test_grade_zero_is_no_missing_grade(collection):
    assert found(sort="final") == ["d3", "d2", "d1"]
    assert "d3" not in found(grades="relevant")


def test_a_long_pool_has_pages_of_fifty_candidates():
    collection = a_collection()
    query = a_query(collection, size=52)

    page = client_of("admin").get(address("query", query.name))

    assert len(page.context["rows"]) == 50
    assert "1–50 of 52" in text_of(page)
    rest = client_of("admin").get(page.context["page"].after.partition("#")[0])
    assert len(rest.context["rows"]) == 2


def test_the_ranks_of_systems_that_are_no_source_are_shown(collection):
    two_systems(collection)

    rows = {row.docno: row.others for row in page_of().context["rows"]}

    assert [(each.source, each.rank) for each in rows["d1"]] == [("bad", 3), ("good", 1)]


# Agreement, scores, history


def test_the_agreement_is_that_of_this_query(collection):
    agreement = page_of().context["agreement"]

    assert (agreement.n, agreement.missing) == (2, 1)


def test_every_system_has_its_score_on_this_query(collection):
    two_systems(collection)
    evaluate(collection=collection)

    page = page_of(measure="nDCG@10")
    values = {row.system: row.value for row in page.context["scores"].systems}

    assert values["good"] == pytest.approx(1.0)
    assert values["bad"] < 1.0
    assert "100.00" in page.text
    assert reverse("system", args=["small", "good"]) in page.text


def test_a_stored_value_is_found_without_reading_the_others():
    text = json.dumps(
        {"queries": ['a"b', "c,d"], "measures": {"AP": [0.5, None], "P@1": [1.0, 0.0]}},
        separators=(",", ":"),
    )

    assert stored_value(text, 'a"b', "AP") == 0.5
    assert stored_value(text, "c,d", "AP") is None
    assert stored_value(text, "c,d", "P@1") == 0.0
    assert stored_value(text, "unknown", "AP") is None
    assert stored_value(text, "c,d", "unknown") is None


def test_the_history_tells_who_did_what_and_no_grade(collection):
    texts = [event.text for event in page_of().context["events"].rows]

    assert texts[:2] == ["decided", "decided"]
    assert "opened for judging" in texts


# Other queries of the paper


def test_the_facets_of_a_paper_are_tabs(collection):
    tabs = page_of().context["tabs"]

    assert [(tab["caption"], tab["current"]) for tab in tabs] == [
        ("Background", False),
        ("Method", True),
    ]
    assert page_of("q2_method").context["tabs"] == []


def test_the_pool_of_a_paper_leads_to_its_first_query():
    an_opened_collection()

    answer = client_of("admin").get(address("pool", "q1"), {"q": "d1"})

    assert (answer.status_code, answer.url) == (302, f"{address('query', 'q1_background')}?q=d1")


def test_a_pool_without_a_query_keeps_its_page():
    collection = a_collection()
    query = a_query(collection)
    paper = query.query_paper
    query.delete()

    page = client_of("admin").get(address("pool", paper.name))

    assert len(page.context["rows"]) == 3
    assert "No query uses this document any more." in text_of(page)


def test_a_topic_without_a_query_keeps_its_page():
    collection = a_collection()
    query = a_topic(collection, narrative="Only newer papers.")
    a_pool(query.query_paper, [DocumentFactory(collection=collection)])
    query.delete()

    page = client_of("admin").get(address("topic", "t1"))

    assert "Only newer papers." in page.text


def test_a_query_of_another_collection_is_not_found():
    an_opened_collection()
    a_collection("other")

    assert client_of("admin").get(address("query", "q1_method", slug="other")).status_code == 404


def test_more_judged_candidates_cost_no_more_queries(collection, django_assert_num_queries):
    large = a_judged_collection(slug="large")
    two_systems(large)
    client = client_of("admin")
    expected = queries_of(client, address("query", "q1_method"))

    with django_assert_num_queries(expected):
        client.get(address("query", "q1_method", slug="large"))


# Files of final grades


def file_of(name, *arguments, **asked):
    return client_of("admin").get(address(name, *arguments), asked).getvalue().decode()


def test_the_grades_of_all_queries_are_the_qrels_of_a_release(collection):
    assert file_of("queries", format="qrels") == QRELS


def test_the_grades_of_one_facet_or_query_are_a_file(collection):
    lines = QRELS.splitlines(keepends=True)

    answer = client_of("admin").get(address("queries"), {"facet": "method", "format": "qrels"})

    assert answer.getvalue().decode() == "".join(line for line in lines if "_method" in line)
    assert 'filename="small-method-qrels.txt"' in answer["Content-Disposition"]
    assert file_of("query", "q2_method", format="qrels") == "".join(lines[-2:])


def test_json_lines_tell_how_a_grade_came_about(collection):
    lines = [json.loads(line) for line in file_of("queries", format="jsonl").splitlines()]

    assert len(lines) == len(QRELS.splitlines())
    assert lines[2] == {
        "query": "q1_background",
        "facet": "background",
        "docno": "d3",
        "grade": 0,
        "standing": "adjudicated",
    }


def test_the_list_of_queries_links_the_grades_of_each_facet(collection):
    page = client_of("admin").get(address("queries"))

    # The decision that a pair cannot be judged counts, too.
    numbers = {group.key: group.labels for group in page.context["grades"]}
    assert numbers == {"background": 3, "method": 6, "": 9}
    assert 'href="?facet=method&amp;format=qrels"' in page.text


def test_no_half_judged_pair_is_in_a_file():
    collection = an_opened_collection()
    judge(slot_of(collection, "q1_method", "d1", 1), 3)

    assert file_of("queries", format="jsonl") == ""


def test_an_id_with_white_space_is_refused_in_words():
    collection = a_collection()
    paper = DocumentFactory(collection=collection, docno="q 1")
    query = create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_pool(query.query_paper, [DocumentFactory(collection=collection, docno="d 1")])
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    for number in (1, 2):
        judge(slot_of(collection, query.name, "d 1", number), 2)
    client = client_of("admin")

    page = client.get(address("queries"), {"format": "qrels"}, follow=True)

    assert "has white space in it" in page.text
    assert (
        '"docno": "d 1"' in client.get(address("queries"), {"format": "jsonl"}).getvalue().decode()
    )
