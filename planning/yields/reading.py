"""Reading the pairs of a collection, judged and not, from the database. Writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from accounts.models import Collection
from adjudication.labels import JudgedPair, judged_pairs
from adjudication.standing import Standing
from annotation.models import Judgment, Pair, Slot, SlotCount
from annotation.queue import collection_pace
from planning.yields.pairs import PairTable
from pooling.models import Candidate, Contribution
from pooling.tables.builds import build_rows
from pooling.tables.pools import forced_sources

READ_TOGETHER = 10_000  # rows


class _Drawing(NamedTuple):
    """The drawing of a candidate: by which source, how deep, and the places of all that have it."""

    source: int
    depth: int
    sources: Sequence[int]


class _Candidate(NamedTuple):
    pk: int
    paper: int
    build: int
    drawing: _Drawing


def read_pairs(collection: Collection) -> PairTable:
    """Every query with every candidate to judge of its pool, without the query paper itself.

    A dozen database queries; a pair takes about 300 bytes while they are read.
    """
    sources: dict[str, int] = {}
    candidates = list(_candidates(collection, sources))
    queries = list(_queries(collection))
    by_paper = {
        paper: list(group) for paper, group in groupby(candidates, key=lambda each: each.paper)
    }
    places: dict[tuple[int, int], int] = {}
    rows: list[tuple[int, _Candidate]] = []
    for place, query in enumerate(queries):
        for candidate in by_paper.get(query.paper, ()):
            places[query.pk, candidate.pk] = len(rows)
            rows.append((place, candidate))
    facets = dict(collection.facets.order_by("position").values_list("pk", "name"))
    facet_places = {pk: place for place, pk in enumerate(facets)}
    strategies, strategy_of_build = _strategies(collection)
    drawings = [candidate.drawing for _, candidate in rows]
    counts = [len(drawing.sources) for drawing in drawings]
    return PairTable(
        queries=[query.name for query in queries],
        facets=list(facets.values()),
        strategies=strategies,
        sources=list(sources),
        facet_of_query=_codes(facet_places[query.facet] for query in queries),
        query=_codes(place for place, _ in rows),
        strategy=_codes(strategy_of_build[candidate.build] for _, candidate in rows),
        source=_codes(drawing.source for drawing in drawings),
        depth=_codes(drawing.depth for drawing in drawings),
        sources_with_it=_codes(counts),
        has_pair=np.repeat(np.arange(len(rows)), counts),
        has_source=_codes(source for drawing in drawings for source in drawing.sources),
        **_judging(collection, places),
    )


def _codes(numbers: Iterable[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.fromiter(numbers, dtype=np.int64)


class _PooledQuery(NamedTuple):
    pk: int
    name: str
    facet: int
    paper: int


def _queries(collection: Collection) -> Iterable[_PooledQuery]:
    rows = collection.queries.order_by("facet__position", "name").values_list(
        "pk", "name", "facet", "query_paper"
    )
    return (_PooledQuery(*row) for row in rows)


def _strategies(collection: Collection) -> tuple[list[str], dict[int, int]]:
    """The names of the strategies, and the place of that of each build that still has a pool."""
    names: dict[str, int] = {}
    of_build = {}
    for build in reversed(build_rows(collection)):
        strategy = build.how.strategy or "imported pools"
        name = f"{strategy}, {build.created_at:%Y-%m-%d}"
        of_build[build.pk] = names.setdefault(name, len(names))
    return list(names), of_build


def _candidates(collection: Collection, sources: dict[str, int]) -> Iterable[_Candidate]:
    """The candidates to judge by pool and position; `sources` is filled with their places."""
    forced = forced_sources(collection)
    contributions = _contributions(collection, sources)
    drawn: Counter[tuple[int, int]] = Counter()
    rows = (
        Candidate.objects.filter(pool__query_paper__collection=collection)
        .order_by("pool__query_paper", "position")
        .values_list(
            *("pk", "pool__query_paper", "pool__build", "excluded", "document"),
            "pool__query_paper__document",
        )
    )
    names = list(sources)
    forced_places = {
        build: {place for place, name in enumerate(names) if name in of_build}
        for build, of_build in forced.items()
    }
    for pk, paper, build, excluded, document, own in rows.iterator(READ_TOGETHER):
        source, rank, having = contributions.get(pk, (-1, None, ()))
        drawn[paper, source] += 1
        if excluded or document == own:
            continue
        if source in forced_places[build]:
            depth = 0
        else:
            depth = drawn[paper, source] if rank is None else rank
        yield _Candidate(pk, paper, build, _Drawing(source, depth, having))


def _contributions(
    collection: Collection, sources: dict[str, int]
) -> dict[int, tuple[int, int | None, Sequence[int]]]:
    """By candidate: the source that drew it, its rank there, and all that have it."""
    rows = Contribution.objects.order_by().filter(
        candidate__pool__query_paper__collection=collection
    )
    found: dict[int, tuple[int, int | None, Sequence[int]]] = {}
    nothing: tuple[int, int | None, Sequence[int]] = (-1, None, ())
    for candidate, name, rank, drawn in rows.values_list(
        "candidate", "source", "rank", "drawn"
    ).iterator(READ_TOGETHER):
        place = sources.setdefault(name, len(sources))
        source, its_rank, having = found.get(candidate, nothing)
        drawer = (place, rank) if drawn else (source, its_rank)
        found[candidate] = (*drawer, (*having, place))
    return found


def _judging(collection: Collection, places: dict[tuple[int, int], int]) -> dict[str, Any]:
    """The columns of a table that the judgments fill, by their names."""
    size = len(places)
    flags = {
        name: np.zeros(size, dtype=np.bool_)
        for name in ("judged", "labelled", "relevant", "maybe", "seen")
    }
    seconds, finished = np.zeros(size), np.zeros(size, dtype=np.int64)
    judgments, assumed = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    times = _times(collection)
    default = collection.seconds_per_judgment
    for pair in judged_pairs(collection):
        place = places.get((pair.query, pair.candidate))
        if place is None:  # the query paper in its own pool
            continue
        given, timed, spent = times[pair.pair]
        flags["judged"][place] = flags["seen"][place] = True
        flags["labelled"][place] = pair.final is not None
        flags["relevant"][place] = (pair.final or 0) >= collection.relevant_from
        flags["maybe"][place] = may_be_relevant(pair, collection.relevant_from)
        judgments[place], assumed[place] = given, given - timed
        seconds[place] = spent + (given - timed) * default
        finished[place] = pair.latest
    for key in _shown_again(collection):
        if key in places:
            flags["seen"][places[key]] = flags["maybe"][places[key]] = True
    return {
        **flags,
        "seconds": seconds,
        "judgments": judgments,
        "assumed": assumed,
        "finished": finished,
        "seconds_a_judgment": collection_pace(collection).seconds,
    }


def may_be_relevant(pair: JudgedPair, relevant_from: int) -> bool:
    """It waits for its decision, and not both judges graded it as not relevant."""
    if pair.standing != Standing.DUE:
        return False
    return any(grade is None or grade >= relevant_from for grade in (pair.first, pair.second))


def _times(collection: Collection) -> dict[int, tuple[int, int, float]]:
    """By pair: judgments of the query's present round, those with a time, and their seconds.

    Revisions count, because they took time, too.
    """
    rows = (
        Judgment.objects.filter(
            slot__pair__query__collection=collection, round=F("slot__pair__query__opening__round")
        )
        .order_by()
        .values_list("slot__pair")
        .annotate(given=Count("pk"), timed=Count("seconds"), spent=Sum("seconds"))
    )
    return {
        pair: (given, timed, spent or 0.0)
        for pair, given, timed, spent in rows.iterator(READ_TOGETHER)
    }


def _shown_again(collection: Collection) -> Iterable[tuple[int, int]]:
    """The pairs that both judges were shown and that still lack a judgment: query and candidate.

    A judge postponed it, or an admin opened it for two judges again. Neither happens at random, so
    the judged pairs are a random sample only together with these.
    """
    earlier = Judgment.objects.filter(
        slot=OuterRef("pk"), round=OuterRef("pair__query__opening__round")
    )
    was_shown = Q(postponed_at__isnull=False) | Exists(earlier)
    unjudged = Slot.objects.of(collection).unjudged().order_by()
    pairs = Pair.objects.of(collection).filter(pk__in=unjudged.filter(was_shown).values("pair"))
    rows: Iterable[tuple[int, int]] = (
        pairs.exclude(pk__in=unjudged.exclude(was_shown).values("pair"))
        .order_by()
        .values_list("query", "candidate")
    )
    return rows


ELSEWHERE = "judgments were imported, and their order is unknown"
IN_ROUNDS = "its pool has later rounds, which were not drawn as its first one was"


def queries_without_random_order(collection: Collection) -> dict[str, str]:
    """The queries whose judged candidates are no random part of the pool, and why.

    Nothing says in which order imported judgments were made. The candidates of a later pool round
    are judged after those of the first one.
    """
    imported = SlotCount.objects.filter(
        query__collection=collection, judged__gt=0, annotator__username__startswith="imported-"
    )
    later = Candidate.objects.filter(pool__query_paper__collection=collection, round__gt=1)
    papers = later.order_by().values("pool__query_paper")
    in_rounds = collection.queries.filter(query_paper__in=papers).order_by()
    return {
        **dict.fromkeys(in_rounds.values_list("name", flat=True), IN_ROUNDS),
        **dict.fromkeys(imported.values_list("query__name", flat=True), ELSEWHERE),
    }
