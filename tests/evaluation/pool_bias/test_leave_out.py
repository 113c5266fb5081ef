import numpy as np
import pytest

from adjudication.retriever_yield import yields
from evaluation.pool_bias.computation.effects import effects, ranking_correlation
from evaluation.pool_bias.computation.leave_out import (
    ScoredSystems,
    by_query,
    drawn_documents,
    unique_documents,
)
from evaluation.pool_bias.computation.reduced_scores import (
    SourcedLabels,
    UpperBounds,
    reduced_values,
    system_scores,
)
from evaluation.pool_bias.computation.report_measures import ScopedRanks, is_closed, measures_for
from evaluation.pool_bias.computation.sourced_pools import (
    SourcedDocument,
    SourcedPool,
    grades_by_pair,
    source_candidates,
    sources_of,
)
from scoring.measures.judged_ranks import JudgedDocuments


def a_document(docno, drawer, *others, deeper=()):
    finders = frozenset([drawer, *others])
    return SourcedDocument(docno, drawer, finders, finders | set(deeper), is_forced=False)


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
    assert POOL.docnos == ["d1", "d2", "d3"]


def test_the_yields_are_those_of_the_pages_about_retrievers():
    rows = yields(source_candidates([POOL]), grades_by_pair([POOL], QRELS), relevant_from=2)
    assert [(row.source, row.drawn, row.judged, row.relevant, row.alone) for row in rows] == [
        ("bm25", 2, 4, 2, 1),
        ("word", 1, 2, 2, 2),
    ]


def test_all_that_a_group_drew_is_dropped_whoever_else_found_it():
    assert drawn_documents([POOL], ["bm25"]) == {"q": {"d1", "d3"}}
    assert drawn_documents([POOL], ["word", "bm25"]) == {"q": {"d1", "d2", "d3"}}
    assert drawn_documents([POOL], ["cited"]) == {}
    assert unique_documents([POOL], ["bm25"]) == {"q": {"d3"}}
    assert unique_documents([POOL], ["cited"]) == {}


def test_a_document_is_dropped_from_all_queries_of_its_paper():
    other = SourcedPool("other", ("other_method",), POOL.documents)
    dropped = {"q": {"d2"}, "elsewhere": {"d1"}}
    assert by_query(dropped, [POOL, other]) == {"q_background": {"d2"}, "q_method": {"d2"}}


LISTS = {
    "bm25": {
        "q_background": ["d1", "d3", "x", "d2"],
        "q_method": ["d3", "d1"],
        "elsewhere_method": ["d1"],
    },
    "word": {"q_background": ["x", "d2", "d1"], "q_method": ["d2", "y", "d1", "d3"]},
    "new": {"q_background": ["d2", "d3"]},
}


def scored(qrels):
    labels = SourcedLabels(qrels, relevant_from=2, highest=3)
    measures = measures_for(2, ["background"])
    pooled = {query: {"d1", "d2", "d3"} for query in qrels}
    ranks, values = {}, {}
    for system, lists in LISTS.items():
        upper = UpperBounds(labels, {}, pooled)
        ranks[system] = ScopedRanks.of(labels.ranks_of(upper.reading(lists.items())))
        values[system] = system_scores(labels, ranks[system], measures, upper).per_query
    return ScoredSystems(labels, ranks, values, measures)


def in_scope(measure, docnos, pool):
    return [docno for docno in docnos if docno in pool] if is_closed(measure) else docnos


def means_of(measure, system, labels, queries, *, condensed=False):
    """The mean by `score_lists`, for lists that are restricted here."""
    lists = {}
    for query, docnos in LISTS[system].items():
        if query not in labels:
            continue
        full = QRELS[query]
        kept = in_scope(measure, docnos, full)
        lists[query] = [d for d in kept if d in labels[query]] if condensed else kept
    judged = JudgedDocuments(
        {query: labels[query] for query in queries},
        np.array([len(QRELS[query]) for query in sorted(queries)]),
    )
    values = measure.compute(judged.ranks_of(lists.items()))
    return sum(np.nan_to_num(values)) / len(queries)


@pytest.mark.parametrize("way", [unique_documents, drawn_documents])
@pytest.mark.parametrize("group", [("bm25",), ("word",)])
def test_every_value_without_a_source_is_that_of_the_labels_that_are_left(way, group):
    systems = scored({name: QRELS[name] for name in POOL.queries})
    dropped = way([POOL], group)["q"]
    left = {
        query: {docno: grade for docno, grade in QRELS[query].items() if docno not in dropped}
        for query in POOL.queries
    }
    queries = [query for query in left if max(left[query].values(), default=0) >= 2]

    payload = systems.without({"q": dropped}, [POOL], group)

    relevant = sum(QRELS[query][docno] >= 2 for query in POOL.queries for docno in dropped)
    assert (payload["labels"], payload["relevant"]) == (2 * len(dropped), relevant)
    assert (payload["queries"], payload["lost"]) == (len(queries), 2 - len(queries))
    for measure in systems.measures:
        rows = {row["system"]: row for row in payload["measures"][measure.name]["systems"]}
        for system, row in rows.items():
            assert row["score"] == pytest.approx(means_of(measure, system, QRELS, queries))
            reduced = means_of(measure, system, left, queries)
            assert row["reduced_score"] == pytest.approx(reduced)
            condensed = means_of(measure, system, left, queries, condensed=True)
            assert row["reduced_condensed"] == pytest.approx(condensed)
            assert row["is_left_out"] == (system in group)


def test_a_source_that_is_a_system_has_its_change_with_an_interval():
    systems = scored({name: QRELS[name] for name in POOL.queries})
    without = systems.without({"q": {"d3"}}, [POOL], ["bm25", "cited"])
    assert without["own"].keys() == {"bm25"}
    own = without["own"]["bm25"]
    rows = {row["system"]: row for row in without["measures"]["nDCG@20"]["systems"]}
    change = rows["bm25"]["reduced_score"] - rows["bm25"]["score"]
    assert own["change"] == pytest.approx(change)
    assert own["change"] < 0  # d3 is relevant, and bm25 has it near the top
    assert own["score"] == pytest.approx(rows["bm25"]["score"])
    assert own["low"] < own["change"] < own["high"]
    # Of q_background's four documents, d1 and d2 are judged, and of q_method's two, d1.
    assert own["judged"] == pytest.approx((2 / 4 + 1 / 2) / 2)


def test_a_query_that_loses_all_relevant_documents_counts_as_0_in_the_change_of_a_source():
    systems = scored({"elsewhere_method": {"d1": 2, "d2": 1}, "q_background": {"d1": 3, "d2": 2}})
    lost = systems.without({"e": {"d1"}}, [SourcedPool("e", ("elsewhere_method",), ())], ["bm25"])
    own = lost["own"]["bm25"]
    (row,) = [r for r in lost["measures"]["nDCG@20"]["systems"] if r["system"] == "bm25"]
    assert row["score"] == row["reduced_score"]  # over the query that is left
    values = systems.per_query["bm25"]["nDCG@20"]
    assert own["change"] == pytest.approx(-values[0] / 2)
    assert own["score"] == pytest.approx(values.mean())


def test_a_cut_off_at_a_share_of_the_pool_stays_when_labels_are_left_out():
    """With 10 documents in the pool, NDCG%20 has two ranks, also when five labels are left out."""
    grades = {f"d{number}": 2 for number in range(10)}
    labels = SourcedLabels({"q": grades}, relevant_from=2, highest=3)
    ranks = ScopedRanks.of(labels.ranks_of([("q", ["d9", "x", *(f"d{n}" for n in range(9))])]))
    (measure,) = [
        measure for measure in measures_for(2, ["background"]) if measure.name == "NDCG%20"
    ]
    dropped = {f"d{number}" for number in range(5, 10)}
    values = reduced_values(labels.without({"q": dropped}), ranks, [measure])
    # d9 lost its label, and d0 is second in the pool: gain 2 of the ideal 2 + 2.
    assert values.standard[measure.name] == pytest.approx([0.5])
    assert values.condensed[measure.name] == pytest.approx([1])


def test_a_query_counts_if_it_keeps_a_document_of_the_lowest_relevant_grade_for_every_measure():
    labels = {"a": {"d1": 2, "d2": 1}, "b": {"d1": 3, "d2": 2}}
    systems = scored(labels)
    pools = [SourcedPool("a", ("a",), ()), SourcedPool("b", ("b",), ())]
    without = systems.without({"a": {"d1"}}, pools, ["bm25"])
    # Query a keeps a document of grade 1, which has a gain but is not relevant.
    assert (without["queries"], without["lost"]) == (1, 1)
    for measure in without["measures"].values():
        assert all(row["score"] == row["reduced_score"] for row in measure["systems"])


def test_an_effect_has_both_scores_and_ranks_and_marks_the_source_itself():
    full = {"a": 0.5, "b": 0.4, "c": 0.4}
    condensed = {"a": 0.6, "b": 0.4, "c": 0.3}
    rows = effects(full, {"a": 0.2, "b": 0.4, "c": 0.3}, condensed, left_out=["a"])
    assert [(row.system, row.rank, row.reduced_rank, row.is_left_out) for row in rows] == [
        ("a", 1, 3, True),
        ("b", 2, 1, False),
        ("c", 2, 2, False),
    ]
    assert rows[0].change == pytest.approx(-0.3)
    assert rows[0].rank_change == 2
    assert rows[0].reduced_condensed == 0.6
    assert ranking_correlation({"a": 1.0}, {"a": 1.0}).undefined == "fewer than two systems"
