"""Each measure against its definition, document by document, over many small lists."""

from __future__ import annotations

import random
from math import inf, isnan, log2, nan

import numpy as np
import pytest

from scoring.measures import computations
from scoring.measures.judged_ranks import JudgedDocuments

DOCNOS = "abcdefgh"


def cases(number: int = 60):
    """Qrels and lists of up to 5 queries; some have no list, an empty one, or nothing relevant."""
    draw = random.Random(11)
    for _ in range(number):
        queries = [f"q{number}" for number in range(draw.randrange(1, 6))]
        qrels = {
            query: {
                docno: draw.randrange(-1, 4) for docno in draw.sample(DOCNOS, draw.randrange(1, 8))
            }
            for query in queries
        }
        lists = [
            (query, draw.sample(DOCNOS + "xyz", draw.randrange(0, 9)))
            for query in [*queries, "unknown"]
            if draw.random() < 0.8
        ]
        draw.shuffle(lists)
        yield qrels, lists


def gain(grades, docno):
    return max(0, grades.get(docno, 0))


def discounted(gains, cutoff, discount):
    return sum(
        value / discount(rank) for rank, value in enumerate(gains, start=1) if rank <= cutoff
    )


def late(rank):
    return 1 if rank == 1 else log2(rank)


def by_definition(docnos, grades, name, cutoff, least):
    """The value of one query; NaN where it is undefined."""
    relevant = {docno for docno, grade in grades.items() if grade >= least}
    others = {docno for docno, grade in grades.items() if 0 <= grade < least}
    hits = [docno in relevant for docno in docnos]
    k = inf if cutoff is None else cutoff
    top = [hit for rank, hit in enumerate(hits, start=1) if rank <= k]
    places = [rank for rank, hit in enumerate(hits, start=1) if hit]
    ideal = sorted((gain(grades, docno) for docno in grades), reverse=True)
    if name == "judged_share":
        seen = [docno in grades for rank, docno in enumerate(docnos, start=1) if rank <= k]
        return sum(seen) / len(seen) if seen else 0
    if name in ("ndcg", "pool_ndcg"):
        discount = late if name == "pool_ndcg" else lambda rank: log2(rank + 1)
        if name == "pool_ndcg":
            k = len(grades) * cutoff // 100
        best = discounted(ideal, k, discount)
        if best == 0:
            return 0 if name == "pool_ndcg" and relevant else nan
        return discounted([gain(grades, docno) for docno in docnos], k, discount) / best
    if not relevant:
        return nan
    match name:
        case "precision":
            return sum(top) / cutoff
        case "recall":
            return sum(top) / len(relevant)
        case "success":
            return float(any(top))
        case "average_precision":
            precisions = [sum(hits[:rank]) / rank for rank in places if rank <= k]
            return sum(precisions) / len(relevant)
        case "reciprocal_rank":
            return 1 / places[0] if places and places[0] <= k else 0
        case "r_precision":
            return sum(hits[: len(relevant)]) / len(relevant)
        case "rbp":
            return sum(0.3 * 0.7 ** (rank - 1) for rank in places if rank <= k)
        case "precision_at_last_relevant":
            return len(places) / places[-1] if places else 0
        case "bpref":
            bound = min(len(relevant), len(others))
            lost = 0.0
            for rank in places:
                above = sum(docno in others for docno in docnos[:rank])
                lost += min(above, len(relevant)) / bound if above else 0
            return (len(places) - lost) / len(relevant)
    raise AssertionError(name)


COMPUTED = {
    "precision": lambda ranks, k, least: computations.precision(ranks, k, least),
    "recall": lambda ranks, k, least: computations.recall(ranks, k, least),
    "success": lambda ranks, k, least: computations.success(ranks, k, least),
    "average_precision": lambda ranks, k, least: computations.average_precision(ranks, k, least),
    "reciprocal_rank": lambda ranks, k, least: computations.reciprocal_rank(ranks, k, least),
    "rbp": lambda ranks, k, least: computations.rbp(ranks, 0.7, k, least),
    "r_precision": lambda ranks, _, least: computations.r_precision(ranks, least),
    "bpref": lambda ranks, _, least: computations.bpref(ranks, least),
    "precision_at_last_relevant": lambda ranks, _, least: computations.precision_at_last_relevant(
        ranks, least
    ),
    "ndcg": lambda ranks, k, _: computations.ndcg(ranks, k),
    "judged_share": lambda ranks, k, _: computations.judged_share(ranks, k),
    "pool_ndcg": lambda ranks, k, least: computations.pool_ndcg(ranks, 20 * k, least),
}
ALWAYS_CUT = ("precision", "recall", "success", "pool_ndcg")


@pytest.mark.parametrize("name", COMPUTED)
def test_each_value_is_that_of_the_definition(name):
    undefined = 0
    for qrels, lists in cases():
        judged = JudgedDocuments(qrels)
        ranks = judged.ranks_of(lists)
        listed = dict(lists)
        for cutoff in (1, 2, 3, 5, *([] if name in ALWAYS_CUT else [None])):
            for least in (1, 2, 3):
                found = COMPUTED[name](ranks, cutoff, least)
                expected = [
                    by_definition(
                        listed.get(query, []),
                        qrels[query],
                        name,
                        20 * cutoff if name == "pool_ndcg" else cutoff,
                        least,
                    )
                    for query in judged.queries
                ]
                np.testing.assert_allclose(found, expected, atol=1e-12)
                undefined += sum(map(isnan, expected))
    assert (undefined > 0) == (name != "judged_share")


def test_a_perfect_ranking_has_exactly_1():
    grades = {docno: 3 - place // 2 for place, docno in enumerate(DOCNOS)}
    ranks = JudgedDocuments({"q": grades}).ranks_of([("q", DOCNOS)])
    for percent in (20, 50, 100):
        assert computations.pool_ndcg(ranks, percent, 1).tolist() == [1]
    assert computations.ndcg(ranks, None).tolist() == computations.ndcg(ranks, 5).tolist() == [1]
    assert computations.average_precision(ranks, None, 1).tolist() == [1]


def test_the_columns_are_those_of_the_lists():
    for qrels, lists in cases(30):
        judged, listed = JudgedDocuments(qrels), dict(lists)
        ranks = judged.ranks_of(lists)
        assert judged.queries == sorted(qrels)
        assert ranks.queries == len(qrels)
        assert ranks.has_list.tolist() == [query in listed for query in judged.queries]
        assert ranks.lengths.tolist() == [len(listed.get(query, ())) for query in judged.queries]
        entries = [
            (number, rank, qrels[query][docno])
            for number, query in enumerate(judged.queries)
            for rank, docno in enumerate(listed.get(query, ()), start=1)
            if docno in qrels[query]
        ]
        assert list(zip(ranks.query, ranks.rank, ranks.grade, strict=True)) == entries
        ideal = [
            (number, rank, grade)
            for number, query in enumerate(judged.queries)
            for rank, grade in enumerate(sorted(qrels[query].values(), reverse=True), start=1)
        ]
        assert list(zip(judged.query, judged.ideal_rank, judged.grade, strict=True)) == ideal
        found = [sum(entry[0] == number for entry in entries) for number in range(len(qrels))]
        assert ranks.unjudged.tolist() == [a - b for a, b in zip(ranks.lengths, found, strict=True)]
        assert ranks.lacking.tolist() == [
            len(qrels[query]) - number if query in listed else 0
            for query, number in zip(judged.queries, found, strict=True)
        ]
        condensed = ranks.condensed()
        without = [
            (q, [d for d in listed[q] if d in qrels[q]]) for q in judged.queries if q in listed
        ]
        expected = judged.ranks_of(without)
        for column in ("query", "rank", "grade", "lengths", "has_list"):
            assert getattr(condensed, column).tolist() == getattr(expected, column).tolist()
