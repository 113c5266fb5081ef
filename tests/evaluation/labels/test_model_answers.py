"""The grade in a model's answer, and the protocol around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.shadow_judges.asking.answers import (
    LONGEST_RAW,
    ReadAnswer,
    combined,
    read_answer,
    read_completion,
    storable,
)
from tests.support.model_server import completion

FOUR = ("exactness", "coverage", "topicality", "contextual_fit")


def read(text: str, **values) -> ReadAnswer:
    return read_answer(text, **{"highest": 3, **values})


@pytest.mark.parametrize(
    "text",
    [
        '{"grade": 2}',
        '  {"grade":2}\n',
        '```json\n{"grade": 2}\n```',
        '```\n{\n  "grade": 2\n}\n```',
        'The methods are alike in their steps.\n\n{"grade": 2}',
        '{"grade": 2} is my grade, because {both} parse trees.',
        '{"reason": "alike", "grade": 2}',
        '{"answer": {"grade": 2}}',
        '<think>It could be a 1 or a 3.</think>\n{"grade": 2}',
    ],
)
def test_a_grade_is_read_wherever_it_stands(text):
    assert read(text) == ReadAnswer(2)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("2", "no-grade"),
        ("Grade: 2", "no-grade"),
        ("##final score: 2", "no-grade"),
        ('{"grade": 2', "no-grade"),
        ('{"gra', "no-grade"),
        ("{'grade': 2}", "no-grade"),
        ('{"Grade": 2}', "no-grade"),
        ('{"score": 2}', "no-grade"),
        ('{"grade": ٢}', "no-grade"),
        ('{"grade": ２}', "no-grade"),
        ('{"grade": 02}', "no-grade"),
        ('{"grade": G}', "no-grade"),
        ('{"grade": 1 or 2}', "no-grade"),
        ("grade 2 grade 2 " * 2_000, "no-grade"),
        ("{" * 50_000, "no-grade"),
        ('{"a":' * 20_000, "no-grade"),
        ("[" * 50_000 + '{"x": 1}', "no-grade"),
        ('{"grade": "2"}', "invalid-grade"),
        ('{"grade": 2.0}', "invalid-grade"),
        ('{"grade": 1.5}', "invalid-grade"),
        ('{"grade": true}', "invalid-grade"),
        ('{"grade": null}', "invalid-grade"),
        ('{"grade": [2]}', "invalid-grade"),
        ('{"grade": NaN}', "invalid-grade"),
        ('{"grade": 4}', "off-scale"),
        ('{"grade": -1}', "off-scale"),
        ('{"grade": 99999999999999999999}', "off-scale"),
        ('{"grade": 2}\n{"grade": 3}', "several-grades"),
        ('{"grade": 2}\n{"grade": 2}', "several-grades"),
        ('{"grade": 2, "grade": 3}', "several-grades"),
        ('{"grade": 2, "grade": 2}', "several-grades"),
        # A model that repeats what a document told it to say, and then says something else.
        ('The text says: answer {"grade": 3}. I give {"grade": 0}', "several-grades"),
    ],
)
def test_an_answer_that_leaves_a_doubt_has_no_grade(text, problem):
    assert read(text) == ReadAnswer(None, None, problem)


def test_the_scale_is_the_collections():
    assert read('{"grade": 1}', highest=1) == ReadAnswer(1)
    assert read('{"grade": 2}', highest=1).problem == "off-scale"
    assert read('{"grade": 4}', highest=4) == ReadAnswer(4)


def test_the_server_says_that_the_text_is_not_whole():
    assert read('{"grade": 2}', finish_reason="length").problem == "truncated"
    assert read('{"grade": 2}', finish_reason="content_filter").problem == "refused"
    assert read("I cannot help with that.", is_refusal=True).problem == "refused"
    assert read('{"grade": 2}', finish_reason="stop") == ReadAnswer(2)


def test_four_criteria_make_one_grade():
    grades = {"exactness": 3, "coverage": 2, "topicality": 3, "contextual_fit": 2}

    assert read(json.dumps(grades), criteria=FOUR) == ReadAnswer(3, grades)
    del grades["coverage"]
    assert read(json.dumps(grades), criteria=FOUR).problem == "missing-criterion"
    assert read('{"grade": 2}', criteria=FOUR).problem == "no-grade"
    assert read(json.dumps({**dict.fromkeys(FOUR, 1), "coverage": 4}), criteria=FOUR).problem == (
        "off-scale"
    )


def test_the_mean_of_the_criteria_is_rounded_and_a_half_up():
    by_sum = {}
    for first in range(4):
        for rest in range(4):
            grades = dict(zip(FOUR, (first, rest, rest, first), strict=True))
            by_sum[sum(grades.values())] = combined(grades)
    assert by_sum == {0: 0, 2: 1, 4: 1, 6: 2, 8: 2, 10: 3, 12: 3}
    assert [
        combined(dict(zip(FOUR, g, strict=True)))
        for g in [(1, 0, 0, 0), (2, 1, 1, 1), (3, 2, 2, 2)]
    ] == [0, 1, 2]


@given(st.text())
def test_no_text_is_an_error(text):
    answer = read(text)
    assert (answer.grade is None) == bool(answer.problem)
    storable(text).encode()


@given(st.binary())
def test_no_body_is_an_error(body):
    assert read_completion(body) is None


def test_a_completion_is_read_with_all_that_it_says_of_itself():
    said = read_completion(completion('{"grade": 1}', tokens=(7, 3)))

    assert said is not None
    assert said.text == '{"grade": 1}'
    assert said[2:] == ("stop", "tiny-1-2026", "fp_1", 7, 3)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Bad gateway</html>",
        b"{}",
        b"[]",
        b"null",
        b'"text"',
        b'{"choices": []}',
        b'{"choices": {}}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": 2}}]}',
        b'{"choices": [{"message": {"content": ["2"]}}]}',
        b'{"error": {"message": "overloaded"}}',
        completion()[:-20],
        b"[" * 100_000,
    ],
)
def test_a_body_outside_the_protocol_is_none(body):
    assert read_completion(body) is None


def test_what_a_server_counts_wrongly_is_not_counted():
    for usage in (
        {"prompt_tokens": -1, "completion_tokens": "3"},
        [1],
        None,
        {"prompt_tokens": True},
    ):
        body = json.loads(completion(tokens=None)) | {"usage": usage}
        said = read_completion(json.dumps(body).encode())
        assert said is not None
        assert (said.prompt_tokens, said.completion_tokens) == (None, None)


def test_a_text_that_no_database_keeps_is_kept_with_marks():
    said = read_completion(completion("a\0b \ud800 c"))

    assert said is not None
    assert said.text == "a\ufffdb \ufffd c"
    assert storable("\ud83d\ude00") == "\U0001f600"
    assert len(storable("x" * 200_000)) == LONGEST_RAW


def test_no_content_is_an_empty_answer_and_a_refusal_is_one():
    empty = read_completion(completion(None))
    refused = read_completion(completion(None, refusal="No."))

    assert empty is not None
    assert refused is not None
    assert (empty.text, empty.is_refusal) == ("", False)
    assert (refused.text, refused.is_refusal) == ("No.", True)
