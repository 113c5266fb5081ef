"""Run files as they come, and as they go out."""

import gzip
import io
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.formats import (
    LONGEST_LINE,
    RunFormatError,
    RunLine,
    Scored,
    float32,
    ranked,
    read_run,
    trec_order,
    write_run,
)

TWO_LINES = b"3264891 Q0 11 1 2.5 bm25\n3264891\tQ0   007  2 1e-1\tbm25\r\n"
PARSED = [RunLine("3264891", "11", 2.5), RunLine("3264891", "007", 0.1)]


def read(data: bytes) -> list[RunLine]:
    return list(read_run(io.BytesIO(data), name="a.run"))


def error(data: bytes) -> RunFormatError:
    with pytest.raises(RunFormatError) as caught:
        read(data)
    return caught.value


def test_columns_are_separated_by_any_white_space_and_ids_stay_strings():
    assert read(TWO_LINES) == PARSED


def test_gzip_is_told_by_its_first_bytes_and_not_by_the_name(tmp_path):
    (tmp_path / "packed.run").write_bytes(gzip.compress(TWO_LINES))
    (tmp_path / "plain.gz").write_bytes(TWO_LINES)
    assert list(read_run(tmp_path / "packed.run", name="x")) == PARSED
    assert list(read_run(str(tmp_path / "plain.gz"), name="x")) == PARSED


def test_a_stream_is_read_from_where_it_stands_and_left_open():
    stream = io.BytesIO(b"###" + gzip.compress(TWO_LINES))
    stream.seek(3)
    assert list(read_run(stream, name="x")) == PARSED
    assert not stream.closed


def test_lines_are_read_one_at_a_time():
    lines = read_run(io.BytesIO(TWO_LINES + b"broken\n"), name="x")
    assert [next(lines), next(lines)] == PARSED


def test_a_byte_order_mark_and_blank_lines_are_not_data():
    assert read(b"\xef\xbb\xbf" + TWO_LINES + b"\n  \n") == PARSED


def test_the_last_line_may_lack_its_newline():
    assert read(TWO_LINES.rstrip()) == PARSED


def test_a_no_break_space_is_part_of_an_id():
    assert read("q Q0 a\u00a0b 1 1 t".encode())[0].docno == "a\u00a0b"


@pytest.mark.parametrize("data", [b"", b"\n \n", gzip.compress(b"", mtime=0), b"\xef\xbb\xbf"])
def test_a_file_without_lines_is_an_error(data):
    assert str(error(data)) == "a.run: no lines; write at least one line"


@pytest.mark.parametrize("line", [b"q Q0 d 1 2.0", b"q Q0 d 1 2.0 tag more", b"q,Q0,d,1,2,t"])
def test_a_wrong_number_of_columns_names_file_and_line(line):
    caught = error(TWO_LINES + line + b"\n")
    assert (caught.file, caught.line) == ("a.run", 3)
    assert "a run must have 6 columns" in caught.problem
    assert str(caught).startswith("a.run:3: ")


@pytest.mark.parametrize("score", ["nan", "inf", "-Infinity", "1e999", "high", "1_000", "1,5", "١"])
def test_a_score_that_is_no_finite_number_is_an_error(score):
    caught = error(f"q Q0 d 1 {score} t".encode())
    assert caught.line == 1
    assert repr(score) in caught.problem


def test_the_rank_column_is_ignored_whatever_is_in_it():
    assert read(b"q Q0 d first 1 t") == [RunLine("q", "d", 1.0)]


def test_bytes_that_are_not_utf8_are_an_error():
    caught = error(TWO_LINES + b"q Q0 \xe9 1 1 t\n")
    assert (caught.line, "UTF-8" in caught.problem) == (3, True)


def test_a_line_without_end_is_refused_before_it_fills_memory():
    caught = error(b"x" * (LONGEST_LINE * 3))
    assert (caught.line, "longer than" in caught.problem) == (1, True)


def test_gzip_data_cut_short_are_an_error_with_a_line():
    packed = gzip.compress(
        b"".join(b"q Q0 %d 1 %d t\n" % (i, i * 7919 % 1000) for i in range(9999))
    )
    caught = error(packed[: len(packed) // 2])
    assert caught.line > 1
    assert "gzip" in caught.problem


def test_damaged_gzip_data_are_an_error():
    packed = bytearray(gzip.compress(TWO_LINES))
    packed[-6] ^= 0xFF  # in the checksum
    assert "gzip" in error(bytes(packed)).problem


def test_a_list_is_sorted_by_score_and_then_by_docno_downwards():
    lines = [
        RunLine("q", docno, score) for docno, score in [("9", 1), ("10", 1), ("2", 3), ("a", 1)]
    ]
    assert [scored.docno for scored in ranked(lines).lists["q"]] == ["2", "a", "9", "10"]


def test_scores_that_are_equal_as_32_bit_numbers_are_tied():
    assert 0.1 < 0.1 + 1e-10  # as Python compares them
    assert trec_order([Scored("a", 0.1 + 1e-10), Scored("b", 0.1)]) == [
        ("b", 0.1),
        ("a", 0.1 + 1e-10),
    ]


def test_a_score_beyond_32_bits_is_infinite_to_trec_eval():
    assert (float32(1e39), float32(-1e39)) == (math.inf, -math.inf)


def test_of_repeated_lines_the_highest_scored_counts_and_the_rest_are_counted():
    lines = [
        RunLine("q", "a", 1),
        RunLine("q", "b", 2),
        RunLine("q", "a", 3),
        RunLine("q", "a", 3 + 1e-9),  # the same as float32: the first stays
        RunLine("r", "a", 1),  # another topic is no repetition
    ]
    run = ranked(lines)
    lists = {topic: list(ranking) for topic, ranking in run.lists.items()}
    assert lists == {"q": [("a", 3), ("b", 2)], "r": [("a", 1)]}
    assert run.duplicates == 2


def test_a_written_run_has_sorted_topics_and_ranks_from_one():
    lists = {"q2": [Scored("a", 0.5)], "q1": [Scored("a", 0.5), Scored("b", 2.0), Scored("c", 0.5)]}
    assert list(write_run(lists, tag="bm25")) == [
        "q1 Q0 b 1 2.0 bm25\n",
        "q1 Q0 c 2 0.5 bm25\n",
        "q1 Q0 a 3 0.5 bm25\n",
        "q2 Q0 a 1 0.5 bm25\n",
    ]


@pytest.mark.parametrize("docno", ["", "a b", " a", "a\n"])
def test_an_id_that_would_break_the_columns_is_not_written(docno):
    with pytest.raises(ValueError, match="column"):
        list(write_run({"q": [Scored(docno, 1.0)]}, tag="t"))


def test_a_score_that_cannot_be_read_back_is_not_written():
    with pytest.raises(ValueError, match="nan"):
        list(write_run({"q": [Scored("a", math.nan)]}, tag="t"))


ids = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=5)
scores = st.floats(allow_nan=False, allow_infinity=False)
runs = st.dictionaries(ids, st.dictionaries(ids, scores, min_size=1, max_size=6), max_size=4)


@given(runs.filter(bool))
def test_what_is_written_is_read_back_the_same(run):
    lists = {
        topic: trec_order(Scored(*pair) for pair in docs.items()) for topic, docs in run.items()
    }
    data = "".join(write_run(lists, tag="t")).encode()
    again = ranked(read(data))
    assert {topic: list(ranking) for topic, ranking in again.lists.items()} == lists
    assert again.duplicates == 0


@given(st.binary(max_size=200))
def test_any_bytes_are_lines_or_a_format_error(data):
    with suppress(RunFormatError):
        assert read(data)
