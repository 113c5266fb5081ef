from __future__ import annotations

import pytest

from tests import builders


@pytest.fixture
def queries(collection, papers):
    """d00 under its method and d01 under its background; d00 cites d05 and d11, and a document that is not here."""
    papers[0].cites = ["d05", "elsewhere", "d11"]
    papers[0].save()
    return [builders.query(collection, papers[0]), builders.query(collection, papers[1], "background")]


@pytest.fixture
def runs(collection, queries):
    """bm25 ranks the documents upwards and tfidf downwards; tfidf has only three for the second query."""
    first, second = queries
    up = [f"d{number:02}" for number in range(2, 12)]
    return [
        builders.run(collection, "bm25", {first: up, second: up}),
        builders.run(collection, "tfidf", {first: up[::-1], second: up[:3]}),
    ]
