"""Folds of queries: which of them a system is tuned on, and which it is reported on. Pure.

A fold tests some of the queries. All others are its development set. CSFCube has two folds, so its
test figure is the mean of the two folds' means.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from corpus.ordering import shuffled
from web.errors import UserFacingError

USUAL_NUMBER = 2
MOST = 20  # folds
UNTESTED = 0  # the number of a query that is in no test set
_SET = re.compile(r"fold(?P<number>[1-9]\d*)_(?P<part>dev|test)")


class SplitsError(UserFacingError, ValueError):
    """A file of splits is invalid, or contradicts itself."""


@dataclass(frozen=True)
class Folds:
    """`numbers`: query to the number, from 1, of the fold that tests it; 0 for development only.

    `imported_from` names the file of imported folds; "" for folds made from the seed.
    """

    numbers: Mapping[str, int] = field(default_factory=dict)
    imported_from: str = ""

    @property
    def count(self) -> int:
        """The number of folds; 0 for none."""
        return max(self.numbers.values(), default=0)

    @property
    def origin(self) -> str:
        """The origin of the folds, to be read after "folds"; "" without folds."""
        if not self.count:
            return ""
        return f"imported from {self.imported_from}" if self.imported_from else "made from the seed"

    def tested_by(self, number: int) -> set[str]:
        return {query for query, own in self.numbers.items() if own == number}

    def development_of(self, number: int) -> set[str]:
        return {query for query, own in self.numbers.items() if own != number}


def made_folds(facets: Mapping[str, str], seed: str, number: int = USUAL_NUMBER) -> Folds:
    """Folds of the same size for each facet, in a random order given by the seed.

    `facets` is the facet of each query. Where a facet cannot be divided evenly, the larger parts
    alternate between the folds from facet to facet, so the folds differ by at most one query. A
    single fold tests half of the queries.
    """
    by_facet: dict[str, list[str]] = defaultdict(list)
    for query, facet in facets.items():
        by_facet[facet].append(query)
    numbers: dict[str, int] = {}
    if number == 0:
        return Folds()
    parts = [1, UNTESTED] if number == 1 else list(range(1, number + 1))
    for facet in sorted(by_facet):
        for query in shuffled(by_facet[facet], seed=seed, purpose="fold", query=facet):
            numbers[query] = parts[len(numbers) % len(parts)]
    return Folds(numbers)


def read_splits(content: bytes, *, name: str) -> Folds:
    """The folds of an `evaluation_splits.json` in CSFCube's form, with any number of folds.

    `{facet: {"fold1_dev": [query, …], "fold1_test": […], "fold2_dev": […], "fold2_test": […]}}`.
    A development set must have all queries of the facet that its fold does not test. The entry
    `all`, which repeats the facets, is checked like them. Raises SplitsError.
    """
    try:
        value: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SplitsError(f"{name}: not valid JSON ({error}). Save it as JSON in UTF-8.") from error
    if not isinstance(value, dict) or not value:
        raise SplitsError(f'{name}: must be an object such as {{"method": {{"fold1_test": […]}}}}.')
    numbers: dict[str, int] = {}
    for facet, sets in value.items():
        for query, number in _numbers_of(facet, sets, name).items():
            if numbers.setdefault(query, number) != number:
                raise SplitsError(
                    f"{name}: the query {query!r} is tested by different folds under different "
                    "facets."
                )
    return Folds(numbers, imported_from=name)


def _numbers_of(facet: str, sets: object, name: str) -> dict[str, int]:
    parts = _parts_of(facet, sets, name)
    numbers: dict[str, int] = {}
    for number, (_, test) in parts.items():
        for query in sorted(test):
            if query in numbers:
                raise SplitsError(f'{name}: "{facet}" tests the query {query!r} in two folds.')
            numbers[query] = number
    everything = set(numbers).union(*(dev for dev, _ in parts.values()))
    for number, (dev, test) in parts.items():
        if wrong := sorted(dev ^ (everything - test)):
            raise SplitsError(
                f'{name}: in "{facet}", the development set of fold {number} must have all queries '
                f"that the fold does not test. Check the query {wrong[0]!r}."
            )
    return {query: numbers.get(query, UNTESTED) for query in sorted(everything)}


def _parts_of(facet: str, sets: object, name: str) -> dict[int, tuple[set[str], set[str]]]:
    """The development and the test set of each fold."""
    known = sets if isinstance(sets, dict) else {}
    found = [match for key in known if (match := _SET.fullmatch(str(key)))]
    count = max((int(match["number"][:9]) for match in found), default=1)
    if count > MOST:
        raise SplitsError(f'{name}: "{facet}" has {count} folds. Use at most {MOST}.')
    keys = [f"fold{number}_{part}" for number in range(1, count + 1) for part in ("dev", "test")]
    if any(not isinstance(known.get(key), list) for key in keys):
        raise SplitsError(f'{name}: "{facet}" must have the lists {", ".join(keys)}.')
    return {
        number: (_queries(known[f"fold{number}_dev"]), _queries(known[f"fold{number}_test"]))
        for number in range(1, count + 1)
    }


def _queries(names: Iterable[object]) -> set[str]:
    return set(map(str, names))
