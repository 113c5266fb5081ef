"""The folds of a release, in the form of CSFCube's `evaluation_splits.json`. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from evaluation.folds import FIRST, SECOND
from release.records import ReleasedFolds, ReleasedQuery

ALL = "all"
# The fold that tests the queries of a set: those that fold 2 tests are fold 1's to develop with.
TESTED_BY = {
    "fold1_dev": SECOND,
    "fold1_test": FIRST,
    "fold2_dev": FIRST,
    "fold2_test": SECOND,
}

Splits = dict[str, dict[str, list[str]]]


def splits_payload(folds: ReleasedFolds, queries: Iterable[ReleasedQuery]) -> Splits:
    """`{facet: {"fold1_dev": [query, …], "fold1_test": […], "fold2_dev": […], "fold2_test": […]}}`.

    Queries are sorted. `all` has those of every facet; a collection without facets has nothing
    else. Queries without a fold are left out, and so are facets without such a query.
    `evaluation.folds.read_splits` reads it.
    """
    tested: dict[str, dict[int, list[str]]] = defaultdict(lambda: {FIRST: [], SECOND: []})
    for query in queries:
        number = folds.numbers.get(query.name)
        if number is not None:
            for name in _names(query):
                tested[name][number].append(query.name)
    return {
        name: {key: sorted(by_number[number]) for key, number in TESTED_BY.items()}
        for name, by_number in sorted(tested.items())
    }


def _names(query: ReleasedQuery) -> Iterator[str]:
    yield ALL
    if query.facet:
        yield query.facet
