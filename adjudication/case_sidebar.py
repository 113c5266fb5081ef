"""The queue and the query's earlier decisions, as they stand beside a case."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from accounts.models import Collection, User
from adjudication import queue
from adjudication.models import Case, Decision
from corpus.models import Query

QUERIES = 12
ANCHORS = 12
LATEST = 100  # the decisions among which the anchors are chosen


class QueuedQuery(NamedTuple):
    """A query with due cases, their number, and the largest difference among them."""

    query: Query
    due: int
    widest: int


class QueuedCase(NamedTuple):
    """A due case of the query on screen."""

    token: str
    title: str
    difference: int
    is_put_off: bool


class Anchor(NamedTuple):
    """An earlier decision on a pair of the query: the final grade and the candidate's title."""

    grade: int
    title: str


@dataclass(frozen=True)
class Sidebar:
    queries: list[QueuedQuery]
    are_all: bool
    cases: list[QueuedCase]
    anchors: list[Anchor]


def case_sidebar(
    collection: Collection,
    user: User,
    query: Query,
    token: str,
    *,
    put_off: Sequence[int],
    held: Container[int],
) -> Sidebar:
    """The first queries of the queue, this one's due cases, and anchors other than this case.

    `held` are the pairs that others have open. All of it is about pairs that the adjudicator may
    decide, so both of their judgments are in.
    In a collection that grades blind first, anchors are the person's own decisions only: another's
    may become due again.
    """
    rows = queue.due_by_query(collection, user, QUERIES + 1)
    queries: dict[int, Any] = Query.objects.with_titles().in_bulk([row[0] for row in rows])
    queued = [QueuedQuery(queries[pk], due, widest) for pk, widest, due in rows[:QUERIES]]
    cases = _due_cases(query, user, put_off, held)
    if cases and all(row.query != query for row in queued):
        queued.append(QueuedQuery(query, len(cases), max(case.difference for case in cases)))
    return Sidebar(
        queries=queued,
        are_all=len(rows) <= QUERIES,
        cases=cases,
        anchors=_anchors(query, user, token),
    )


def _due_cases(
    query: Query, user: User, put_off: Sequence[int], held: Container[int]
) -> list[QueuedCase]:
    due: Any = Case.objects.waiting().for_adjudicator(user).filter(query=query)
    rows = due.order_by("-difference", "token").values_list(
        "pk", "token", "candidate__document__title", "difference"
    )
    places = {pk: place for place, pk in enumerate(put_off)}
    ordered = sorted(
        (row for row in rows if row[0] not in held), key=lambda row: places.get(row[0], -1)
    )
    return [QueuedCase(token, title, gap, pk in places) for pk, token, title, gap in ordered]


def _anchors(query: Query, user: User, token: str) -> list[Anchor]:
    """As many of each grade as there is room for, the latest ones, from the highest grade down."""
    decided: Any = Case.objects.decided().for_adjudicator(user).filter(query=query)
    if query.collection.grades_blind_first:
        own = Decision.objects.filter(adjudicator=user, pair__query=query)
        decided = decided.filter(decision_id__in=own.values("pk"))
    standing = decided.exclude(token=token).order_by().values("decision_id")
    rows = (
        Decision.objects.filter(pk__in=standing, grade__isnull=False)
        .order_by("-pk")
        .values_list("grade", "pair__candidate__document__title")[:LATEST]
    )
    by_grade: dict[int, list[Anchor]] = {}
    for grade, title in rows:
        assert grade is not None  # as filtered
        by_grade.setdefault(grade, []).append(Anchor(grade, title))
    of_each = ANCHORS // max(len(by_grade), 1)
    return [
        anchor for grade in sorted(by_grade, reverse=True) for anchor in by_grade[grade][:of_each]
    ]
