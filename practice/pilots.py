"""Starts pilot rounds: all chosen annotators judge the same pairs before live judging begins."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Opening, Seat, Slot
from corpus.models import SOURCES, Query
from pooling.models import Candidate, Pool
from practice.choice import queries_by_paper, spread_candidates
from practice.models import PracticeKind, PracticePair, PracticeSet
from practice.services import CannotPractise, NewPair, add_members, make_set
from web.words import count_noun, listed

QUERIES, PER_QUERY = 6, 10
MOST_QUERIES, MOST_PER_QUERY = 50, 100
FEWEST_PEOPLE = 2
NAMED = 5  # queries that a message names


def start_pilot(
    *,
    collection: Collection,
    annotators: Sequence[User],
    queries: int = QUERIES,
    per_query: int = PER_QUERY,
    named: Sequence[str] = (),
    created_by: User | None = None,
) -> PracticeSet:
    """Choose pairs that all of these people judge, as a round that is open at once.

    `named` are queries to take instead of a spread of `queries` queries.

    Raises:
        CannotPractise: fewer than two people, too few queries that can be used, a query that is
            open or has no pool, or a person who judges a query of the same query paper.
        CannotOpen: one of them is not an annotator here.
        CollectionArchived
    """
    _check_numbers(len(set(annotators)), queries, per_query)
    with transaction.atomic():
        collection = lock_collection(collection)
        chosen = (
            _named_queries(collection, named)
            if named
            else _spread_queries(collection, annotators, queries)
        )
        practice_set = make_set(
            collection=collection,
            kind=PracticeKind.PILOT,
            pairs=[pair for query in chosen for pair in _pairs(query, per_query)],
            parameters={
                "queries": len(chosen),
                "per_query": per_query,
                "named": list(dict.fromkeys(named)),
            },
            created_by=created_by,
        )
        add_members(practice_set=practice_set, annotators=list(dict.fromkeys(annotators)))
    return practice_set


def _check_numbers(people: int, queries: int, per_query: int) -> None:
    if people < FEWEST_PEOPLE:
        raise CannotPractise("A pilot round compares people. Choose at least two annotators.")
    if not 1 <= queries <= MOST_QUERIES:
        raise CannotPractise(
            f"The number of queries must be from 1 to {MOST_QUERIES}, got {queries}."
        )
    if not 1 <= per_query <= MOST_PER_QUERY:
        raise CannotPractise(
            f"The candidates of a query must be from 1 to {MOST_PER_QUERY}, got {per_query}."
        )


def usable_queries(collection: Collection) -> QuerySet[Query]:
    """The queries that are not open for judging and whose query paper has a pool."""
    opened = Opening.objects.filter(query=OuterRef("pk"))
    pools = Pool.objects.filter(query_paper=OuterRef("query_paper"), to_judge__gt=0)
    queries = collection.queries.filter(~Exists(opened), Exists(pools))
    return queries.select_related("facet", *SOURCES).order_by("name")


def _named_queries(collection: Collection, named: Sequence[str]) -> list[Query]:
    names = list(dict.fromkeys(named))
    if len(names) > MOST_QUERIES:
        raise CannotPractise(f"A round has at most {MOST_QUERIES} queries, got {len(names)}.")
    known = set(collection.queries.filter(name__in=names).values_list("name", flat=True))
    if unknown := [name for name in names if name not in known]:
        raise CannotPractise(
            f"{collection} has no query {listed(unknown, NAMED)}. Write the ids of queries, as on "
            "the page Queries."
        )
    queries = {query.name: query for query in usable_queries(collection).filter(name__in=names)}
    if unusable := [name for name in names if name not in queries]:
        raise CannotPractise(
            f"{listed(unusable, NAMED)}: open for judging, or without a pool. Name queries that "
            "have a pool and are not open."
        )
    return [queries[name] for name in names]


def _spread_queries(collection: Collection, annotators: Sequence[User], number: int) -> list[Query]:
    """Queries of as few query papers as can be, of which none of these people judges one."""
    papers = OuterRef("query_paper")
    seats = Seat.objects.filter(opening__query__query_paper=papers, annotator__in=annotators)
    slots = Slot.objects.filter(pair__query__query_paper=papers, annotator__in=annotators)
    known = PracticePair.objects.filter(practice_set__kind=PracticeKind.PILOT, query=OuterRef("pk"))
    usable = usable_queries(collection).filter(~Exists(seats), ~Exists(slots), ~Exists(known))
    names = queries_by_paper(usable.values_list("name", "query_paper__name"), seed=collection.seed)
    chosen: list[Query] = []
    for start in range(0, len(names), number):
        some = {query.name: query for query in usable.filter(name__in=names[start:][:number])}
        ordered = (some[name] for name in names[start:][:number])
        chosen += [query for query in ordered if query.has_text_to_compare]
        if len(chosen) >= number:
            return chosen[:number]
    raise CannotPractise(
        f"{count_noun(len(chosen), 'query', 'queries')} can be used, and you asked for {number}. A "
        "query can be used if it has a pool, is not open for judging, was in no earlier round, and "
        "no annotator of the round judges a query of its query paper."
    )


def _pairs(query: Query, number: int) -> list[NewPair]:
    if not query.has_text_to_compare:
        raise CannotPractise(
            f"{query.query_paper.name} has no text on {query.facet.key or 'anything'}, so nothing "
            "can be compared with it. Leave the query out, or import its text."
        )
    candidates = Candidate.objects.filter(pool__query_paper=query.query_paper_id).to_judge()
    documents = {
        candidate.document.docno: candidate.document
        for candidate in candidates.order_by("position").select_related("document")
        if candidate.document.sentences
    }
    chosen = spread_candidates(
        list(documents), number, seed=query.collection.seed, query=query.name
    )
    return [NewPair(query, documents[docno]) for docno in chosen]
