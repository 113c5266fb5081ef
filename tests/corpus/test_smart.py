"""SMART collections, JSON arrays, other encodings and packings, and files of another kind."""

from __future__ import annotations

import codecs
import json
import zipfile
from pathlib import Path

import pytest

from adjudication.judgment_import.files import FieldNames, GradeCodes, read_judgment_file
from corpus.formats.decompression import MEGABYTE, Meter
from corpus.formats.document_lines import BadLine, DocumentFormatError, DocumentRecord
from corpus.formats.file_kinds import FileKind, WrongKind, check_kind, look_of
from corpus.formats.sources import SourceError, open_source
from corpus.formats.topics import BadTopics, read_topics
from retrieval.formats import RunFormatError, read_qrels, read_run

DOCUMENTS = b""".I 01\r
.T\r
On the Dewey\r
Decimal System\r
.A\r
Writer, A.\r
Reader, B.\r
.B\r
CACM December, 1958\r
.W\r
  It is old. It is
long.\r
.X\r
1\t5\t1\r
.I 2\r
.W\r
.5 percent of it. More.\r
"""
ARRAY = [
    {"docno": "a", "title": 'a ], "b', "abstract": "\\"},
    {"docno": "b", "title": "", "abstract": "ü"},
]
TABLE = "docno;title;text\nd1;One, two;Text. More, much.\n"


def written(folder: Path, content: bytes | str, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "file.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def records(path: Path) -> list[DocumentRecord]:
    return [line.record for line in open_source(path).lines() if not isinstance(line, BadLine)]


def test_documents_of_smart_are_read(tmp_path):
    source = open_source(written(tmp_path, DOCUMENTS, "CISI.ALL"))

    first, second = source.lines()

    assert source.format_name == "smart"
    assert (first.record.docno, first.record.title) == ("1", "On the Dewey Decimal System")
    assert first.record.sentences == ("It is old.", "It is long.")
    assert first.record.authors == ("Writer, A.", "Reader, B.")
    assert (first.record.venue, first.record.year) == ("CACM December, 1958", 1958)
    assert first.unknown_keys == (".X",)
    assert (second.number, second.record.sentences) == (15, (".5 percent of it.", "More."))


def test_a_damaged_record_of_smart_is_named_and_the_others_are_read(tmp_path):
    content = b".I 28\n56\n.T\nBroken\n.I 29\n.T\nWhole\n"
    bad, good = open_source(written(tmp_path, content)).lines()

    assert isinstance(bad, BadLine)
    assert (bad.number, bad.reason[:25]) == (1, "line 2 is in no field. Be")
    assert good.record.docno == "29"


def test_topics_and_judgments_of_smart_have_equal_ids(tmp_path):
    topics = read_topics(
        written(tmp_path, ".I 01\n.W\nWhich\nwings?\n.I 2\n.T\nT\n.W\nW.\n"), name="q"
    )
    judgments = written(tmp_path, "     1     28\t0\t0.000000\r\n 02  3  0 0\r\n", "CISI.REL")

    first, second = topics.topics
    assert (topics.format, first.name, first.title) == ("SMART (.I, .W)", "1", "Which wings?")
    assert (second.name, second.title, second.description) == ("2", "T", "W.")
    assert [tuple(line) for line in read_qrels(judgments, name="r")] == [
        ("1", "28", 1.0),
        ("2", "3", 1.0),
    ]


def test_qrels_of_trec_are_not_those_of_smart(tmp_path):
    path = written(tmp_path, "1 0 0 0\n1 0 d1 2\n")

    assert [tuple(line) for line in read_qrels(path, name="r")] == [("1", "d1", 2.0)]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_array_is_read_like_json_lines(tmp_path, indent):
    path = written(tmp_path, json.dumps(ARRAY, indent=indent), "a.json")
    lines = list(open_source(path).lines())

    assert [line.record.title for line in lines] == ['a ], "b', ""]
    assert [line.number for line in lines] == ([1, 1] if indent is None else [2, 7])
    assert open_source(written(tmp_path, '[\n {"_id": "1", "text": "x"}]')).format_name == "beir"
    topics = written(tmp_path, '[{"qid": "1", "query": "wings"},\n{"qid": "2", "query": "x"}]')
    assert [topic.line for topic in read_topics(topics, name="t").topics] == [1, 2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"docno": "a", "title": "", "abstract": ""}', "f:1: the array has no end"),
        ('[{"docno": "a", "title": "", "abstract": ""}]\n{}', "f:2: text follows the end"),
        ('[\n{"docno": "a"} {}]', "f:2: not JSON"),
    ],
)
def test_a_damaged_json_array_is_an_error_with_its_line(tmp_path, text, reason):
    def read() -> None:
        for line in open_source(written(tmp_path, text), name="f").lines():
            if isinstance(line, BadLine):
                raise line.error

    with pytest.raises(DocumentFormatError, match=reason):
        read()


def test_a_table_with_semicolons_is_read(tmp_path):
    (record,) = records(written(tmp_path, TABLE, "t.csv"))

    assert (record.title, record.sentences) == ("One, two", ("Text.", "More, much."))


@pytest.mark.parametrize("byte_order", ["le", "be"])
def test_utf_16_is_read_in_every_import(tmp_path, byte_order):
    mark = codecs.BOM_UTF16_LE if byte_order == "le" else codecs.BOM_UTF16_BE

    def encoded(text: str) -> Path:
        return written(tmp_path, mark + text.encode(f"utf-16-{byte_order}"))

    assert records(encoded("docno\ttitle\ttext\n1\tÜber 𝄞\tx\n"))[0].title == "Über 𝄞"
    assert records(encoded("<DOC><DOCNO>1</DOCNO><TEXT>é</TEXT></DOC>"))[0].sentences == ("é",)
    assert read_topics(encoded("1\tÜber\n"), name="t").topics[0].title == "Über"
    assert next(read_run(encoded("1 Q0 d 1 2.5 x\n"), name="r")).score == 2.5
    judged = read_judgment_file(
        encoded("query;docno;annotator;grade\nq;d;mara;1\n"),
        name="j",
        names=FieldNames(),
        scale=GradeCodes([0, 1], []),
    )
    assert judged.judgments[0].person == "mara"
    cut = written(tmp_path, mark + "1\tx\n2\ty".encode(f"utf-16-{byte_order}") + b"\xd8")
    with pytest.raises(BadTopics, match="not UTF-8"):
        read_topics(cut, name="t")


def test_xml_in_utf_16_keeps_its_declaration(tmp_path):
    text = (
        "<?xml version='1.0' encoding='UTF-16'?><collection id='c'><volume id='1'><paper id='1'>"
        "<title>Über</title></paper></volume></collection>"
    )
    path = written(tmp_path, text.encode("utf-16"))

    assert records(path)[0].title == "Über"


def test_a_zip_of_one_file_is_read_in_every_import(tmp_path):
    assert len(records(zipped(tmp_path, {"CISI.ALL": DOCUMENTS}))) == 2
    assert len(read_topics(zipped(tmp_path, {"q.txt": b"1\tx\n"}), name="t").topics) == 1
    run = zipped(tmp_path, {"__MACOSX/r": b"", "r": b"1 Q0 d 1 2.5 x\n"})
    assert len(list(read_run(run, name="r"))) == 1


def test_a_zip_of_several_files_is_refused_with_their_names(tmp_path):
    path = zipped(tmp_path, {"b": b"1", "a": b"1"})

    with pytest.raises(RunFormatError, match=r"must have one file here, got 2 files \(a, b\)"):
        list(read_run(path, name="r"))
    with pytest.raises(DocumentFormatError, match="must have one file here"):
        read_topics(path, name="t")
    with pytest.raises(SourceError, match="Unpack it"):
        open_source(path)


def test_a_zip_is_under_the_limit_of_an_import(tmp_path):
    path = zipped(tmp_path, {"r": b"1 Q0 d 1 2.5 x\n" * 100_000})

    with pytest.raises(RunFormatError, match="more than 1 MB when unpacked"):
        list(read_run(path, name="r", meter=Meter(limit=MEGABYTE)))


QRELS = "1 0 d1 1\n1 0 d2 0\n"
RUN = "1 Q0 d1 1 3.5 x\n1 Q0 d2 2 1.5 x\n"


@pytest.mark.parametrize(
    ("content", "wanted", "words"),
    [
        (
            QRELS,
            FileKind.JUDGMENTS,
            "looks like TREC qrels.*import_run.*annotator and grade",
        ),
        (QRELS.replace(" ", "\t"), FileKind.TOPICS, "looks like TREC qrels"),
        ("query-id\tcorpus-id\tscore\n1\td\t1\n", FileKind.DOCUMENTS, "looks like TREC qrels"),
        ("  1  28\t0\t0.000000\r\n", FileKind.DOCUMENTS, "looks like TREC qrels"),
        ("1 184 2 \n1 29 2\n", FileKind.JUDGMENTS, "looks like TREC qrels"),
        (QRELS, FileKind.RUN, "looks like TREC qrels.*six columns"),
        (RUN, FileKind.QRELS, "looks like a TREC run.*as a ranked list"),
        (RUN.replace(" ", "\t"), FileKind.TOPICS, "looks like a TREC run"),
        (RUN, FileKind.DOCUMENTS, "looks like a TREC run"),
        (DOCUMENTS, FileKind.JUDGMENTS, "looks like records of a SMART collection"),
        ("<top><num>1", FileKind.DOCUMENTS, "looks like TREC topics.*Add queries"),
        ("<DOC><DOCNO>1", FileKind.TOPICS, "looks like TREC documents.*import_documents"),
        ('{"qid": "1", "query": "x"}', FileKind.DOCUMENTS, "looks like topics"),
        ('[{"docno": "1", "title": "x"', FileKind.RUN, None),
        ('[{"docno": "1", "title": "x"}]', FileKind.RUN, "looks like documents"),
        ("query;docno;annotator;grade\n", FileKind.DOCUMENTS, "looks like judgments by people"),
        ("%PDF-1.7\n", FileKind.TOPICS, "looks like a PDF.*Save it as"),
        ("<!DOCTYPE html>", FileKind.DOCUMENTS, "looks like a web page"),
        (b"\x00\x01\x02", FileKind.DOCUMENTS, "looks like a binary file"),
        (QRELS, FileKind.QRELS, None),
        (RUN, FileKind.RUN, None),
        (DOCUMENTS, FileKind.TOPICS, None),
        ("1\tapollo 11\n", FileKind.TOPICS, None),
        ("", FileKind.TOPICS, None),
    ],
)
def test_a_file_of_another_kind_is_named_with_its_place(tmp_path, content, wanted, words):
    path = written(tmp_path, content)
    if words is None:
        check_kind(path, name="f", wanted=wanted)
        return
    with pytest.raises(WrongKind, match=f"(?s)f was not imported. This {words}"):
        check_kind(path, name="f", wanted=wanted)


def test_a_workbook_is_named(tmp_path):
    look = look_of(zipped(tmp_path, {"[Content_Types].xml": b"", "xl/workbook.xml": b""}))

    assert look is not None
    assert look.words == "an Excel workbook"
