import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundle.formats.records import (
    UnwritableId,
    write_adjudications,
    write_json,
    write_pools,
    write_qrels,
    write_ratings,
)
from bundle.pseudonyms import pseudonyms
from bundle.records import Adjudication, FoundBy, Label, PooledDocument, Rating
from bundle.zip.writing import BadName, pack, sha256

names = st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8}\.txt)?", fullmatch=True)


@given(st.dictionaries(names, st.binary(max_size=50)), st.randoms())
def test_the_order_of_the_files_changes_no_byte(files, random):
    shuffled = list(files.items())
    random.shuffle(shuffled)

    assert pack(dict(shuffled)) == pack(files)


def test_the_bytes_of_a_zip_are_these():
    """Pinned: whatever changes this changes the checksum of every release."""
    packed = pack({"b.txt": b"b\n" * 100, "a/c.txt": "ä".encode()})

    assert sha256(packed) == "2f6ae91080295739b19270c042b0529ce35f53ea5ffcfee321647a0335907152"


def test_the_zip_holds_the_files_uncompressed_sorted_and_dateless():
    packed = pack({"b.txt": b"b", "a/c.txt": b"c"})

    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        entries = archive.infolist()
        assert [entry.filename for entry in entries] == ["a/c.txt", "b.txt"]
        assert archive.read("a/c.txt") == b"c"
    for entry in entries:
        assert entry.compress_type == zipfile.ZIP_STORED
        assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        assert (entry.create_system, entry.external_attr >> 16) == (3, 0o100644)


@pytest.mark.parametrize("name", ["/a", "../a", "a/../b", "a\\b", "", "a//b", "ä", ".a", "a/"])
def test_a_name_that_could_unpack_elsewhere_is_refused(name):
    with pytest.raises(BadName):
        pack({name: b""})


def test_qrels_are_sorted_by_query_then_docno_as_text():
    labels = [Label("q2_m", "m", "1", 1), Label("q1_m", "m", "10", 3), Label("q1_m", "m", "9", 0)]

    assert write_qrels(labels) == b"q1_m 0 10 3\nq1_m 0 9 0\nq2_m 0 1 1\n"


ids = st.text(st.characters(min_codepoint=33, exclude_categories=["Z", "C"]), min_size=1)


@given(st.lists(st.tuples(ids, ids), unique=True))
def test_qrels_are_in_the_order_of_a_plain_byte_sort(pairs):
    lines = write_qrels(Label(query, "m", docno, 1) for query, docno in pairs).splitlines(True)

    assert lines == sorted(lines)


@pytest.mark.parametrize("docno", ["a b", "a\tb", "", " a", "a\n"])
def test_an_id_that_would_break_a_line_is_refused(docno):
    with pytest.raises(UnwritableId):
        write_qrels([Label("q_m", "m", docno, 1)])


def test_a_pool_line_says_who_drew_the_document_and_who_else_has_it():
    sources = (FoundBy("tfidf", 9, 0.1, False), FoundBy("bm25", 2, 7.25, True))

    lines = write_pools([PooledDocument("q1", "d1", 1, "", sources)])

    assert lines == (
        b'{"query_paper": "q1", "docno": "d1", "position": 1, "drawn_by": "bm25", "excluded": "", '
        b'"inclusion": null, "sources": ['
        b'{"source": "bm25", "rank": 2, "score": 7.25, "drawn": true}, '
        b'{"source": "tfidf", "rank": 9, "score": 0.1, "drawn": false}]}\n'
    )


def test_a_score_that_is_no_number_is_not_written():
    with pytest.raises(ValueError, match="JSON"):
        write_pools([PooledDocument("q1", "d1", 1, "", (FoundBy("x", 1, float("nan"), True),))])


def test_pools_are_sorted_by_query_paper_then_position():
    documents = [PooledDocument("q2", "a", 1, "", ()), PooledDocument("q1", "b", 2, "", ())]
    documents.append(PooledDocument("q1", "c", 1, "", ()))

    lines = [json.loads(line) for line in write_pools(documents).splitlines()]

    assert [line["docno"] for line in lines] == ["c", "b", "a"]


def test_ratings_are_csv_with_empty_fields_for_what_is_missing():
    ratings = [
        Rating("q_m", "m", "d1", 2, "annotator-1", None, "garbled", 3, None, "f00", 1),
        Rating("q_m", "m", 'd,"1', 1, "annotator-2", 2, "", 1, 0.1, "f00", 2, "2 5"),
    ]

    assert write_ratings(ratings) == (
        b"query,facet,docno,slot,annotator,grade,reason,sequence,seconds,presentation_digest,"
        b"guideline,aspects\r\n"
        b'q_m,m,"d,""1",1,annotator-2,2,,1,0.1,f00,2,2 5\r\n'
        b"q_m,m,d1,2,annotator-1,,garbled,3,,f00,1,\r\n"
    )


def test_adjudications_are_csv():
    decision = Adjudication("q_m", "m", "d1", "adjudicator-1", 0, "", 1, None, True)

    assert write_adjudications([decision]) == (
        b"query,facet,docno,adjudicator,grade,reason,first,second,overruled\r\n"
        b"q_m,m,d1,adjudicator-1,0,,1,,true\r\n"
    )


def test_every_format_is_utf_8_in_the_order_of_its_bytes():
    """ﬀ (U+FB00) comes before 𝔸 (U+1D538) by code point, as in UTF-8, and after it in UTF-16."""
    labels = [Label("q_m", "m", docno, 1) for docno in ("𝔸", "ﬀ", "é", "z")]
    sources = (FoundBy("häufig", 1, 0.5, True),)
    rating = Rating("q_m", "m", "é", 1, "annotator-1", None, "other", 1, None, "f00", 1)

    assert write_qrels(labels) == (
        b"q_m 0 z 1\nq_m 0 \xc3\xa9 1\nq_m 0 \xef\xac\x80 1\nq_m 0 \xf0\x9d\x94\xb8 1\n"
    )
    assert b'"docno": "\xc3\xa9"' in write_pools([PooledDocument("q", "é", 1, "", sources)])
    assert b'"source": "h\xc3\xa4ufig"' in write_pools([PooledDocument("q", "é", 1, "", sources)])
    assert b"q_m,m,\xc3\xa9,1," in write_ratings([rating])
    assert write_json({"é": "ﬀ"}) == b'{\n  "\xc3\xa9": "\xef\xac\x80"\n}\n'


def test_json_does_not_depend_on_the_order_of_keys():
    assert write_json({"b": 0.1, "a": "ä"}) == write_json({"a": "ä", "b": 0.1})


def test_pseudonyms_do_not_follow_names_or_ids():
    deeds = [(person, f"q_m d{person}") for person in range(1, 9)]

    named = pseudonyms("annotator", deeds, seed="seed")

    assert sorted(named.values()) == [f"annotator-{n}" for n in range(1, 9)]
    assert [named[person] for person in range(1, 9)] != sorted(named.values())


def test_pseudonyms_are_the_same_for_other_ids_and_another_order():
    deeds = [(1, "a"), (1, "b"), (2, "c"), (3, "d")]
    moved = [(30, "d"), (20, "c"), (10, "b"), (10, "a")]

    named = pseudonyms("annotator", deeds, seed="seed")
    again = pseudonyms("annotator", moved, seed="seed")

    assert {person * 10: name for person, name in named.items()} == again
