"""The labels of a collection as qrels, by whom they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from accounts.models import Collection
from adjudication.labels import LabelledPair, labelled_pairs
from evaluation.measures.judged_ranks import Qrels
from web.errors import UserFacingError


class UnknownSource(UserFacingError):
    def __init__(self, source: str) -> None:
        known = ", ".join([*SOURCES, *_others, "release:VERSION"])
        super().__init__(f'Unknown labels "{source}". Use one of: {known}.')


def _both(choose: Callable[..., int]) -> Callable[[LabelledPair], int | None]:
    def choice(pair: LabelledPair) -> int | None:
        if pair.first is None or pair.second is None:
            return None
        return choose(pair.first, pair.second)

    return choice


# A pair without both judgments has no grade under any source, so that no single judgment is told.
SOURCES: dict[str, Callable[[LabelledPair], int | None]] = {
    "final": lambda pair: pair.final,
    "slot1": lambda pair: pair.first,
    "slot2": lambda pair: pair.second,
    "minimum": _both(min),
    "maximum": _both(max),
}
SOURCE_NAMES = {
    "final": "final labels",
    "slot1": "annotator 1",
    "slot2": "annotator 2",
    "minimum": "the lower of both judgments",
    "maximum": "the higher of both judgments",
}


Reader = Callable[[Collection, str], Qrels]
_readers: dict[str, Reader] = {}
_others: dict[str, Callable[[Collection], Qrels]] = {}


def register_reader(kind: str, reader: Reader) -> None:
    """Read the labels "kind:name" by this function. For apps above, such as `release`."""
    _readers[kind] = reader


def register_labels(source: str, reader: Callable[[Collection], Qrels]) -> None:
    """Read the labels `source`, which do not come from judgments, by this function."""
    _others[source] = reader


def qrels_of(collection: Collection, source: str = "final") -> Qrels:
    """The graded pairs: query name to docno to grade. Queries without a graded pair are absent.

    Raises UnknownSource.
    """
    kind, _, name = source.partition(":")
    if kind in _readers and name:
        return _readers[kind](collection, name)
    if source in _others:
        return _others[source](collection)
    if source not in SOURCES:
        raise UnknownSource(source)
    return all_qrels(collection, [source])[source]


def all_qrels(collection: Collection, sources: list[str]) -> Mapping[str, Qrels]:
    """The qrels of several sources, from one statement, so all are of one moment.

    A query paper in its own pool is left out, as it is left out of every system's lists. CSFCube
    has one, 8781666, and its published figures are without it.
    """
    papers = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    pairs = (pair for pair in labelled_pairs(collection) if pair.docno != papers[pair.query])
    return qrels_by_source(pairs, sources)


def qrels_by_source(
    pairs: Iterable[LabelledPair], sources: Sequence[str]
) -> dict[str, dict[str, dict[str, int]]]:
    """The graded pairs under each source: query name to docno to grade."""
    qrels: dict[str, dict[str, dict[str, int]]] = {source: {} for source in sources}
    for pair in pairs:
        for source in sources:
            grade = SOURCES[source](pair)
            if grade is not None:
                qrels[source].setdefault(pair.query, {})[pair.docno] = grade
    return qrels


def query_facets(collection: Collection) -> dict[str, str]:
    """The facet of each query, by the query's name; "" in a collection without facets."""
    return dict(collection.queries.values_list("name", "facet__key"))
