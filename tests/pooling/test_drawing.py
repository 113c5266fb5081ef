"""The pictures of strategies, which the strategies themselves draw."""

from __future__ import annotations

import pytest

from pooling.strategies import STRATEGIES
from pooling.strategies.drawing import LISTS, QUERY_PAPER, SEED, drawing
from pooling.strategies.drawn_pool import retriever_order


def rows_of(name):
    """The positions in the pool, list by list; "." for none, "*" for one of another list."""
    cells = drawing(STRATEGIES[name])
    signs = [str(cell.sequence or ("*" if cell.is_pooled else ".")) for cell in cells]
    return [" ".join(signs[start : start + 8]) for start in range(0, len(signs), 8)]


def test_the_lists_draw_from_top_to_bottom():
    assert retriever_order(LISTS, SEED, QUERY_PAPER) == tuple(LISTS)


def test_interleaved_goes_down_and_sequential_along_the_lists():
    assert rows_of("interleaved")[0].startswith("1 4")
    assert rows_of("sequential")[0].startswith("1 2")


def test_depth_k_takes_all_of_the_first_ranks():
    assert rows_of("depth_k") == ["1 4 * . . . . .", "2 5 7 * . . . .", "3 6 8 . . . . ."]


def test_a_fusion_takes_a_deep_document_of_several_lists_before_the_best_of_one():
    assert rows_of("rrf")[2] == "4 1 . . . 3 . *"


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_has_a_picture_of_its_own(name):
    pictures = {other: rows_of(other) for other in STRATEGIES if other != name}

    assert rows_of(name) not in pictures.values()
    assert any(cell.sequence for cell in drawing(STRATEGIES[name]))
