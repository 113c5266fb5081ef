"""Small files that were made to fill a server, or to keep it busy."""

from __future__ import annotations

import gzip
import io
import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from corpus.formats.bibtex import LONGEST_STRING, read_bibtex
from corpus.formats.decompression import LARGEST_RATIO, SMALL, Meter, TooLarge, open_unpacked
from corpus.formats.document_lines import DocumentFormatError, Problem
from corpus.formats.openalex import from_openalex
from corpus.formats.sources import SourceError, open_source
from corpus.formats.xml_records import LONGEST_TAG, read_xml_records
from retrieval.formats import RunFormatError
from scoring.systems.run_files import read_system_file

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60  # of computing; each needs two or less, and days if it grows with the square
REPEATS = 4_000_000
# What a parser reads: an expression that makes the text, with its repeats as `n`.
HOSTILE = {
    "escaped braces": "plain_text(r'\\{' * n)",
    "accents before white space": "plain_text('\\\\\\'{' + ' ' * n)",
    "white space between authors": "bibtex('@a{k, author={A' + ' ' * n + 'B}}')",
    "open documents on a line": "trec('<doc>' * (n // 4))",
    "quotation marks in a JSON array": "array('[{\"a\": \"' + '\\\\\"' * (n // 4))",
    "brackets in a JSON array": "array('[{' + '[' * (n // 8))",
    "commas in a JSON array": "array('[{},' + ',' * (n // 8))",
    "fields of SMART": "smart('.I 1\\n' + '.W\\n.T\\n' * (n // 16))",
    "white space of SMART": "smart('.I 1\\n.I ' + ' ' * n + 'x' + ' ' * n + 'y')",
    "a tag without an end": "trec('<doc><docno>1</docno><' + 'a' * n + '</doc>')",
}
PROGRAM = """
from io import BytesIO
import sys
from corpus.formats.bibtex import read_bibtex
from corpus.formats.decompression import Meter
from corpus.formats.latex import plain_text
from corpus.formats.document_lines import DocumentFormatError, checked_lines, read_lines
from corpus.formats.smart import read_smart
from corpus.formats.trec import read_trec

def smart(text):
    return list(checked_lines(read_smart(BytesIO(text.encode()), "f", Meter(), {}), "f"))

def array(text):
    try:
        return list(read_lines(BytesIO(text.encode()), name="f"))
    except DocumentFormatError:
        pass

def bibtex(text):
    return list(checked_lines(read_bibtex(BytesIO(text.encode()), "f", Meter(), {}), "f"))

def trec(text):
    return list(checked_lines(read_trec(BytesIO(text.encode()), "f", Meter(), {}), "f"))

n = int(sys.argv[1])
for expression in sys.argv[2:]:
    eval(expression)
    print(expression, flush=True)
"""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.by_day(4)
def test_the_time_of_a_parser_grows_with_its_file():
    """Megabytes of the worst that is known, in a process that may not compute for long."""
    parsing = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(REPEATS), *HOSTILE.values()],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )

    assert parsing.stdout.splitlines() == list(HOSTILE.values()), parsing.stderr


def test_nested_strings_of_bibtex_are_not_multiplied():
    lines = ['@string{s0 = "' + "x" * 32 + '"}']
    lines += [f"@string{{s{n + 1} = s{n} # s{n} # s{n} # s{n}}}" for n in range(30)]
    lines += ["@article{k, title = s30}"]
    content = "\n".join(lines).encode()
    problems = list(read_bibtex(io.BytesIO(content), "f.bib", Meter(), {}))

    assert f"longer than {LONGEST_STRING:,} characters" in str(problems[0].content)


def test_a_word_of_openalex_is_not_repeated_without_end():
    work = {"id": "W1", "title": "", "abstract_inverted_index": {"x" * 1000: list(range(20_000))}}

    with pytest.raises(Problem, match="more than 16 MB"):
        from_openalex(work)


@pytest.mark.parametrize("opening", ["<a b='", "<!--"])
def test_an_unfinished_tag_of_xml_ends_the_import(opening):
    content = f"<root>{opening}".encode() + b"x" * (LONGEST_TAG * 3)

    with pytest.raises(DocumentFormatError, match="longer than 1 MB"):
        list(read_xml_records(io.BytesIO(content), "f.xml", Meter(), ["record"]))


def test_a_file_that_unpacks_to_far_more_is_refused(tmp_path):
    bomb = tmp_path / "bomb.gz"
    with gzip.open(bomb, "wb") as file:
        for _ in range(SMALL // 1024 // 1024 + 2):
            file.write(b"\n" * (1024 * 1024))

    with open_unpacked(bomb) as stream, pytest.raises(TooLarge, match=f"{LARGEST_RATIO} times"):
        stream.read()


def test_a_member_of_a_zip_that_unpacks_to_far_more_is_refused(tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", b"\n" * (SMALL + 1))

    with pytest.raises(SourceError, match=f"{LARGEST_RATIO} times"):
        open_source(path)


@pytest.mark.parametrize("digits", [400, 5_000])
def test_a_score_of_many_digits_is_an_error_with_its_place(tmp_path, digits):
    path = tmp_path / "system.json"
    path.write_text('{"q": [["d", ' + "9" * digits + "]]}")

    with pytest.raises(RunFormatError, match=r"system\.json"):
        read_system_file(path, name="system.json", topics=["q"])
