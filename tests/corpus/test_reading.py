"""Packed, encoded, damaged and hostile files."""

from __future__ import annotations

import gzip
import io
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.corpus.conftest import documents, topics
from web.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]
LINES = "".join(f'{{"docno": "d{number}", "title": "t"}}\n' for number in range(1000))


def zipped(members: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def docnos(content, **options):
    return [each["docno"] for each in documents(content, **options)]


def test_gzip_is_known_by_its_first_bytes():
    assert len(docnos(gzip.compress(LINES.encode()))) == 1000


def test_all_files_of_a_zip_are_read_by_name_but_not_what_is_no_data():
    packed = gzip.compress(b'{"docno": "1", "title": "A"}')
    members = {"b.tsv": "2\tB.\n", "a.json.gz": packed, "README.md": "x", "__MACOSX/._a": "x", ".hidden": "x"}
    assert docnos(zipped(members)) == ["1", "2"]
    with pytest.raises(BadInput, match=r"^f\.zip/c/d\.tsv:2: "):
        documents(zipped(members | {"c/d.tsv": "3\tC.\n4\n"}), "f.zip")


def test_of_a_zip_of_beir_each_kind_has_its_own_file():
    beir = zipped(
        {
            "scifact/corpus.jsonl": '{"_id": "1", "text": "A."}',
            "scifact/queries.jsonl": '{"_id": "q", "text": "B"}',
            "scifact/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\t1\t1\n",
        }
    )
    assert docnos(beir) == ["1"]
    assert topics(beir) == [("q", "B", "", "")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(LINES.encode())[:-20], r"f:\d+: the packed file is damaged"),
        (zipped({"a.jsonl": LINES})[:-40], "f: the packed file is damaged"),
        (zipped({}), "f"),
        (zipped({"README.md": "x"}), "no files with data"),
        (zipped({"a.jsonl": LINES}, zipfile.ZIP_LZMA), "ordinary zip"),
        (b'{"docno": "1", "title": "t"}\n{"docno": "\xff"}\n', "f:2: not UTF-8 at byte 12"),
        ('{"docno": "1", "title": "t"}'.encode("utf-16-le"), "f:1: the line has NUL"),
        (b"\xff\xfe" + "1\tx\n2\ty".encode("utf-16-le") + b"\xd8", "f:2: not UTF-16"),
        (b"%PDF-1.7\n\xff", "f:2: not UTF-8"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(content, reason):
    with pytest.raises(BadInput, match=reason):
        documents(content)


def test_a_line_that_is_not_utf8_can_be_skipped():
    assert docnos(b'{"docno": "1", "title": "t"}\n\xff\n{"docno": "2", "title": "\xc3\xbc"}\n', skip=1) == ["1", "2"]


@pytest.mark.parametrize(
    "pack", [str.encode, lambda text: gzip.compress(text.encode()), lambda text: zipped({"a": text})]
)
def test_what_unpacks_to_more_than_the_limit_is_refused(pack):
    with pytest.raises(BadInput, match="larger, unpacked"):
        documents(pack(LINES), limit=20_000)


def test_the_limit_is_of_all_files_of_a_zip_together():
    with pytest.raises(BadInput, match=r"f/b .*larger, unpacked"):
        documents(zipped({"a": LINES, "b": LINES}), limit=50_000)


def test_a_file_without_line_ends_is_not_held_in_memory():
    with pytest.raises(BadInput, match="more than 16,000,000 characters"):
        documents('"' + "a" * 16_000_001, limit=10**9)


# What takes a parser long if its time grows with the square: an expression that makes the file, `n` its repeats.
HOSTILE = [
    "'<doc>' * n",
    "'<doc ' * n",
    "'<doc><docno>1</docno><' + 'a' * n + '</doc>'",
    "'<doc>' + '<a b=' * n + '</doc>'",
    '"<doc>" + "<a b=\'" * n + "</doc>"',
    "'<doc>' + '<text>' * n + '</doc>'",
    "'<doc>' + '<!--' * n",
    "'<doc><![CDATA[' * n",
    "'<doc><docno>1</docno><text>' + '&' * n + '</text></doc>'",
    "'[{\"a\": \"' + '\\\\\"' * n",
    "'[{' + '[' * n",
    "'[{},' + ',' * n",
    "'{\\n' * n",
    "'.I 1\\n' + '.W\\n.T\\n' * n",
    "'.I 1\\n.I ' + ' ' * n + 'x' + ' ' * n + 'y'",
    "'docno,text\\n' + '\"' * n",
]
PROGRAM = """
import io, sys
from corpus.formats.documents import read_documents
from corpus.formats.reading import BadLines
from web.errors import BadInput
n = 100_000
for expression in sys.argv[1:]:
    try:
        list(read_documents(io.BytesIO(eval(expression).encode()), "f", bad_lines=BadLines(10**9), limit=10**9))
    except BadInput:
        pass
    print(expression, flush=True)
"""


@pytest.mark.slow
def test_the_time_of_a_parser_grows_with_its_file():
    parsing = subprocess.run(
        [sys.executable, "-c", PROGRAM, *HOSTILE],
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert parsing.stdout.splitlines() == HOSTILE, parsing.stderr


def test_endless_empty_lines_end_the_reading():
    """4 MB of gzip are 2 GB of them: a preview would read for ten minutes."""
    content = gzip.compress(b'{"docno": "1", "title": "A"}' + b"\n" * 1_000_100)
    with pytest.raises(BadInput, match="empty lines"):
        docnos(content)
