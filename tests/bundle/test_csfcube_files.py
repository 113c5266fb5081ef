"""The `csfcube/` files of collections that are not CSFCube's; tests/csfcube compares CSFCube's."""

from __future__ import annotations

import json

import pytest

from annotation.models import Opening
from annotation.services import open_query, reassign_seat
from bundle.options import Texts
from corpus.facets import NO_FACETS
from corpus.services import create_query
from tests.support.factories import DocumentFactory, a_collection, a_pool, annotators, member
from tests.support.release_scenes import (
    GRADES,
    a_judged_collection,
    an_opened_collection,
    judge_all,
)
from tests.support.released_files import files_of
from tests.support.sittings import judge_both

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

READABLE = """\
======================================================================
paper_id: q1; YEAR: 1987
TITLE: Title of q1
ABSTRACT: background_label: Background of q1.
method_label: Method of q1.
result_label: Result of q1.
===================================
paper_id: d1; YEAR: 1987
adju relevance: Identical (+3)
difference: 0; annotator{0}: 3; annotator{1}: 3
sources: bm25_title - also
TITLE: Title of d1
ABSTRACT: background_label: Background of d1.
method_label: Method of d1.
result_label: Result of d1.

===================================
paper_id: d2; YEAR: 1987
adju relevance: Similar (+2)
difference: 1; annotator{0}: 1; annotator{1}: 2
sources: bm25_title - also
TITLE: Title of d2
ABSTRACT: background_label: Background of d2.
method_label: Method of d2.
result_label: Result of d2.

===================================
paper_id: d3; YEAR: 1987
adju relevance: Irrelevant (0)
difference: 1; annotator{0}: 0; annotator{1}: -1
sources: bm25_title - also
TITLE: Title of d3
ABSTRACT: background_label: Background of d3.
method_label: Method of d3.
result_label: Result of d3.

"""


def annotations(files, facet: str = "method", slug: str = "whole") -> dict:
    return json.loads(files[f"csfcube/test-pid2anns-{slug}-{facet}.json"])


def numbers_in(files, query: str) -> list[str]:
    """The numbers of the annotators in slots 1 and 2, from the ratings."""
    rows = [line.split(",") for line in files["annotations/ratings.csv"].decode().splitlines()]
    found = {row[3]: row[4].removeprefix("annotator-") for row in rows if row[0] == query}
    return [found["1"], found["2"]]


@pytest.fixture(scope="module")
def judged_files(rolled_back):
    with rolled_back():
        yield files_of(a_judged_collection(slug="whole"))


def test_a_query_has_the_lists_of_csfcubes_scripts(judged_files):
    first, second = numbers_in(judged_files, "q1_method")

    assert annotations(judged_files)["q1"] == {
        "cands": ["d1", "d2", "d3"],
        "relevance_max": [3, 2, 0],
        "relevance_min": [3, 1, -1],
        f"relevance_ann{first}": [3, 1, 0],
        f"relevance_ann{second}": [3, 2, -1],
        "relevance_adju": [3, 2, 0],
    }


def test_a_pair_that_was_set_aside_is_left_out(judged_files):
    assert annotations(judged_files)["q2"]["cands"] == ["d1", "d3"]
    pool = json.loads(judged_files["csfcube/test-pid2pool-whole.json"])["q2"]
    assert pool == {"cands": ["d1", "d3", "d4"], "cand_source": [["bm25_title", "also"]] * 3}


def test_the_readable_annotations_begin_with_the_query_and_the_highest_grade(judged_files):
    readable = judged_files["csfcube/readable_annotations/q1-method-adju.txt"].decode()

    assert readable == READABLE.format(*numbers_in(judged_files, "q1_method"))


def test_every_document_with_a_text_has_a_line(judged_files):
    content = judged_files["csfcube/abstracts-whole-preds.jsonl"].decode()
    lines = [json.loads(line) for line in content.splitlines()]

    assert [line["paper_id"] for line in lines] == ["d1", "d2", "d3", "d4", "q1", "q2"]
    assert lines[0] == {
        "paper_id": "d1",
        "metadata": {
            "title": "Title of d1",
            "authors": ["Hidden Author"],
            "venue": "Secret Venue",
            "year": 1987,
        },
        "title": "Title of d1",
        "abstract": ["Background of d1.", "Method of d1.", "Result of d1."],
        "pred_labels": ["background_label", "method_label", "result_label"],
    }


def test_the_list_of_queries_and_the_splits_are_of_the_same_queries(judged_files):
    rows = judged_files["csfcube/queries-release.csv"].decode().splitlines()
    splits = json.loads(judged_files["csfcube/made_splits.json"])

    assert rows == [
        "pid,facet,year,title,paper type",
        "q1,background,1987,Title of q1,",
        "q1,method,1987,Title of q1,",
        "q2,method,1987,Title of q2,",
    ]
    assert sorted(splits["all"]["fold1_dev"] + splits["all"]["fold2_dev"]) == [
        "q1_background",
        "q1_method",
        "q2_method",
    ]


def test_without_texts_there_are_no_readable_annotations_abstracts_or_titles():
    files = files_of(a_judged_collection(), Texts.NONE)
    names = sorted(name for name in files if name.startswith("csfcube/"))

    assert names == [
        "csfcube/made_splits.json",
        "csfcube/queries-release.csv",
        "csfcube/test-pid2anns-small-background.json",
        "csfcube/test-pid2anns-small-method.json",
        "csfcube/test-pid2pool-small.json",
    ]
    assert b"q1,method,1987,," in files["csfcube/queries-release.csv"]
    assert not any(b"Title of" in files[name] for name in names)


def test_a_query_that_three_people_judged_has_columns_of_no_person():
    collection = an_opened_collection()
    third = member(collection, "annotator", "ann3")
    judged = {key: (grades if None not in grades else (1, 1)) for key, grades in GRADES.items()}
    first_pair = ("q2_method", "d1")
    judge_all(collection, {first_pair: judged.pop(first_pair)})
    opening = Opening.objects.of(collection).get(query__name="q2_method")
    reassign_seat(opening=opening, number=1, annotator=third)
    judge_all(collection, judged)

    files = files_of(collection)

    assert "relevance_ann4" in annotations(files, slug="small")["q2"]
    assert "relevance_ann5" in annotations(files, slug="small")["q2"]
    first, second = numbers_in(files, "q1_method")
    assert {f"relevance_ann{first}", f"relevance_ann{second}"} <= annotations(files, slug="small")[
        "q1"
    ].keys()


def test_queries_by_sentences_are_left_out():
    collection = a_judged_collection()
    create_query(collection=collection, docno="q1", facet_key="method", sentences=[1, 2])

    files = files_of(collection)

    assert files["csfcube/queries-release.csv"].count(b"\n") == 4
    assert "and so are queries by sentences" in files["README.md"].decode().replace("\n", " ")


@pytest.mark.parametrize("facets", [NO_FACETS, None])
def test_only_collections_with_facets_have_these_files(facets):
    settings = {} if facets is None else {"facets": facets}
    collection = a_collection(licence="CC0-1.0", highest_grade=1, **settings)
    paper, candidate = DocumentFactory.create_batch(2, collection=collection)
    facet = "" if facets == NO_FACETS else "method"
    query = create_query(collection=collection, docno=paper.docno, facet_key=facet)
    a_pool(query.query_paper, [candidate])
    opening = open_query(query=query, annotators=annotators(collection), opened_by=None)
    judge_both(opening, (1, 1))

    files = files_of(collection)

    assert any(name.startswith("csfcube/") for name in files) is (facets is None)
    if facets is None:
        (readable,) = (text for name, text in files.items() if name.endswith("-adju.txt"))
        name = opening.guideline.grades[1]["name"]
        assert f"adju relevance: {name} (+1)\n" in readable.decode()


def test_a_docno_with_other_characters_has_a_plain_file_name():
    collection = a_collection(licence="CC0-1.0")
    paper = DocumentFactory(collection=collection, docno="10.1000/a:b")
    query = create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_pool(query.query_paper, [DocumentFactory(collection=collection)])
    judge_both(open_query(query=query, annotators=annotators(collection), opened_by=None), (1, 1))

    names = [name for name in files_of(collection) if name.endswith("-adju.txt")]

    assert names == ["csfcube/readable_annotations/10.1000-a-b-9c7c25f6-method-adju.txt"]
