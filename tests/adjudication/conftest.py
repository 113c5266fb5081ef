from __future__ import annotations

import pytest

from tests import builders

GRADES = {  # by docno: what ann and bob judged; d01 is agreed, d08 is not judged by bob
    "d01": (2, 2),
    "d02": (0, 1),
    "d03": (0, 3),
    "d04": (None, 2),
    "d05": (1, 3),
    "d06": (3, 1),
    "d07": (1, 2),
}


@pytest.fixture
def pairs(query, people):
    """The pairs of the query by docno, judged as above."""
    found = {pair.document.docno: pair for pair in query.pairs.select_related("document", "query__collection")}
    for docno, (first, second) in GRADES.items():
        builders.judge(found[docno], people.ann, first)
        builders.judge(found[docno], people.bob, second)
    builders.judge(found["d08"], people.ann, 1)
    return found


@pytest.fixture
def eve(collection):
    """A second adjudicator."""
    return builders.person("eve", collection, "adjudicator")
