"""Many queries of TF-IDF ranked together, compared with each by itself over more than a chunk."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.retrievers.term_columns import CHUNK, TermColumns, WeightedTerms
from retrieval.retrievers.tfidf import top_ordinals

DOCUMENTS = CHUNK + 5_000
SHARES = [0.9, 0.5, 0.2, 0.05, 0.039, 0.01, 0.001, 0.0001, 0.00002]


@pytest.fixture(scope="module")
def columns() -> TermColumns:
    """Columns of terms from frequent to rare. Coarse weights make many scores equal."""
    chance = np.random.default_rng(73)
    ordinals = [
        np.flatnonzero(chance.random(DOCUMENTS) < share).astype(np.int32) for share in SHARES
    ]
    starts = np.concatenate(([0], np.cumsum([len(column) for column in ordinals])))
    weights = (chance.integers(1, 4, int(starts[-1])) / 10).astype(np.float32)
    return TermColumns(starts, np.concatenate(ordinals), weights)


@pytest.mark.parametrize("need", [1, 20, 501, DOCUMENTS])
def test_the_candidates_have_the_best_documents_with_their_scores_to_the_last_bit(columns, need):
    chance = np.random.default_rng(need)
    queries = []
    for size in (1, 2, 4, len(SHARES)):
        terms = np.sort(chance.choice(len(SHARES), size, replace=False)).astype(np.int32)
        weights = chance.integers(1, 4, size).astype(np.float32)
        queries.append(WeightedTerms(terms, weights / np.linalg.norm(weights)))
    queries.append(WeightedTerms(np.zeros(0, np.int32), np.zeros(0, np.float32)))
    found = columns.candidates(queries, need, DOCUMENTS)
    for query, candidates in zip(queries, found, strict=True):
        scores = columns.cosines(*query, DOCUMENTS)
        expected = top_ordinals(scores, need)
        own = columns.cosines_of(candidates, *query)
        assert own.tolist() == scores[candidates].tolist()
        assert [int(candidates[place]) for place in top_ordinals(own, need)] == expected
