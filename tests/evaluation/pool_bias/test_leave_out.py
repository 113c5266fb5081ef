import pytest

from adjudication.retriever_yield import yields
from evaluation.pool_bias.effects import effects, ranking_correlation
from evaluation.pool_bias.sourced_pools import (
    PooledDocument,
    SourcedPool,
    dropped_by_redrawing,
    grades_by_pair,
    source_candidates,
    sources_of,
    without_documents,
)


def a_document(docno, drawer, *others, deeper=()):
    finders = frozenset([drawer, *others])
    return PooledDocument(docno, drawer, finders, finders | set(deeper))


# `word` has d3 deeper than it drew, so `bm25` alone found d3.
POOL = SourcedPool(
    "q",
    ("q_background", "q_method"),
    (
        a_document("d1", "bm25", "word"),
        a_document("d2", "word"),
        a_document("d3", "bm25", deeper=["word"]),
    ),
)
QRELS = {
    "q_background": {"d1": 3, "d2": 2, "d3": 2},
    "q_method": {"d1": 0, "d2": 3, "d3": 1},
    "elsewhere_method": {"d1": 2},
}


def test_a_document_is_unique_to_a_group_if_no_source_outside_found_it():
    assert POOL.only_found_by(["bm25"]) == {"d3"}
    assert POOL.only_found_by(["word"]) == {"d2"}
    assert POOL.only_found_by(["bm25", "word"]) == {"d1", "d2", "d3"}
    assert POOL.only_found_by([]) == set()
    assert sources_of([POOL]) == ["bm25", "word"]


def test_the_yields_are_those_of_the_pages_about_retrievers():
    rows = yields(source_candidates([POOL]), grades_by_pair([POOL], QRELS), relevant_from=2)
    assert [(row.source, row.drawn, row.judged, row.relevant, row.alone) for row in rows] == [
        ("bm25", 2, 4, 2, 1),
        ("word", 1, 2, 2, 2),
    ]


def test_labels_of_dropped_documents_are_dropped_from_all_queries_of_the_paper():
    assert without_documents(QRELS, [POOL], {"q": {"d2", "d3"}}) == {
        "q_background": {"d1": 3},
        "q_method": {"d1": 0},
        "elsewhere_method": {"d1": 2},
    }


def test_a_pool_that_is_not_redrawn_keeps_its_documents():
    assert dropped_by_redrawing([POOL], {"q": ["d1", "new"]}) == {"q": {"d2", "d3"}}
    assert dropped_by_redrawing([POOL], {}) == {}


def test_an_effect_has_both_scores_and_ranks_and_marks_the_source_itself():
    full = {"a": 0.5, "b": 0.4, "c": 0.4}
    rows = effects(full, {"a": 0.2, "b": 0.4, "c": 0.3}, left_out=["a"])
    assert [(row.system, row.rank, row.reduced_rank, row.is_left_out) for row in rows] == [
        ("a", 1, 3, True),
        ("b", 2, 1, False),
        ("c", 2, 2, False),
    ]
    assert rows[0].change == pytest.approx(-0.3)
    assert rows[0].rank_change == 2
    assert ranking_correlation({"a": 1.0}, {"a": 1.0}).undefined == "fewer than two systems"
