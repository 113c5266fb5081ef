"""Labels that stand in for a model's, to test the intervals with good and useless models. Pure.

Estimates must be right whatever the model says, so the tests need bad models, too. Qrels have query
to docno to grade.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from corpus.ordering import random_number
from scoring.measures.judged_ranks import Qrels

ANNOTATOR, NOISY, RANKS, RANDOM, CONSTANT = "annotator-1", "noisy", "ranks", "random", "constant"
REFERENCE_MODELS = {
    ANNOTATOR: "the judgments of annotator 1: as good as a person",
    NOISY: "four of five final labels; the others are those of a random pair of the query",
    RANKS: "the highest grade for the best tenth of each pool by the systems, without people",
    RANDOM: "a random grade for each pair: useless",
    CONSTANT: "the highest grade for each pair: useless",
}
KEPT = 0.8
CONSTANT_OF_RRF = 60  # Cormack, Clarke & Büttcher (SIGIR 2009)
TOP = 0.1


def noisy(final: Qrels, seed: str) -> dict[str, dict[str, int]]:
    """Each final label with probability 0.8, else that of a random pair of the same query."""
    return {
        query: {
            docno: grade
            if random_number(seed, "noise", query, docno) < KEPT
            else _chosen(list(grades.values()), random_number(seed, "label", query, docno))
            for docno, grade in grades.items()
        }
        for query, grades in final.items()
    }


def at_random(final: Qrels, grades: Sequence[int], seed: str) -> dict[str, dict[str, int]]:
    return {
        query: {
            docno: _chosen(grades, random_number(seed, "label", query, docno)) for docno in docnos
        }
        for query, docnos in final.items()
    }


def constant(final: Qrels, grade: int) -> dict[str, dict[str, int]]:
    return {query: dict.fromkeys(docnos, grade) for query, docnos in final.items()}


def by_rank(
    final: Qrels, systems: Iterable[Mapping[str, Sequence[str]]], grade: int
) -> dict[str, dict[str, int]]:
    """`grade` for the best tenth of each query's labelled documents, at least one; else 0.

    They are ranked by reciprocal rank fusion, Σ 1 / (60 + rank), ties by docno. `systems`: query to
    docnos, best first.
    """
    scores = {query: dict.fromkeys(docnos, 0.0) for query, docnos in final.items()}
    for lists in systems:
        for query, of_query in scores.items():
            for rank, docno in enumerate(lists.get(query, ()), start=1):
                if docno in of_query:
                    of_query[docno] += 1 / (CONSTANT_OF_RRF + rank)
    labels = {}
    for query, of_query in scores.items():
        best = sorted(of_query, key=lambda docno: (-of_query[docno], docno))
        top = set(best[: max(1, round(TOP * len(best)))])
        labels[query] = {docno: grade if docno in top else 0 for docno in of_query}
    return labels


def _chosen(values: Sequence[int], number: float) -> int:
    return values[int(number * len(values))]
