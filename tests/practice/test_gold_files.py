"""Files of gold: CSV and JSON Lines, and what is wrong with their lines."""

from __future__ import annotations

import json

import pytest

from accounts.models import Collection, User
from practice.models import PracticeSet
from practice.training.files import BadGold, GoldLine, read_gold
from practice.training.gold import BadGoldFile, CannotTrain, make_from_file
from tests.support.factories import a_query
from tests.support.visits import address, client_of, text_of

HEADER = "query,docno,grade,explanation\n"


def read(content: str | bytes, name: str = "gold.csv", highest_grade: int = 3) -> list[GoldLine]:
    data = content if isinstance(content, bytes) else content.encode()
    return read_gold(data, name=name, highest_grade=highest_grade)


def problems(content: str | bytes, **options) -> list[str]:
    with pytest.raises(BadGold) as caught:
        read(content, **options)
    return caught.value.problems


def test_a_csv_file_gives_pairs_with_their_places():
    lines = read(HEADER + 'q1,d1,3,"Same, and\nmore"\nq1,d2,0,\n')

    assert lines == [
        GoldLine("gold.csv:3", "q1", "d1", 3, "Same, and\nmore"),
        GoldLine("gold.csv:4", "q1", "d2", 0, ""),
    ]


def test_the_explanation_may_be_missing_and_other_columns_are_ignored():
    assert read("docno,who,grade,query\nd1,me,2,q1\n")[0][1:] == ("q1", "d1", 2, "")


def test_json_lines_give_the_same():
    record = {"query": "q1", "docno": "d1", "grade": 3, "explanation": "Why"}

    assert read(f"{json.dumps(record)}\n\n", name="g.jsonl") == [
        GoldLine("g.jsonl:1", "q1", "d1", 3, "Why")
    ]


def test_a_byte_order_mark_and_windows_line_ends_are_read():
    content = "\ufeff" + HEADER.replace("\n", "\r\n") + "q1,d1,1,x\r\n"

    assert read(content)[0][1:] == ("q1", "d1", 1, "x")


def test_a_cell_that_was_kept_from_being_a_formula_is_restored():
    assert read(f"{HEADER}q1,'=1+1,1,'-5 is less\n")[0][2:] == ("=1+1", 1, "-5 is less")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (",d1,1,", '"query" is missing'),
        ("q1,,1,", '"docno" is missing'),
        ("q1,d1,,", '"grade" must be a whole number from 0 to 3, got ""'),
        ("q1,d1,4,", 'got "4"'),
        ("q1,d1,-1,", 'got "-1"'),
        ("q1,d1,1.5,", 'got "1.5"'),
        ("q1,d1,two,", 'got "two"'),
        ("q1,d1,²,", 'got "²"'),
        ("q1,d1", "2 cells, but the header has 4"),
        ("q1,d1,1,a,b", "5 cells, but the header has 4"),
        (f"q1,d1,1,{'x' * 4001}", '"explanation" has 4,001 characters'),
        (f"q1,{'d' * 201},1,", '"docno" has 201 characters'),
        ("q1,d1,1,a\0b", '"explanation" contains the character U+0000'),
    ],
)
def test_a_bad_line_is_named_with_its_field(line, problem):
    (found,) = problems(f"{HEADER}q1,d0,1,\n{line}\n")

    assert found.startswith("gold.csv:3: ")
    assert problem in found


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not an object"),
        ('{"query": 7, "docno": "d1", "grade": 1}', '"query" must be text, got 7'),
        ('{"query": "q1", "docno": "d1", "grade": true}', '"grade" must be a whole number'),
        ('{"query": "q1", "docno": "d1", "grade": 1.0}', "got 1.0"),
        ('{"query": "q1", "docno": "d1"}', "got null"),
        ('{"query": "q1", "docno": "\\ud800", "grade": 1}', "U+D800"),
    ],
)
def test_a_bad_json_line_is_named_with_its_field(line, problem):
    good = '{"query": "q1", "docno": "d0", "grade": 1}'

    (found,) = problems(f"{good}\n{line}\n", name="g.jsonl")

    assert found.startswith("g.jsonl:2: ")
    assert problem in found


def test_all_bad_lines_are_named_together():
    assert len(problems(f"{HEADER}q1,d1,9,\nq1,d2,1,\n,d3,1,\n")) == 2


def test_a_pair_that_comes_twice_names_the_first_line():
    (found,) = problems(f"{HEADER}q1,d1,1,\nq1,d1,2,\n")

    assert found == (
        'gold.csv:3: "query" and "docno" are those of gold.csv:2. Remove one of the two lines.'
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "gold.csv:1: the header lacks query, docno, grade"),
        ("query,docno\nq,d\n", "gold.csv:1: the header lacks grade"),
        (HEADER, "gold.csv: it has no pair"),
        (f'{HEADER}q1,"d1,1,\n', "not CSV"),
        (HEADER.encode() + b"q1,d\xff,1,\n", "gold.csv:2: not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(content, problem):
    assert problem in problems(content)[0]


def test_a_grade_is_on_the_scale_of_the_collection():
    assert read(f"{HEADER}q1,d1,4,\n", highest_grade=4)[0].grade == 4
    assert "from 0 to 1" in problems(f"{HEADER}q1,d1,2,\n", highest_grade=1)[0]


# With a collection


@pytest.fixture
def query(db, collection):
    return a_query(collection, size=6)


def content_for(query, grades=(0, 1, 2, 3, 0, 1)) -> str:
    docnos = query.query_paper.pool.candidates.values_list("document__docno", flat=True)
    rows = [
        f"{query.name},{docno},{grade},Because {grade}.\n"
        for docno, grade in zip(docnos, grades, strict=True)
    ]
    return HEADER + "".join(rows)


def make(query, content: str) -> PracticeSet:
    return make_from_file(
        collection=Collection.objects.get(),
        content=content.encode(),
        name="gold.csv",
        created_by=User.objects.get(username="admin"),
    )


def test_a_file_makes_a_set_of_exactly_its_pairs(query):
    practice_set = make(query, content_for(query))

    assert sorted(practice_set.pairs.values_list("gold", flat=True)) == [0, 0, 1, 1, 2, 3]
    assert practice_set.parameters == {"source": "file", "file": "gold.csv", "pairs": 6}
    assert set(practice_set.pairs.values_list("explanation", flat=True)) == {
        f"Because {grade}." for grade in range(4)
    }


def test_unknown_queries_and_documents_are_named_with_their_lines(query):
    content = f"{content_for(query)}nope,d1,1,\n{query.name},nope,1,\n"

    with pytest.raises(BadGoldFile) as caught:
        make(query, content)

    assert "because of 2 invalid lines" in str(caught.value)
    assert 'gold.csv:8: "query": Small has no query nope.' in str(caught.value)
    assert 'gold.csv:9: "docno": Small has no document nope.' in str(caught.value)
    assert not PracticeSet.objects.exists()


def test_a_set_of_too_few_pairs_or_one_grade_is_refused(query):
    few = "".join(content_for(query).splitlines(keepends=True)[:4])
    with pytest.raises(CannotTrain, match="5 to 1,000 pairs, got 3"):
        make(query, few)
    with pytest.raises(CannotTrain, match="All pairs have grade 2"):
        make(query, content_for(query, grades=[2] * 6))


def upload(content: str, name: str = "gold.csv"):
    from django.core.files.uploadedfile import SimpleUploadedFile

    file = SimpleUploadedFile(name, content.encode())
    return client_of("admin").post(address("import-training-set"), {"file": file})


def test_the_page_imports_a_file_and_names_its_bad_lines(query):
    refused = upload(f"{HEADER}nope,d1,7,\n")
    assert refused.status_code == 422
    assert "gold.csv:2: &quot;grade&quot; must be a whole number" in refused.text
    empty = client_of("admin").post(address("import-training-set"), {})
    assert "Choose a file." in text_of(empty)

    made = upload(content_for(query))

    assert made.url == address("training-set", "training-1")


def test_the_api_takes_pairs_and_names_the_bad_ones(query):
    client, url = client_of("admin"), address("api-training-sets")
    docnos = list(query.query_paper.pool.candidates.values_list("document__docno", flat=True))
    pairs = [
        {"query": query.name, "docno": docno, "grade": grade, "explanation": "Why."}
        for docno, grade in zip(docnos, (0, 1, 2, 3, 0, 1), strict=True)
    ]

    def send(**body):
        return client.post(url, body, content_type="application/json")

    assert send().status_code == 400
    twice = send(pairs=[*pairs, pairs[0]])
    assert (twice.status_code, twice.json()["code"]) == (400, "bad_gold_file")
    unknown = send(pairs=[*pairs, pairs[0] | {"docno": "nope"}])
    assert "pairs:7" in unknown.text
    few = send(pairs=pairs[:3])
    assert (few.status_code, few.json()["code"]) == (409, "cannot_train")
    tried = send(pairs=pairs, dry_run=True)
    assert (tried.status_code, PracticeSet.objects.count()) == (200, 0)
    assert send(pairs=pairs).json()["name"] == "training-1"
    assert client.get(url).json()["results"][0]["gold_from"] == "the API"
