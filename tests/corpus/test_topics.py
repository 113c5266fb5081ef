"""Topics in every format that tracks and tools write."""

from __future__ import annotations

import json

import pytest

from tests.corpus.conftest import case, topics
from web.errors import BadInput

OLD = """\
<top>
<head> Tipster Topic Description
<num> Number: 001
<dom> Domain: International Economics
<title> Topic: Airbus
Subsidies

<desc> Description:
Identify subsidies. Say &amp; how.

<narr> Narrative:
A relevant document names one.

<con> Concept(s):
1. Airbus

</top>

<top>
<num> Number: 302
<title> Poliomyelitis
"""
WEB = (
    '<webtrack2009><topic number="1" type="faceted"><query>obama</query><description>Find it.</description>'
    '<subtopic number="1" type="nav">One.</subtopic></topic></webtrack2009>'
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "topics_inline_markup.xml",
            [
                (
                    "1",
                    "Solubility of CO2 in sea water",
                    "How much gas dissolves?",
                    "Relevant: pH < 8 and T > 20. Not relevant: lakes.",
                ),
                ("3", "Rivers & deltas <south>", "", ""),
            ],
        ),
        (
            "topics_number_element.xml",
            [("7", "Moss on roofs", "A house owner asks.", ""), ("8", "Lichen on stone", "", "")],
        ),
        (
            "topics_text_in_topic.xml",
            [("1", "", "A gardener of sixty with a wet cellar.", ""), ("2", "", "A dry attic.", "")],
        ),
        ("topics_no_colon.txt", [("5", "Bridges in winter", "Ice on decks is relevant.", "Tunnels are not.")]),
        (
            "topics_leading_zero.txt",
            [("051", "Harbour dues", "What do ships pay?", ""), ("100", "Ferry fares", "", "")],
        ),
        (
            "topics_smart_end.txt",
            [("1", "", "Which trees grow on sand?", ""), ("2", "", "Which birds nest there?", "")],
        ),
    ],
)
def test_files_as_collections_have_them_are_read(name, expected):
    assert topics(case(name)) == expected


def test_topics_of_the_old_tracks_are_read_though_no_tag_is_closed():
    assert topics(OLD.replace("</top>", "")) == [
        ("001", "Airbus Subsidies", "Identify subsidies. Say & how.", "A relevant document names one."),
        ("302", "Poliomyelitis", "", ""),
    ]


def test_subtopics_are_no_text_of_their_topic():
    assert topics(WEB) == [("1", "obama", "Find it.", "")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"_id": "007", "text": "Two words"}', ("007", "Two words", "", "")),
        ('{"qid": 7, "query": "Two words"}', ("7", "Two words", "", "")),
        ('[{"query_id": "7", "text": "Two words"}]', ("7", "Two words", "", "")),
        ('{"id": "7", "title": "T", "description": "D.", "narrative": "N"}', ("7", "T", "D.", "N")),
        ('{"id": "7", "title": "T", "text": "D."}', ("7", "T", "D.", "")),
        ('{"question_id": "7", "query": "T", "question": "D?"}', ("7", "T", "D?", "")),
        ("007\tTwo  words\r\n", ("007", "Two words", "", "")),
        ("qid\tquery\n7\tTwo words\n", ("7", "Two words", "", "")),
        ("7\tT\tD.\tN\n", ("7", "T", "D.", "N")),
        ("number,topic\n7,Two words\n", ("7", "Two words", "", "")),
        ("<top>\n<num>7<title>Two words", ("7", "Two words", "", "")),
        ("<topics><topic number='7'><query>T</query><question>D?</question></topic></topics>", ("7", "T", "D?", "")),
        ('<topic\n number="7"\n type="x">\n<title>T</title></topic>', ("7", "T", "", "")),
        (".I 07\n.T\nT\n.W\nD.\n", ("07", "T", "D.", "")),
        ('{"id": "7", "title": "Topic: modelling"}', ("7", "Topic: modelling", "", "")),
    ],
)
def test_the_content_tells_the_format(content, expected):
    assert topics(content) == [expected]
    assert topics(("\ufeff" + content).encode("utf-16-le")) == [expected]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "f has no topics"),
        ("<html></html>", "f has no topics"),
        ("<top " * 100_000, "f has no topics"),  # took hours: each tag was followed to the end of the file
        ("\n<top><title>A</top>", 'f:2: "id" is missing'),
        ("<top><num>1</top>", "f:1: topic 1 has no text"),
        ('<topic number="1"><disease>x</disease></topic>', "topic 1 has no text.*It has disease, id"),
        ("<top><num>1 2<title>A</top>", "f:1: .*white space"),
        ('{"_id": "1", "text": "A"}\n{', "f:2: not JSON"),
        ('{"_id": "1", "text": ["A"]}', 'f:1: "text" must be text'),
        ("1\tA\n2 B\n", "f:2: the row must have 2 columns"),
        (".I 1\n.W\n.I 2\n.W\nB\n", "f:1: topic 1 has no text"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(content, reason):
    with pytest.raises(BadInput, match=reason):
        topics(content)


@pytest.mark.parametrize(
    "content",
    [
        '{"_id": "1", "text": "A"}\n{\n{"_id": "3", "text": "C"}\n',
        "1\tA\n2\n3\tC\n",
        "qid,title\n1,A\n2\n3,C\n",
        "<top><num>1<title>A</top><top><num>2</top><top><num>3<title>C</top>",
        "<topic id='1'><title>A</title></topic><topic><title>B</title></topic><topic id='3'><title>C</title></topic>",
        ".I 1\n.T\nA\n.I 2\nlost\n.W\nB\n.I 3\n.T\nC\n",
    ],
)
def test_topics_can_skip_wrong_ones_in_every_format(content):
    assert [(name, title) for name, title, *_ in topics(content, skip=1)] == [("1", "A"), ("3", "C")]
    with pytest.raises(BadInput):
        topics(content)


def test_topics_in_json_that_end_in_a_caption_word_keep_it():
    assert topics(json.dumps({"id": "1", "title": "Number theory"})) == [("1", "Number theory", "", "")]
