"""Exact nearest neighbours against sorting everything, and what files of vectors are refused."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.formats import Scored, trec_order
from retrieval.retrievers import dense
from retrieval.retrievers.dense import (
    Vectors,
    VectorsWrong,
    nearest,
    normalise,
    rank_rows,
    zero_rows,
)


def saved(folder, rows, name="vectors.npy"):
    np.save(folder / name, rows)
    return Vectors.of(folder / name)


def by_formula(rows, query, metric):
    """Scores as Python floats, one pair at a time; None for what cosine cannot say."""
    scores = []
    for row in rows.astype(np.float32).tolist():
        if metric == "l2":
            scores.append(-math.dist(row, query.tolist()))
        elif not any(row) or not query.any():
            scores.append(None)
        else:
            dot = sum(map(operator.mul, row, query.tolist()))
            scores.append(dot / math.hypot(*row) / math.hypot(*query.tolist()))
    return scores


@pytest.mark.parametrize("metric", ["cosine", "l2"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
def test_scores_are_those_of_the_formula(tmp_path, monkeypatch, metric, dtype):
    monkeypatch.setattr(dense, "CHUNK", 7)  # so that several chunks are met
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(60, 5)).astype(dtype)
    queries = chance.normal(size=(4, 5)).astype(np.float32)
    found = nearest(saved(tmp_path, rows), queries, 60, metric)
    for query, best in zip(queries, found, strict=True):
        expected = by_formula(rows, query, metric)
        assert len(best.rows) == 60
        assert best.scores.tolist() == pytest.approx([expected[row] for row in best.rows], abs=2e-6)
        assert best.scores.tolist() == sorted(best.scores.tolist(), reverse=True)


def test_cosine_and_distance_by_hand(tmp_path):
    # Against (3, 4): (4, 3) has cosine 24/25, (0, 2) 8/10, (-3, -4) −1; distances √2, √13, 10.
    vectors = saved(tmp_path, np.array([[4, 3], [0, 2], [-3, -4]], np.float32))
    query = np.array([[3, 4]], np.float32)
    ((rows, scores),) = nearest(vectors, query, 3, "cosine")
    assert rows.tolist() == [0, 1, 2]
    assert scores.tolist() == pytest.approx([0.96, 0.8, -1.0], rel=1e-6)
    ((rows, scores),) = nearest(vectors, query, 3, "l2")
    assert rows.tolist() == [0, 1, 2]
    assert scores.tolist() == pytest.approx([-math.sqrt(2), -math.sqrt(13), -10.0], rel=1e-6)


GRID = st.sampled_from([-1.0, 0.0, 0.5, 1.0])


@settings(max_examples=80)
@given(
    st.lists(st.tuples(GRID, GRID, GRID), min_size=1, max_size=40),
    st.tuples(GRID, GRID, GRID),
    st.integers(1, 12),
    st.integers(1, 9),
    st.sampled_from(["cosine", "l2"]),
)
def test_the_best_are_the_first_of_everything_sorted(tmp_path_factory, rows, query, need, size, by):
    """Few different numbers make many ties, within chunks and across them."""
    folder = tmp_path_factory.mktemp("vectors")
    matrix, asked = np.array(rows, np.float32), np.array([query], np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "CHUNK", size)
        ((found, scores),) = nearest(saved(folder, matrix), asked, need, by)
    everything = [
        (-np.float32(score), row)
        for row, score in enumerate(_exact(matrix, asked[0], by))
        if score is not None
    ]
    assert found.tolist() == [row for _, row in sorted(everything)][:need]
    assert scores.tolist() == [-score for score, _ in sorted(everything)][:need]


def _exact(rows, query, metric):
    """As `by_formula`, of the same unit vectors in 32 bits, so that ties are the same ties."""
    if metric == "l2":
        return [0.0 + s for s in by_formula(rows, query, metric)]
    units, unit = normalise(rows), normalise(query[None])[0]
    return [
        float((row.astype(np.float64) * unit).sum()) if row.any() and unit.any() else None
        for row in units
    ]


@pytest.mark.parametrize("metric", ["cosine", "l2"])
def test_equal_rows_are_tied_wherever_they_lie(tmp_path, monkeypatch, metric):
    monkeypatch.setattr(dense, "CHUNK", 13)
    row = np.random.default_rng(2).normal(size=37)
    vectors = saved(tmp_path, np.tile(row, (100, 1)).astype(np.float32))
    query = np.random.default_rng(3).normal(size=(1, 37)).astype(np.float32)
    ((rows, scores),) = nearest(vectors, query, 40, metric)
    assert len(set(scores.tolist())) == 1
    assert rows.tolist() == list(range(40))
    ((rows, _),) = nearest(vectors, query, 40, metric, tie_order=np.arange(100)[::-1].copy())
    assert rows.tolist() == list(range(99, 59, -1))


def test_near_ties_are_told_apart_by_what_the_product_cannot_tell(tmp_path):
    """Long vectors far from the origin: a float32 product alone would shuffle them."""
    base = np.full(300, 100.0, np.float32)
    rows = np.tile(base, (50, 1))
    for number in range(50):
        rows[number, number] += 0.001 * (50 - number)
    ((found, _),) = nearest(saved(tmp_path, rows), base[None], 10, "l2")
    assert found.tolist() == list(range(49, 39, -1))


@pytest.mark.parametrize("metric", ["cosine", "l2"])
def test_chunks_and_company_change_nothing(tmp_path, monkeypatch, metric):
    chance = np.random.default_rng(4)
    vectors = saved(tmp_path, chance.normal(size=(500, 24)).astype(np.float32))
    queries = chance.normal(size=(9, 24)).astype(np.float32)
    together = nearest(vectors, queries, 20, metric)
    monkeypatch.setattr(dense, "CHUNK", 33)
    for query, best in zip(queries, together, strict=True):
        ((rows, scores),) = nearest(vectors, query[None], 20, metric)
        assert rows.tolist() == best.rows.tolist()
        assert scores.tolist() == best.scores.tolist()


def test_denied_rows_and_zeros_are_never_found(tmp_path):
    vectors = saved(tmp_path, np.array([[1, 0], [0, 0], [1, 1], [2, 0]], np.float32))
    allowed = np.array([True, True, True, False])
    ((rows, _),) = nearest(vectors, np.array([[1, 0]], np.float32), 9, "cosine", allowed=allowed)
    assert rows.tolist() == [0, 2]
    ((rows, _),) = nearest(vectors, np.array([[0, 0]], np.float32), 9, "cosine")
    assert rows.tolist() == []
    ((rows, _),) = nearest(vectors, np.array([[0, 0]], np.float32), 2, "l2")
    assert rows.tolist() == [1, 0]


def test_a_list_is_in_trec_order_without_the_query_paper(tmp_path):
    vectors = saved(tmp_path, np.array([[1, 0], [1, 0], [1, 1], [1, 0]], np.float32))
    docnos = ["d", "c", "b", "a"]  # docno descending, as everywhere
    queries = [("c", np.array([1, 0], np.float32)), ("b", np.array([0, 0], np.float32))]
    lists = dict(rank_rows(vectors, docnos, iter(queries), 2, "cosine"))
    assert lists == {"c": [Scored("d", 1.0), Scored("a", 1.0)], "b": []}
    assert lists["c"] == trec_order(lists["c"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros(3, np.float32), r"its shape is \(3,\)"),
        (np.zeros((2, 2, 2), np.float32), "its shape is"),
        (np.zeros((0, 5), np.float32), "its shape is"),
        (np.zeros((2, 3), np.int64), "its type is int64; save it as float32"),
        (np.zeros((2, 3), dtype=object), "its type is object"),
        (np.asfortranarray(np.zeros((2, 3), np.float32)), "column by column"),
    ],
)
def test_a_file_of_something_else_is_refused_by_name(tmp_path, rows, message):
    with pytest.raises(VectorsWrong, match=message) as caught:
        saved(tmp_path, rows, "mine.npy")
    assert caught.value.file == "mine.npy"


def test_a_file_that_is_no_npy_or_cut_short_or_not_there_is_refused(tmp_path):
    (tmp_path / "text.npy").write_text("0.1 0.2\n")
    with pytest.raises(VectorsWrong, match=r"text\.npy: not a \.npy file"):
        Vectors.of(tmp_path / "text.npy")
    whole = saved(tmp_path, np.ones((10, 4), np.float32)).path
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(VectorsWrong, match="8 complete rows, but its header says 10"):
        Vectors.of(whole)
    with pytest.raises(VectorsWrong, match="No such file"):
        Vectors.of(tmp_path / "absent.npy")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.nan, "not finite"),
        (np.inf, "not finite"),
        (1e300, "beyond the range of 32 bits"),
        (1e20, r"longer than 1e\+15"),
    ],
)
def test_a_number_that_cannot_be_compared_is_refused_with_its_row(
    tmp_path, monkeypatch, bad, message
):
    monkeypatch.setattr(dense, "CHUNK", 4)
    rows = np.ones((10, 3), np.float64)
    rows[6, 1] = bad
    with pytest.raises(VectorsWrong, match=message) as caught:
        list(zero_rows(saved(tmp_path, rows)))
    assert caught.value.row == 7
    assert "vectors.npy, row 7:" in str(caught.value)
