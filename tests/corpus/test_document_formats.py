"""Documents in the formats of other tools: detected, read, and refused with a reason."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.formats.document_lines import (
    BadLine,
    DocumentFormatError,
    DocumentRecord,
    checked_lines,
)
from corpus.formats.registry import DOCUMENT_FORMATS
from corpus.formats.sources import JoinedSource, SourceError, open_source, prefixed_lines
from corpus.formats.tables import ColumnError, parse_columns

TREC = """<DOC>
<DOCNO> LA010189-0001 </DOCNO>
<DATE>1989</DATE>
<HEADLINE>
<P>
On Wings &amp; Slips
</P>
</HEADLINE>
<TEXT>
<P>
The wing is &lt; 3 m. p < 0.05 holds.
</P>
<P>It flies.</P>
</TEXT>
</DOC>
<DOC>
<DOCNO>2</DOCNO>
<TITLE>Second
<TEXT>No tag is closed
</DOC>
"""
CRANFIELD = (
    '<?xml version="1.0"?><root><doc><docno>1</docno><title>a wing</title><author>b,m.</author>'
    "<text>a wing . it flies .</text></doc><doc><docno>2</docno><title/><text></text></doc></root>"
)


@pytest.fixture
def write(tmp_path):
    def write(content, name="documents"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(path, **options):
    return list(open_source(path, **options).lines())


def records(path, **options):
    return [line.record for line in lines(path, **options)]


def reasons(path, **options):
    return [line.reason for line in lines(path, **options) if isinstance(line, BadLine)]


@pytest.mark.parametrize(
    ("content", "format_name"),
    [
        (json.dumps({"docno": "1", "title": "", "abstract": "A."}), "jsonl"),
        (json.dumps({"docno": "1", "text": "A."}), "pyterrier"),
        (json.dumps({"id": "1", "contents": "A."}), "pyserini"),
        (json.dumps({"_id": "1", "text": "A."}), "beir"),
        (json.dumps({"paper_id": "1", "title": "", "abstract": "A."}), "s2orc"),
        ("1\tA.\n", "tsv"),
        ("1\t\tA.\n", "tsv"),
        ("1\thttp://x\t\tA.\n", "tsv"),
        ("docno\ttext\n1\tA.\n", "tsv"),
        ("id,text\n1,A.\n", "csv"),
        ("\n\n<doc><docno>1</docno><text>A.</text></doc>", "trec"),
        ('<DOC id="1">\n<TEXT>A.</TEXT>\n</DOC>\n', "trec"),
    ],
)
@pytest.mark.parametrize("packing", [bytes, gzip.compress, b"\xef\xbb\xbf".__add__])
def test_the_content_shows_the_format(write, content, format_name, packing):
    path = write(packing(content.encode()))

    source = open_source(path)

    assert source.format_name == format_name
    assert [line.record for line in source.lines()] == [DocumentRecord("1", "", ("A.",))]


def test_every_format_has_a_title_of_its_own():
    titles = {document_format.title for document_format in DOCUMENT_FORMATS.values()}
    assert len(titles) == len(DOCUMENT_FORMATS)


class TestTrec:
    def test_sections_are_read_and_inner_tags_left_out(self, write):
        assert records(write(TREC)) == [
            DocumentRecord(
                "LA010189-0001",
                "On Wings & Slips",
                ("The wing is < 3 m. p < 0.05 holds.", "It flies."),
            ),
            DocumentRecord("2", "Second", ("No tag is closed",)),
        ]

    def test_the_line_and_the_ignored_tags_are_reported(self, write):
        first, second = lines(write(TREC))
        assert (first.number, first.unknown_keys) == (1, ("date",))
        assert second.number == 16

    def test_xml_on_one_line_is_read(self, write):
        assert records(write(CRANFIELD)) == [
            DocumentRecord("1", "a wing", ("a wing .", "it flies .")),
            DocumentRecord("2", "", ()),
        ]

    def test_a_cdata_section_is_text(self, write):
        text = "<DOC><DOCNO>1</DOCNO><TEXT><![CDATA[a & b]]></TEXT></DOC>"
        assert records(write(text)) == [DocumentRecord("1", "", ("a & b",))]

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("<DOC><TEXT>x</TEXT></DOC>", '"docno" is missing'),
            ("<DOC><DOCNO>a b</DOCNO></DOC>", "must not contain white space"),
            ("<DOC><DOCNO>1</DOCNO>\n<DOC><DOCNO>2</DOCNO></DOC>", "has no </DOC>"),
            ("<DOC><DOCNO>1</DOCNO>\n", "has no </DOC>"),
            (b"<DOC><DOCNO>1</DOCNO>\n\xff\n</DOC>", "not UTF-8"),
        ],
    )
    def test_an_invalid_document_is_named_with_its_reason(self, write, text, reason):
        (first, *_) = reasons(write(text))
        assert reason in first

    def test_a_file_without_documents_is_refused(self, write):
        with pytest.raises(DocumentFormatError, match="has no <DOC>"):
            lines(write("<top><num>1</num></top>"))

    @given(st.text(alphabet="<>/dDocnteTx! 1\n", max_size=80))
    def test_any_text_gives_documents_or_reasons(self, text):
        import io

        from corpus.formats.decompression import Meter
        from corpus.formats.trec import read_trec

        content = f"<doc><docno>1</docno><text>{text}</doc>".encode()
        items = read_trec(io.BytesIO(content), "f", Meter(), {})
        for line in checked_lines(items, "f"):
            assert line.number >= 1


class TestTables:
    def test_a_header_names_the_columns_in_any_order(self, write):
        text = "text\tyear\tid\turl\nOne. Two.\t1999\td1\thttp://x\n"
        (line,) = lines(write(text))
        assert line.record == DocumentRecord("d1", "", ("One.", "Two."), year=1999)
        assert line.unknown_keys == ("url",)

    def test_a_csv_value_in_quotes_may_hold_commas_and_lines(self, write):
        text = 'docno,title,text\n1,"A, B","One.\nTwo."\n2,C,"say ""no"""\n'
        first, second = lines(write(text))
        assert first.record == DocumentRecord("1", "A, B", ("One.", "Two."))
        assert (second.number, second.record.sentences) == (4, ('say "no"',))

    def test_a_quotation_mark_in_tsv_is_a_character(self, write):
        assert records(write('1\t"no\n2\tend"\n')) == [
            DocumentRecord("1", "", ('"no',)),
            DocumentRecord("2", "", ('end"',)),
        ]

    @pytest.mark.parametrize("columns", ["docno=key,title=name,text=body", "docno=1, abstract=3"])
    def test_the_columns_can_be_named_or_counted(self, write, columns):
        header = "key,name,body\n" if "key" in columns else ""
        (record,) = records(write(f"{header}d1,T,A.\n"), columns=columns, format_name="csv")
        assert (record.docno, record.sentences) == ("d1", ("A.",))

    def test_a_row_of_another_width_is_invalid(self, write):
        assert reasons(write("1\tA.\n2\n3\tB.\n")) == [
            "the row must have 2 columns as the first line has, got 1."
        ]

    @pytest.mark.parametrize(
        ("text", "columns", "message"),
        [
            ("a,b\n1,2\n", "", "no column has the docno. The first line has a, b. Say which"),
            ("a,b\n1,2\n", "docno=c", "there is no column 'c'"),
            ("a,b\n1,2\n", "docno=3", "there is no column '3'"),
            ("a,b\n1,2\n", "text=b", "name none for docno"),
            ('id,text\n1,"open\n', "", "not CSV"),
            (b"id,text\n1,\xff\n", "", "not UTF-8"),
        ],
    )
    def test_a_table_that_cannot_be_read_says_why(self, write, text, columns, message):
        with pytest.raises(DocumentFormatError, match=message):
            lines(write(text), columns=columns)

    def test_an_empty_table_is_refused(self, write):
        with pytest.raises(DocumentFormatError, match="has no documents"):
            lines(write("\n"), format_name="tsv")

    def test_columns_are_only_for_tables(self, write):
        with pytest.raises(SourceError, match="read as trec, which has no columns"):
            open_source(write(TREC), columns="docno=id")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("docno", "'docno' names no column. Write VALUE=COLUMN"),
            ("colour=c", "a value is one of docno, title, abstract, year, venue"),
            ("docno=a,docno=b", "docno has two columns, a and b"),
        ],
    )
    def test_a_wrong_mapping_says_what_to_write(self, text, message):
        with pytest.raises(ColumnError, match=message):
            parse_columns(text)


def test_a_prefix_is_put_before_ids_and_citations(write):
    content = {"docno": "1", "title": "", "abstract": "A.", "references": ["2"]}
    source = open_source(write(json.dumps(content)))

    (line,) = prefixed_lines(source.lines(), "cran-")

    assert (line.record.docno, line.record.references) == ("cran-1", ("cran-2",))


def test_a_prefix_that_makes_an_id_too_long_is_an_invalid_line(write):
    (line,) = prefixed_lines(open_source(write("1\tA.\n")).lines(), "x" * 200)
    assert "Use a shorter prefix" in line.reason


def test_several_files_of_different_formats_are_one_source(write):
    source = JoinedSource.of(
        (open_source(write("1\tA.\n", "a.tsv")), open_source(write(CRANFIELD, "b.xml")))
    )
    assert [line.record.docno for line in source.lines()] == ["1", "1", "2"]
    assert source.files == ("a.tsv", "b.xml")
    assert source.format_name == "tsv, trec"
    assert source.name == "a.tsv and 1 more"
