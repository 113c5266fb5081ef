"""TF-IDF's product through scipy's public interface (docs/adr/0014-private-scipy.md)."""

from pathlib import Path

import numpy as np
import pytest

import retrieval
from retrieval.retrievers.tfidf import TermColumns

DOCUMENTS, TERMS = 300, 40


@pytest.fixture
def columns(tmp_path):
    """Random columns of different lengths, memory-mapped as an opened index has them."""
    chance = np.random.default_rng(7)
    ordinals = [
        np.sort(chance.choice(DOCUMENTS, chance.integers(0, DOCUMENTS), replace=False))
        for _ in range(TERMS)
    ]
    starts = np.concatenate(([0], np.cumsum([len(column) for column in ordinals])))
    arrays = {
        "starts": starts,
        "ordinals": np.concatenate(ordinals).astype(np.int32),
        "weights": chance.random(int(starts[-1]), dtype=np.float32),
    }
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
    return TermColumns(
        *(np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in TermColumns.FILES)
    )


def sums_in_order_of_terms(columns, terms, weights):
    """What Python's own float64 arithmetic adds up, rounded to float32 at the end."""
    sums = [0.0] * DOCUMENTS
    for term, weight in zip(terms.tolist(), weights.tolist(), strict=True):
        for position in range(int(columns.starts[term]), int(columns.starts[term + 1])):
            sums[int(columns.ordinals[position])] += float(columns.weights[position]) * weight
    return np.array(sums).astype(np.float32)


def test_scores_are_added_in_the_order_of_terms_to_the_last_bit(columns):
    terms = np.arange(0, TERMS, 3, dtype=np.int32)
    weights = np.random.default_rng(8).random(len(terms), dtype=np.float32)
    scores = columns.cosines(terms, weights, DOCUMENTS)
    assert scores.dtype == np.float32
    assert scores.tolist() == sums_in_order_of_terms(columns, terms, weights).tolist()


def test_a_query_without_known_terms_scores_zero_everywhere(columns):
    none = np.zeros(0, np.int32), np.zeros(0, np.float32)
    assert columns.cosines(*none, DOCUMENTS).tolist() == [0.0] * DOCUMENTS


def test_only_public_scipy_is_imported():
    """A private module of scipy may change in any release."""
    sources = Path(retrieval.__file__).parent.rglob("*.py")
    assert not [source for source in sources if "_sparsetools" in source.read_text()]
