import gzip
import io
import json
import re
from pathlib import Path

import pytest

from corpus.formats.document_lines import (
    LONGEST_LINE,
    DocumentFormatError,
    DocumentRecord,
    DocumentValues,
    read_lines,
    valid_lines,
)
from web.errors import UserFacingError

GOOD = {"docno": "d1", "title": "A title", "abstract": "One. Two."}


def lines(*documents) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def records(content: bytes) -> list[DocumentRecord]:
    return [line.record for line in valid_lines(read_lines(io.BytesIO(content), name="docs.jsonl"))]


def problem(content: bytes) -> DocumentFormatError:
    with pytest.raises(DocumentFormatError) as caught:
        records(content)
    return caught.value


def test_an_abstract_is_split_into_sentences_without_labels():
    assert records(lines(GOOD)) == [DocumentRecord("d1", "A title", ("One.", "Two."))]


def test_every_key_is_read():
    document = {
        "docno": "d1",
        "title": "",
        "sentences": ["We ask. Twice.", "We did."],
        "labels": ["objective", "method"],
        "year": 1999,
        "venue": "V",
        "authors": ["A", "B"],
        "references": ["d2"],
        "fields": ["F"],
    }

    assert records(lines(document)) == [
        DocumentRecord(
            "d1",
            "",
            ("We ask. Twice.", "We did."),
            ("objective", "method"),
            1999,
            "V",
            ("A", "B"),
            ("d2",),
            ("F",),
        )
    ]


def test_sentences_win_over_an_abstract():
    assert records(lines({**GOOD, "sentences": ["Mine"]}))[0].sentences == ("Mine",)


@pytest.mark.parametrize("text", [{"abstract": ""}, {"abstract": " "}, {"sentences": []}])
def test_a_document_may_say_that_it_has_no_text(text):
    assert records(lines({"docno": "d1", "title": "T", **text}))[0].sentences == ()


def test_null_means_left_out():
    nothing = dict.fromkeys(
        ["sentences", "labels", "year", "venue", "authors", "references", "fields"]
    )

    assert records(lines({**GOOD, **nothing})) == records(lines(GOOD))


def test_unknown_keys_are_named():
    (line,) = read_lines(io.BytesIO(lines({**GOOD, "b": 1, "a": 2})), name="x")

    assert line.unknown_keys == ("a", "b")


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_fine():
    content = b"\xef\xbb\xbf" + lines(GOOD).replace(b"\n", b"\r\n") + b"\r\n\n"

    assert [record.docno for record in records(content)] == ["d1"]


def test_a_separator_inside_a_sentence_stays_there():
    document = json.dumps({**GOOD, "sentences": ["a\u2028b\x85c"]}, ensure_ascii=False)

    assert records(document.encode())[0].sentences == ("a\u2028b\x85c",)


def test_gzip_is_known_by_its_first_bytes(tmp_path):
    path = tmp_path / "no-ending"
    path.write_bytes(gzip.compress(lines(GOOD)))

    assert [line.record.docno for line in read_lines(path, name="x")] == ["d1"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[1, 2]", "must be a JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b'{"year": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"docno": "\xff"}', "not UTF-8 at byte 12"),
        (lines(GOOD).decode().encode("utf-16"), "not UTF-8"),
    ],
)
def test_a_line_that_is_no_json_object_is_refused(line, reason):
    error = problem(lines(GOOD) + line)

    assert (error.file, error.line) == ("docs.jsonl", 2)
    assert reason in error.reason
    assert str(error).startswith("docs.jsonl:2: ")
    assert isinstance(error, UserFacingError)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"docno": None}, '"docno" is missing'),
        ({"docno": " "}, '"docno" is blank'),
        ({"docno": 17}, '"docno" must be text, got 17'),
        ({"docno": True}, '"docno" must be text, got true'),
        ({"docno": "a b"}, "must not contain white space"),
        ({"docno": "x" * 201}, "at most 200"),
        ({"docno": "a\0"}, "U+0000"),
        ({"title": None}, '"title" is missing'),
        ({"title": 3}, '"title" must be text, got 3'),
        ({"title": "\ud800"}, "U+D800"),
        ({"abstract": None}, '"abstract" and "sentences" are missing'),
        ({"abstract": ["One."]}, '"abstract" must be text, got a list'),
        ({"abstract": {}}, '"abstract" must be text, got {}'),
        ({"sentences": "One."}, '"sentences" must be a list'),
        ({"sentences": ["One.", " "]}, "sentence 2 is blank"),
        ({"sentences": ["One.", 2]}, 'item 2 of "sentences"'),
        ({"sentences": ["One."], "labels": ["a", "b"]}, "2 labels for 1 sentence"),
        ({"sentences": ["One."], "labels": [None]}, 'item 1 of "labels"'),
        ({"sentences": ["One."], "labels": ["x" * 61]}, "at most 60"),
        ({"labels": ["a", "b"]}, '"labels" needs "sentences"'),
        ({"year": "1999"}, '"year" must be a whole number, got "1999".'),
        ({"year": 1999.0}, "must be a whole number"),
        ({"year": True}, "must be a whole number"),
        ({"year": 19999}, "must be between"),
        ({"venue": ["V"]}, '"venue" must be text'),
        ({"authors": "A, B"}, '"authors" must be a list'),
        ({"references": "d2"}, '"references" must be a list'),
        ({"references": [2]}, 'item 1 of "references": "docno" must be text, got 2'),
        ({"references": ["a", "b c"]}, 'item 2 of "references"'),
        ({"references": ["a", ""]}, 'item 2 of "references": "docno" is blank'),
        ({"references": ["a", "x" * 201]}, "at most 200"),
        ({"references": ["a\0"]}, "U+0000"),
        ({"fields": "Physics"}, '"fields" must be a list'),
    ],
)
def test_a_document_that_is_wrong_is_refused_with_the_reason(change, reason):
    error = problem(lines(GOOD, {**GOOD, "docno": "d2", **change}))

    assert error.line == 2
    assert reason in error.reason


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"", mtime=0)])
def test_a_file_without_documents_is_refused(content):
    error = problem(content)

    assert error.line is None
    assert "has no documents" in str(error)


def test_damaged_gzip_is_refused_where_it_breaks_off():
    many = lines(*({**GOOD, "docno": f"d{n}"} for n in range(1000)))

    error = problem(gzip.compress(many)[:-20])

    assert error.line is not None
    assert error.line > 1
    assert "cut short" in error.reason


def test_a_file_without_line_ends_is_not_read_whole():
    assert "longer than 16 MB" in problem(b'"' + b"a" * (LONGEST_LINE + 1)).reason


@pytest.fixture
def chapter() -> str:
    text = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text()
    return text.partition("## Documents\n")[2].partition("\n### ")[0]


def test_the_documentation_lists_every_key(chapter):
    assert set(re.findall(r"^\| `(\w+)` \|", chapter, re.MULTILINE)) == set(
        DocumentValues.__annotations__
    )


def test_the_example_in_the_documentation_can_be_read(chapter):
    example = "\n".join(re.findall(r"^(\{.*)", chapter, re.MULTILINE))

    assert [record.docno for record in records(example.encode())] == ["d1", "d2"]
