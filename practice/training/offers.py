"""The training set that is next for a person, of queries that he or she knows nothing of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from accounts.models import Collection, User
from adjudication.models import Decision
from annotation.models import Seat, SlotCount
from practice.models import PracticeKind, PracticeMember, PracticePair, PracticeSet


def training_sets(collection: Collection) -> list[PracticeSet]:
    """Those that still take answers, in order."""
    sets = collection.practice_sets.filter(kind=PracticeKind.TRAINING, closed_at=None)
    return list(sets.order_by("number"))


def next_sets(collection: Collection, people: Iterable[User]) -> dict[int, PracticeSet]:
    """The next set of each person, by primary key; nothing for whom there is none.

    A person gets no set twice, and none with a query paper of which he or she judges or judged a
    query, or decided a case: the gold could be the person's own answer, or a label that the
    person's open query leads to. A fixed number of statements.
    """
    ids = [person.pk for person in people]
    sets = training_sets(collection)
    papers: dict[int, set[int]] = defaultdict(set)
    pairs = PracticePair.objects.filter(practice_set__in=sets).order_by()
    for set_id, paper in pairs.values_list("practice_set", "query__query_paper").distinct():
        papers[set_id].add(paper)
    seen: dict[int, set[int]] = defaultdict(set)
    members = PracticeMember.objects.filter(practice_set__in=sets, annotator__in=ids).order_by()
    for person_id, set_id in members.values_list("annotator", "practice_set"):
        seen[person_id].add(set_id)
    known = _known_papers(collection, ids)
    offered = {}
    for pk in ids:
        fitting = (
            each
            for each in sets
            if each.pk not in seen[pk] and papers[each.pk].isdisjoint(known[pk])
        )
        if (first := next(fitting, None)) is not None:
            offered[pk] = first
    return offered


def _known_papers(collection: Collection, people: list[int]) -> dict[int, set[int]]:
    """The query papers of which each person judges, judged or decided something."""
    known: dict[int, set[int]] = defaultdict(set)
    # A row of counts stays when a seat was handed over, and when a pair was opened again.
    counts = SlotCount.objects.filter(query__collection=collection, annotator__in=people)
    seats = Seat.objects.filter(opening__query__collection=collection, annotator__in=people)
    decisions = Decision.objects.filter(pair__query__collection=collection, adjudicator__in=people)
    for rows in (
        counts.values_list("annotator", "query__query_paper"),
        seats.order_by().values_list("annotator", "opening__query__query_paper"),
        decisions.order_by().values_list("adjudicator", "pair__query__query_paper"),
    ):
        for person, paper in rows.distinct():
            known[person].add(paper)
    return known
