"""The labels of a collection as qrels, by whom they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as Group
from typing import NamedTuple

from django.db.models import F, Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.models import CaseCount
from adjudication.standing import LabelledPair, Standing
from agreement.revision import revision_of
from annotation.models import Pair, PairCount
from pooling.models import Candidate
from scoring.measures.judged_ranks import Qrels
from scoring.models import PublishedLabels, PublishedLabelSet
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
    "citations": "citations",
    "published": "published labels",
}


FINAL = "final"


class GradedLabels(NamedTuple):
    """The graded pairs of a source: query name to docno to grade.

    Queries without a graded pair are absent. Grades from `relevant_from` on are relevant.
    """

    source: str
    qrels: Qrels
    relevant_from: int


class OtherLabels(NamedTuple):
    """Labels that do not come from judgments, such as citations or published ones.

    `state` changes whenever the labels do.
    """

    qrels: Callable[[Collection], Qrels]
    state: Callable[[Collection], str]
    relevant_from: int


Reader = Callable[[Collection, str], GradedLabels]
_readers: dict[str, Reader] = {}


def published_qrels(collection: Collection) -> Qrels:
    """The labels of an imported benchmark by query, without query papers in their own pools."""
    rows = PublishedLabels.objects.filter(query__collection=collection).order_by()
    return {
        query: {docno: grade for docno, grade in grades.items() if docno != paper}
        for query, paper, grades in rows.values_list(
            "query__name", "query__query_paper__document__docno", "grades"
        )
    }


def _published_state(collection: Collection) -> str:
    """Published labels never change, so there are two states."""
    return "imported" if PublishedLabelSet.objects.filter(collection=collection).exists() else ""


_others: dict[str, OtherLabels] = {
    "published": OtherLabels(published_qrels, _published_state, relevant_from=1)
}


def register_reader(kind: str, reader: Reader) -> None:
    """Read the labels "kind:name" by this function. For apps above, such as `release`."""
    _readers[kind] = reader


def register_labels(source: str, labels: OtherLabels) -> None:
    """Offer the labels `source`, which do not come from judgments."""
    _others[source] = labels


def labels_of(collection: Collection, source: str = FINAL) -> GradedLabels:
    """Raises UnknownSource."""
    kind, _, name = source.partition(":")
    if kind in _readers and name:
        return _readers[kind](collection, name)
    if source in _others:
        other = _others[source]
        return GradedLabels(source, other.qrels(collection), other.relevant_from)
    if source not in SOURCES:
        raise UnknownSource(source)
    return GradedLabels(source, all_qrels(collection, [source])[source], collection.relevant_from)


def qrels_of(collection: Collection, source: str = FINAL) -> Qrels:
    """The graded pairs of a source. Raises UnknownSource."""
    return labels_of(collection, source).qrels


def stored_sources() -> list[str]:
    """The sources of labels that scores are stored for."""
    return [FINAL, *_others]


def state_of_labels(collection: Collection, source: str) -> str:
    """Another text for every state of the labels of a stored source, without reading them."""
    if source in _others:
        return _others[source].state(collection)
    return str(revision_of(collection))


def relevant_from(collection: Collection, source: str) -> int:
    """The lowest relevant grade of a stored source."""
    return _others[source].relevant_from if source in _others else collection.relevant_from


def all_qrels(
    collection: Collection, sources: list[str], queries: Group[str] | None = None
) -> Mapping[str, Qrels]:
    """The qrels of several sources, from one statement, so all are of one moment.

    `queries` are names that limit them; only the pairs of these are read.

    A query paper in its own pool is left out, as it is left out of every system's lists. CSFCube
    has one, 8781666, and its published figures are without it.
    """
    papers = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    among = None if queries is None else Pair.objects.filter(query__name__in=queries)
    pairs = (pair for pair in labelled_pairs(collection, among) if pair.docno != papers[pair.query])
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


def final_labels_of_pools(collection: Collection) -> tuple[int, int]:
    """The numbers of pooled pairs of the opened queries: with a final label, and in all.

    The decision that a pair cannot be judged counts as its final label. A query paper in its own
    pool is left out, as in `all_qrels`.
    """
    of_collection = {"query__collection": collection}
    pairs = PairCount.objects.filter(**of_collection).aggregate(
        total=Coalesce(Sum("total"), 0),
        judged=Coalesce(Sum("judged"), 0),
        disputed=Coalesce(Sum("disputed"), 0),
    )
    cases = CaseCount.objects.filter(**of_collection).aggregate(settled=Coalesce(Sum("settled"), 0))
    labelled = pairs["judged"] - pairs["disputed"] + cases["settled"]
    # From the query papers to their candidates: from the pairs, each of them would be looked at.
    papers = Candidate.objects.order_by().filter(
        pool__query_paper__collection=collection, document=F("pool__query_paper__document")
    )
    own = Pair.objects.filter(candidate__in=papers.values("pk"))
    standings = [pair.standing for pair in labelled_pairs(collection, own)]
    open_standings = (Standing.UNJUDGED, Standing.DUE)
    labelled -= sum(standing not in open_standings for standing in standings)
    return labelled, pairs["total"] - len(standings)
