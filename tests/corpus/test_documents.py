"""Documents in every format: what is read, and what is refused with file and line."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from corpus.formats.documents import preview_documents
from tests.corpus.conftest import case, documents, documents_by_line
from tests.real_data import SHARED
from web.errors import BadInput

QUICK = hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
GOOD = {"docno": "d1", "title": "A title", "abstract": "One. Two."}
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
The H<sub>2</sub>O wing is &lt; 3 m. p < 0.05 holds at AT&T, ?a=1&copy=2.
</P>
<P>It flies.</P>
</TEXT>
</DOC>
<!-- <DOC><DOCNO>9</DOCNO><TEXT>Taken
out</TEXT></DOC> -->
<DOC id="2">
<TITLE>Second
<TEXT>No tag is closed
</DOC>
<DOC><DOCNO>3</DOCNO><TITLE><![CDATA[a & b <c>
</DOC>]]></TITLE></DOC>
"""
SMART = """.I 01
.T
On the
Dewey
.A
Writer, A.
Reader, B.
.B
CACM
.W
.5 percent. More.
.X
1\t5
"""
OPENALEX = {
    "id": "https://openalex.org/W1",
    "display_name": "On slow queries",
    "publication_year": 2012,
    "abstract_inverted_index": {"Slow": [0], "queries": [1, 5], "wait.": [2], "We": [3], "time": [4]},
    "primary_location": {"source": {"display_name": "Journal of Waiting"}},
    "authorships": [{"author": {"display_name": "Ada Writer"}}],
    "referenced_works": ["https://openalex.org/W2"],
    "topics": [{"display_name": "Queues", "field": {"display_name": "Computer Science"}}],
}
S2ORC = {
    "paper_id": "7",
    "title": "On queues",
    "abstract": [{"text": "Queues grow. They wait.", "section": "Abstract"}, {"text": "We count."}],
    "metadata": {"year": "2015", "authors": [{"first": "B.", "middle": ["C."], "last": "Reader", "suffix": ""}]},
    "venue": None,
    "journal": "Queue Days",
    "outbound_citations": ["8", "9"],
    "mag_field_of_study": ["Computer Science"],
}


def lines(*objects: object) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


def document(content, **options):
    (found,) = documents(content, **options)
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "documents_no_text_tag.trec",
            [
                {"docno": "1", "sentences": ["cranes lift loads in narrow docks"]},
                {"docno": "2", "sentences": ["ropes of hemp; a<b and b>a holds"]},
            ],
        ),
        (
            "documents_title_only.jsonl",
            [
                {"docno": "t1", "title": "Notes on lock gates"},
                {
                    "docno": "t2",
                    "title": "Weirs",
                    "sentences": ["Weirs raise the level.", "They also slow the water."],
                },
                {"docno": "t3", "title": "Sluices and their keepers"},
            ],
        ),
        (
            "documents_no_titles.tsv",
            [
                {"docno": "1", "sentences": ["Barges wait for the tide."]},
                {"docno": "2", "sentences": ["Pilots board at the outer buoy."]},
                {"docno": "3", "sentences": ["Tugs turn ships in the basin."]},
            ],
        ),
        (
            "ids_like_formulas.jsonl",
            [
                {"docno": "=1+1", "title": "An id that a spreadsheet would run", "sentences": ["Plain text."]},
                {"docno": "+44", "title": "Another", "sentences": ["Plain text, too."]},
            ],
        ),
    ],
)
def test_files_as_collections_have_them_are_read(name, expected):
    assert documents(case(name), name) == expected


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"docno": "01", "title": "T", "abstract": "A."}),
        json.dumps({"_id": "01", "title": "T", "text": "A.", "metadata": {}}),
        json.dumps({"id": "01", "title": "T", "contents": "A."}),
        json.dumps({"corpusid": "01", "title": "T", "abstract": "A."}, indent=2),
        json.dumps([{"docid": "01", "title": "T", "body": "A."}], indent=2),
        "01\tT\tA.\n",
        "01\thttp://x\tT\tA.\n",
        "title\tdocno\turl\ttext\nT\t01\thttp://x\tA.\n",
        "id,title,text\n01,T,A.\n",
        "Text;Title;Doc_ID\nA.;T;01\n",
        "\n\n<doc><docno>01</docno><title>T</title><text>A.</text></doc>",
        ".I 01\n.T\nT\n.W\nA.\n",
    ],
)
def test_the_content_tells_the_format(content):
    expected = {"docno": "01", "title": "T", "sentences": ["A."]}
    assert document(content) == expected
    assert document(b"\xef\xbb\xbf" + content.replace("\n", "\r\n").encode()) == expected
    for encoding in ("utf-16-le", "utf-16-be"):
        assert document(("\ufeff" + content).encode(encoding)) == expected


def test_every_value_is_read():
    given = GOOD | {
        "sentences": ["We ask. Twice.", "We did."],
        "labels": ["objective", ""],
        "year": 1999,
        "venue": "V",
        "authors": ["A", "B"],
        "cites": ["d2", 3],
        "fields": ["F", "F"],
    }
    expected = given | {"cites": ["d2", "3"], "fields": ["F"]}
    del expected["abstract"]
    assert document(lines(given)) == expected


def test_s2orc_is_read():
    assert document(lines(S2ORC)) == {
        "docno": "7",
        "title": "On queues",
        "sentences": ["Queues grow.", "They wait.", "We count."],
        "year": 2015,
        "venue": "Queue Days",
        "authors": ["B. C. Reader"],
        "fields": ["Computer Science"],
        "cites": ["8", "9"],
    }


def test_openalex_is_read_with_its_inverted_abstract():
    assert document(lines(OPENALEX)) == {
        "docno": "W1",
        "title": "On slow queries",
        "sentences": ["Slow queries wait.", "We time queries"],
        "year": 2012,
        "venue": "Journal of Waiting",
        "authors": ["Ada Writer"],
        "fields": ["Computer Science"],
        "cites": ["W2"],
    }


def test_fields_before_openalex_had_topics_are_its_highest_concepts():
    concepts = [{"display_name": "Computer science", "level": 0}, {"display_name": "Queue", "level": 2}]
    assert document(lines({"id": "https://openalex.org/W1", "title": "T", "concepts": concepts}))["fields"] == [
        "Computer science"
    ]


@pytest.mark.parametrize("year", [1999, "1999", "1999.0", 1999.0])
def test_a_year_is_a_whole_number_in_any_form(year):
    assert document(lines(GOOD | {"year": year}))["year"] == 1999


def test_predicted_labels_are_known_as_such():
    read = document(lines({"paper_id": "1", "abstract": ["We ask.", "We did."], "pred_labels": ["method_label", "x"]}))
    assert (read["sentences"], read["labels"], read["labels_predicted"]) == (
        ["We ask.", "We did."],
        ["method", "x"],
        True,
    )


def test_a_sentence_may_carry_its_label():
    sentences = [{"text": "We ask.", "label": "background"}, {"text": "We did."}, "We found."]
    read = document(lines({"docno": "1", "sentences": sentences}))
    assert (read["sentences"], read["labels"]) == (["We ask.", "We did.", "We found."], ["background", "", ""])


def test_an_abstract_can_stay_as_its_lines():
    assert document(lines({"docno": "1", "abstract": "One. Two.\n\n Three."}), split=False)["sentences"] == [
        "One. Two.",
        "Three.",
    ]


def test_trec_is_read_though_it_is_not_well_formed():
    assert dict(documents_by_line(TREC)) == {
        1: {
            "docno": "LA010189-0001",
            "title": "On Wings & Slips",
            "sentences": ["The H2O wing is < 3 m. p < 0.05 holds at AT&T, ?a=1&copy=2.", "It flies."],
        },
        18: {"docno": "2", "title": "Second", "sentences": ["No tag is closed"]},
        22: {"docno": "3", "title": "a & b <c> </DOC>"},
    }


def test_smart_is_read_and_its_ids_stay():
    assert document(SMART) == {
        "docno": "01",
        "title": "On the Dewey",
        "authors": ["Writer, A.", "Reader, B."],
        "venue": "CACM",
        "sentences": [".5 percent.", "More."],
    }


def test_a_table_has_lists_and_quoted_lines():
    text = 'docno,title,text,authors,cites,year\nd1,"A, B","One.\nTwo.",A; B,d2;d3,1999\nd2,C,"say ""no""",,,\n'
    assert dict(documents_by_line(text)) == {
        2: {
            "docno": "d1",
            "title": "A, B",
            "sentences": ["One.", "Two."],
            "authors": ["A", "B"],
            "cites": ["d2", "d3"],
            "year": 1999,
        },
        4: {"docno": "d2", "title": "C", "sentences": ['say "no"']},
    }


def test_a_quotation_mark_or_a_tab_in_a_text_of_tsv_stays():
    assert dict(documents_by_line('1\t"no\n2\tend"\twith tab\n')) == {
        1: {"docno": "1", "sentences": ['"no']},
        2: {"docno": "2", "sentences": ['end" with tab']},
    }


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"docno": None}, '"docno" is missing'),
        ({"docno": ""}, '"docno" is missing'),
        ({"docno": True}, '"docno" must be text, got true'),
        ({"docno": "a b"}, 'white space, got "a b"'),
        ({"docno": "x" * 201}, "at most 200"),
        ({"docno": "a\0"}, r"U\+0000"),
        ({"title": 3}, '"title" must be text, got 3'),
        ({"title": "\ud800"}, r"U\+D800"),
        ({"abstract": {"a": 1}}, '"abstract" must be text'),
        ({"abstract": [{"content": "x"}]}, '"abstract" must be text'),
        ({"sentences": "One."}, '"sentences" must be a list'),
        ({"sentences": ["One.", " "]}, "sentence 2 is empty"),
        ({"sentences": ["One.", 2]}, '"sentences" must be text, got 2'),
        ({"sentences": ["One."], "labels": ["a", "b"]}, "got 2"),
        ({"sentences": ["One."], "labels": ["x" * 61]}, "at most 60"),
        ({"labels": ["a", "b"]}, '"labels" needs "sentences"'),
        ({"year": "in press"}, '"year" must be a whole number, got "in press"'),
        ({"year": 1999.5}, "must be a whole number"),
        ({"year": True}, "must be a whole number"),
        ({"year": 19999}, "1 to 9999"),
        ({"cites": ["a", "b c"]}, "white space"),
        ({"authors": [1]}, '"authors" must be text'),
        ({"abstract": None, "abstract_inverted_index": {"a": [0.5]}}, "list of places"),
        ({"abstract": None, "abstract_inverted_index": {"x" * 1000: list(range(20_000))}}, "16,000,000"),
    ],
)
def test_a_wrong_value_is_named_with_file_and_line(change, reason):
    with pytest.raises(BadInput, match=f"^docs.jsonl:2: .*{reason}"):
        documents(lines(GOOD, GOOD | change), "docs.jsonl")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "f:1: not JSON"),
        (lines(GOOD) + "[1, 2]", "f:2: must be a JSON object"),
        (lines(GOOD) + "[" * 100_000, "f:2: not JSON"),
        (lines(GOOD) + '{"year": ' + "9" * 5000 + "}", "f:2: not JSON"),
        ('[{"docno": "a", "title": "t"}', "f:1: not JSON"),
        ('[{"docno": "a", "title": "t"}]\n{}', "f:1: text follows"),
        ('[\n{"docno": "a", "title": "t"}, 7]', "f:2: must be a JSON object"),
        ("a,b\n1,2\n", "f:1: no column holds the id of each document. Call it docno. Found: a, b"),
        ('id,text\n1,"open\n2,x\n', "f:2: not CSV"),
        ("id\ttext\n1\tA.\tB.\n", "f:2: the row must have 2 columns"),
        ("1\tA.\n2\n", "f:2: the row must have 2 columns"),
        ("<DOC><DOCNO>1</DOCNO></DOC>\n<DOC><DOCNO>2</DOCNO>\n", "f:2: the last record has no end tag"),
        ("<DOC><DOCNO>1</DOCNO>\n<!-- x\n", "f:2: what begins here has no -->"),
        ("<DOC><DOCNO>a b</DOCNO><TEXT>x</TEXT></DOC>", "f:1: .*white space"),
        (".I 1\nlost\n.I 2\n.T\nT\n", "f:1: line 2 of this record is in no field"),
        ("1 Q0 d1 1 3.5 x\n", "f is in no known format"),
        ("", "f has no documents"),
        ("<html></html>", "f has no documents"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(content, reason):
    with pytest.raises(BadInput, match=reason):
        documents(content)


@pytest.mark.parametrize(
    "content",
    [
        "<DOC><DOCNO>1</DOCNO><DATE>1989</DATE></DOC>",
        lines({"docno": "1", "title": "", "abstract": " "}),
        "docno,words\n1,x\n",
    ],
)
def test_a_file_whose_documents_all_lack_text_is_refused(content):
    with pytest.raises(BadInput, match="no document has a title or a text"):
        documents(content)


def test_a_document_without_text_among_others_is_read():
    assert len(documents(lines(GOOD, {"docno": "471", "title": "", "abstract": ""}))) == 2


def test_up_to_a_chosen_number_of_lines_is_skipped():
    text = lines(GOOD) + "{\n" + lines(GOOD | {"docno": "a b"}, GOOD | {"docno": "d2"})
    assert [each["docno"] for each in documents(text, skip=2)] == ["d1", "d2"]
    with pytest.raises(BadInput, match=r"f:3: .* More than 1 lines are wrong"):
        documents(text, skip=1)


def test_a_bad_first_line_can_be_skipped_too():
    assert [line for line, _ in documents_by_line("what is this\n1\tA.\n", skip=1)] == [2]
    assert [line for line, _ in documents_by_line("garbage\n" + lines(GOOD), skip=1)] == [2]


def test_a_preview_says_what_became_of_each_key():
    content = lines({"_id": "1", "text": "A.", "url": "x", "metadata": {"year": 2001}}) + "{\n"
    shown = preview_documents(io.BytesIO(content.encode()), "f", limit=10**6)
    assert [row["docno"] for row in shown["rows"]] == ["1"]
    assert dict(shown["columns"]) == {"_id": "docno", "text": "abstract", "url": None, "year": "year"}
    assert shown["bad"][0].startswith("f:2: not JSON")


def test_a_key_that_cannot_be_stored_is_a_wrong_line():
    content = b'{"\\ud800": 1, "docno": "1", "title": "One"}\n'
    with pytest.raises(BadInput, match=r"a.jsonl:1: .*U\+D800"):
        preview_documents(io.BytesIO(content), "a.jsonl", limit=10**6)


def test_a_preview_of_a_file_without_a_good_row_names_the_first_fault():
    with pytest.raises(BadInput, match="f:1: no column holds the id"):
        preview_documents(io.BytesIO(b"a,b\n" + b"1,2\n" * 200), "f", limit=10**6)


@QUICK
@given(st.text(alphabet="<>/dDocnteTx!-[]CDAT &;1\n\"'=", max_size=80))
def test_any_markup_gives_documents_or_a_reason(text):
    content = f"<doc><docno>1</docno><text>x {text}</doc><doc><docno>2</docno><title>t</title></doc>"
    try:
        read = documents(content, skip=5)
    except BadInput:
        return
    assert {each["docno"] for each in read} <= {"1", "2"}


@QUICK
@given(st.lists(st.dictionaries(st.sampled_from(["docno", "title", "text"]), st.text() | st.integers()), max_size=5))
def test_any_json_array_is_read_as_its_lines_are(objects):
    def read(content):
        try:
            return documents(content, skip=100)
        except BadInput:
            return []

    assert read(json.dumps(objects)) == read(lines(*objects)) == read(json.dumps(objects, indent=1))


@pytest.mark.csfcube
@pytest.mark.skipif(not (SHARED / "csabstruct").exists(), reason="CSAbstruct is not here")
def test_the_sentences_and_labels_of_csabstruct_are_read_as_given():
    given = [json.loads(line) for line in (SHARED / "csabstruct" / "test.jsonl").read_text().splitlines()]
    found = documents(lines(*(each | {"docno": str(number)} for number, each in enumerate(given))), limit=10**8)
    assert [(each["sentences"], each["labels"]) for each in found] == [
        ([sentence.strip() for sentence in each["sentences"]], each["labels"]) for each in given
    ]


def test_an_element_around_headline_and_text_is_not_the_text():
    """As AQUAINT's documents are written."""
    trec = (
        "<DOC><DOCNO> A1 </DOCNO><BODY><SLUG> bc-ice </SLUG><HEADLINE> Ice on decks </HEADLINE>"
        "<TEXT><P>Crews clear it.</P></TEXT></BODY></DOC>"
    )
    read = document(trec)
    assert (read["title"], read["sentences"]) == ("Ice on decks", ["Crews clear it."])
