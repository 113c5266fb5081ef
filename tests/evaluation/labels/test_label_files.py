"""Files with the labels of a model."""

from __future__ import annotations

import gzip
import io

import pytest

from evaluation.shadow_judges.formats import LabelFormatError, LabelLine, read_labels


def labels(content: str | bytes) -> list[LabelLine]:
    content = content.encode() if isinstance(content, str) else content
    return list(read_labels(io.BytesIO(content), name="model.txt", highest=3))


def test_all_formats_give_the_same_labels():
    expected = [("q1_method", "d1", 2), ("q1_method", "d2", 0)]
    trec = "q1_method 0 d1 2\n\nq1_method 0 d2 0\n"
    beir = "query-id\tcorpus-id\tscore\nq1_method\td1\t2\nq1_method\td2\t0\n"
    lines = (
        '{"query": "q1_method", "docno": "d1", "grade": 2, "reason": "alike"}\n'
        '{"query": "q1_method", "docno": "d2", "grade": 0}'
    )
    for content in (trec, beir, lines, gzip.compress(trec.encode(), mtime=0), "\ufeff" + lines):
        assert [line[1:] for line in labels(content)] == expected
    assert [line.number for line in labels(trec)] == [1, 3]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("", None, "has no labels"),
        ("\n \n", None, "has no labels"),
        ("query-id corpus-id score\n", None, "has no labels"),
        ("q1 0 d1 2\nq1 0 d2\textra 1 2\n", 2, "4 columns (query, 0, docno, grade), got 6"),
        ("q1 0 d1 nan", 1, 'whole number such as 2, got "nan"'),
        ("q1 0 d1 1.5", 1, 'whole number such as 2, got "1.5"'),
        ("q1 0 d1 4", 1, "from 0 to 3, as in this collection, got 4"),
        ("q1 0 d1 -1", 1, "got -1"),
        (b"q1 0 d\xff 1", 1, "Save the file as UTF-8"),
        (b"q1 0 " + b"d" * 70_000 + b" 1", 1, "longer than"),
        ('{"query": "q1", "docno": "d1"}', 1, '"grade" is missing'),
        ('{"query": "q1", "docno": "d1", "grade": NaN}', 1, "got NaN"),
        ('{"query": "q1", "docno": "d1", "grade": 2.0}', 1, "got 2.0"),
        ('{"query": "q1", "docno": "d1", "grade": true}', 1, "got true"),
        ('{"query": "q1", "docno": 17, "grade": 1}', 1, '"docno" must be an id in quotation marks'),
        ('{"query": "q1", "docno": "d1", "grade": 1}\nq1 0 d1 1', 2, "Invalid JSON"),
        (gzip.compress(b"q1 0 d1 1\n" * 99, mtime=0)[:-9], 100, "damaged or cut short"),
    ],
)
def test_an_invalid_file_is_named_with_its_line_and_the_remedy(content, line, words):
    with pytest.raises(LabelFormatError) as caught:
        labels(content)
    assert caught.value.line == line
    assert str(caught.value).startswith("model.txt:" if line is None else f"model.txt:{line}: ")
    assert words in str(caught.value)
