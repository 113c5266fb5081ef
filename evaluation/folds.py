"""Two folds of queries: the test figure of CSFCube is the mean of the two folds' means. Pure.

Each query is in the test set of one fold and in the development set of the other.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from corpus.ordering import shuffled

Folds = dict[str, int]  # query to the number, 1 or 2, of the fold that tests it
FIRST, SECOND = 1, 2


class SplitsError(ValueError):
    """A file of splits is invalid, or contradicts itself."""


def made_folds(facets: Mapping[str, str], seed: str) -> Folds:
    """Folds of the same size for each facet, in a random order given by the seed.

    `facets` is the facet of each query. Where a facet has an odd number of queries, the larger half
    alternates between the folds from facet to facet, so the folds differ by at most one query.
    """
    by_facet: dict[str, list[str]] = defaultdict(list)
    for query, facet in facets.items():
        by_facet[facet].append(query)
    folds: Folds = {}
    place = 0
    for facet in sorted(by_facet):
        for query in shuffled(by_facet[facet], seed=seed, purpose="fold", query=facet):
            folds[query] = FIRST if place % 2 == 0 else SECOND
            place += 1
    return folds


def read_splits(content: bytes, *, name: str) -> Folds:
    """The folds of an `evaluation_splits.json` in CSFCube's form.

    `{facet: {"fold1_dev": [query, …], "fold1_test": […], "fold2_dev": […], "fold2_test": […]}}`.
    The entry `all`, which repeats the facets, is checked like them. Raises SplitsError.
    """
    try:
        value: Any = json.loads(content)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise SplitsError(f"{name}: not valid JSON ({error}). Save it as JSON in UTF-8.") from error
    if not isinstance(value, dict) or not value:
        raise SplitsError(f'{name}: must be an object such as {{"method": {{"fold1_test": […]}}}}.')
    folds: Folds = {}
    for facet, sets in value.items():
        for query, number in _folds_of(facet, sets, name).items():
            if folds.setdefault(query, number) != number:
                raise SplitsError(f"{name}: the query {query!r} is tested in both folds.")
    return folds


def _folds_of(facet: str, sets: object, name: str) -> Folds:
    keys = ("fold1_dev", "fold1_test", "fold2_dev", "fold2_test")
    if not isinstance(sets, dict) or any(not isinstance(sets.get(key), list) for key in keys):
        raise SplitsError(f'{name}: "{facet}" must have the lists {", ".join(keys)}.')
    first_dev, first_test, second_dev, second_test = (set(map(str, sets[key])) for key in keys)
    if overlap := sorted(first_test & second_test):
        raise SplitsError(f'{name}: "{facet}" tests the query {overlap[0]!r} in both folds.')
    if first_dev != second_test or second_dev != first_test:
        raise SplitsError(
            f'{name}: in "{facet}", the development set of a fold must be the test set of the '
            "other fold."
        )
    return dict.fromkeys(first_test, FIRST) | dict.fromkeys(second_test, SECOND)
