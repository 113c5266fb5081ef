"""Lists of strings that are opened without being read."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.indexes.string_table import open_strings, write_strings

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=30)


def stored(strings):
    with tempfile.TemporaryDirectory() as folder:
        write_strings(Path(folder), "words", strings)
        return open_strings(Path(folder), "words")


@given(TEXTS)
def test_what_was_written_is_what_is_there(strings):
    there = stored(strings)
    assert list(there) == strings
    assert len(there) == len(strings)
    assert there[1:-1] == strings[1:-1]


@given(TEXTS, st.text(st.characters(exclude_categories=["Cs"]), max_size=6))
def test_a_sorted_list_finds_the_place_of_every_string_it_has_and_no_other(strings, other):
    ordered = sorted({*strings, "ﬀ", "𝕏", "z"})  # UTF-16 would sort the second before the first
    there = stored(ordered)
    assert [there.index_of(string) for string in ordered] == list(range(len(ordered)))
    assert there.index_of(other) == (ordered.index(other) if other in ordered else None)


def test_a_place_beyond_the_end_is_an_index_error():
    with pytest.raises(IndexError):
        stored(["a"])[1]


@pytest.mark.parametrize("damage", ["cut", "gone", "grown"])
def test_a_damaged_list_is_an_error(tmp_path, damage):
    write_strings(tmp_path, "words", ["one", "two"])
    path = tmp_path / "words.txt"
    path.unlink() if damage == "gone" else path.write_bytes(
        b"one" if damage == "cut" else b"1234567"
    )
    with pytest.raises((OSError, ValueError)):
        open_strings(tmp_path, "words")
