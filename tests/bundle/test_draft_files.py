from __future__ import annotations

import pytest

from bundle.zip.draft_files import draft_folder


def test_parts_are_found_by_their_keys_in_any_order_and_between_writing(tmp_path):
    with draft_folder(tmp_path) as folder, folder.parts_by_key() as parts:
        parts["b"] = b"second"
        parts["a"] = b""
        assert parts["b"] == b"second"
        parts["c"] = "größer".encode()
        assert [parts[key] for key in ("c", "a", "b")] == ["größer".encode(), b"", b"second"]
        with pytest.raises(KeyError):
            parts["d"]


def test_nothing_is_left_of_a_draft_folder(tmp_path):
    with draft_folder(tmp_path) as folder, folder.parts_by_key() as parts:
        parts["a"] = b"text"
        folder.write([b"text"])
    assert list(tmp_path.iterdir()) == []
