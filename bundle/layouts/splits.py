"""`splits.json`: the folds of the queries, in the form of CSFCube's `evaluation_splits.json`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.names import SPLITS
from bundle.records import ReleasedFolds, ReleasedQuery
from bundle.zip.draft_files import DraftFolder

ALL = "all"

Splits = dict[str, dict[str, list[str]]]
FILES = (
    FileNote(
        SPLITS,
        "the folds of the queries, {folds}: the development and test set of each, per facet",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    folds = content.snapshot.folds
    if not folds.number:
        return {}
    return {SPLITS: formats.write_json(splits_payload(folds, content.snapshot.queries))}


def splits_payload(folds: ReleasedFolds, queries: Iterable[ReleasedQuery]) -> Splits:
    """`{facet: {"fold1_dev": [query, …], "fold1_test": […], "fold2_dev": […], "fold2_test": […]}}`.

    Queries are sorted. The development set of a fold has all queries that it does not test. `all`
    has those of every facet; a collection without facets has nothing else. Queries without a fold
    are left out, and so are facets without such a query. `scoring.folds.read_splits` reads it.
    """
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    for query in queries:
        number = folds.numbers.get(query.name)
        if number is not None:
            for name in _names(query):
                numbers[name][query.name] = number
    return {name: _sets(tested_by, folds.number) for name, tested_by in sorted(numbers.items())}


def sets_of(number: int | None, count: int) -> list[str]:
    """The sets that a query is in which fold `number` of `count` tests; none without a fold."""
    if number is None:
        return []
    return [f"fold{fold}_{'test' if fold == number else 'dev'}" for fold in range(1, count + 1)]


def _sets(tested_by: dict[str, int], count: int) -> dict[str, list[str]]:
    """`tested_by` has the fold that tests each query."""
    sets = {}
    for fold in range(1, count + 1):
        sets[f"fold{fold}_dev"] = sorted(name for name in tested_by if tested_by[name] != fold)
        sets[f"fold{fold}_test"] = sorted(name for name in tested_by if tested_by[name] == fold)
    return sets


def _names(query: ReleasedQuery) -> Iterator[str]:
    yield ALL
    if query.facet:
        yield query.facet
