"""The lines of a release, which are read in blocks, and the fields of a pooled document."""

from __future__ import annotations

import json

import pytest

from bundle.names import POOLS
from bundle.reading.opened import READ_TOGETHER, BundleError, FolderBundle, read_lines, whole_lines
from bundle.reading.pools import read_pools
from bundle.records import FoundBy, PooledDocument

GOOD = {
    "query_paper": "q1",
    "docno": "d1",
    "position": 1,
    "excluded": "",
    "inclusion": None,
    "sources": [{"source": "bm25", "rank": 1, "score": 2.5, "drawn": True}],
}


@pytest.fixture
def bundle_of(tmp_path):
    def bundle(content: bytes, name: str = "lines.txt") -> FolderBundle:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
        return FolderBundle(tmp_path)

    return bundle


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_lines_are_the_same_wherever_a_block_ends(bundle_of, end):
    lines = [f"{number} ä\u2028 {'x' * (number % 97)}" for number in range(READ_TOGETHER // 30)]
    lines.insert(5, "")
    content = (end or "\n").join(lines) + end
    assert len(content) > READ_TOGETHER

    found = list(read_lines(bundle_of(content.encode()), "lines.txt"))

    assert found == list(enumerate(lines, start=1))
    whole = [line for _, line in whole_lines(bundle_of(content.encode()), "lines.txt")]
    assert "".join(whole) == content


def test_an_empty_file_has_no_lines(bundle_of):
    assert list(read_lines(bundle_of(b""), "lines.txt")) == []


@pytest.mark.parametrize("before", [0, READ_TOGETHER])
def test_a_byte_that_is_not_utf_8_is_named_by_line_and_place(bundle_of, before):
    content = b"a line\n" * before + b"ab\xff\nnext\n"

    with pytest.raises(BundleError, match=rf"^lines.txt:{before + 1}: is not UTF-8 at byte 3"):
        list(read_lines(bundle_of(content), "lines.txt"))


def test_a_line_may_end_in_another_block_than_it_begins(bundle_of):
    long = "y" * (2 * READ_TOGETHER + 7)

    assert list(read_lines(bundle_of(f"a\n{long}\nb\n".encode()), "lines.txt")) == [
        (1, "a"),
        (2, long),
        (3, "b"),
    ]


def pool(bundle_of, **changes) -> list[tuple[int, PooledDocument]]:
    line = json.dumps({**GOOD, **changes})
    return list(read_pools(bundle_of(f"{line}\n".encode(), POOLS)))


def test_a_pooled_document_is_read(bundle_of):
    source = FoundBy("bm25", 1, 2.5, True)

    assert pool(bundle_of) == [(1, PooledDocument("q1", "d1", 1, "", (source,), None))]


def test_values_that_this_software_writes_otherwise_are_read_too(bundle_of):
    """As by another program: a whole number for a score, escaped characters, no source."""
    ((_, whole),) = pool(bundle_of, sources=[{**GOOD["sources"][0], "score": 2}])
    ((_, escaped),) = pool(bundle_of, docno="dä")
    ((_, without),) = pool(bundle_of, sources=[])

    assert (whole.sources[0].score, type(whole.sources[0].score)) == (2.0, float)
    assert escaped.docno == "dä"
    assert without.sources == ()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"docno": "d\x00"}, "U\\+0000"),
        ({"docno": 7}, '"docno" must be text'),
        ({"position": True}, '"position" must be a whole number'),
        ({"position": 0}, '"position" must be a whole number'),
        ({"position": 2**31}, '"position" must be a whole number'),
        ({"inclusion": float("inf")}, '"inclusion" must be a number'),
        ({"sources": {}}, '"sources" must be a list'),
        ({"sources": [7]}, "must be an object"),
    ],
)
def test_a_wrong_value_of_a_pooled_document_is_named(bundle_of, changes, problem):
    with pytest.raises(BundleError, match=f"^{POOLS}:1: .*{problem}"):
        pool(bundle_of, **changes)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": "s" * 61}, '"source" must have at most 60 characters'),
        ({"rank": 0}, '"rank" must be a whole number'),
        ({"score": float("nan")}, '"score" must be a number'),
        ({"drawn": 1}, '"drawn" must be true or false'),
    ],
)
def test_a_wrong_value_of_a_source_is_named(bundle_of, changes, problem):
    with pytest.raises(BundleError, match=f"^{POOLS}:1: .*{problem}"):
        pool(bundle_of, sources=[{**GOOD["sources"][0], **changes}])
