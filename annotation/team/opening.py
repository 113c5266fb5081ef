"""Open queries for a team, so that loads and shared work are even."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F, Sum

from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Opening, PairCount, Seat, SlotCount
from annotation.services import CannotOpen, UncheckedLabels, open_query, seniors_among
from annotation.sharing import (
    Assignment,
    Couple,
    Load,
    NoCouple,
    QueryWork,
    assign,
    judging_order,
)
from annotation.team.exclusions import excluded_people
from annotation.team.plans import (
    AT_ONCE,
    PersonPlan,
    PlanChanged,
    change_in_steps,
    people_named,
    request_job,
)
from annotation.unchecked_labels import names_with_unchecked_labels
from corpus.digests import json_digest
from corpus.models import Query
from jobs.context import JobContext
from jobs.models import Job
from pooling.models import Pool

OPENING_KIND = "open_queries"


class SharedPairs(NamedTuple):
    first: User
    second: User
    pairs: int


@dataclass(frozen=True)
class OpeningPlan:
    """Two annotators for each query, in judging order.

    `pairs` is by query, `load` is what everyone has already.
    `unchecked` are the names of queries that open although their labels are unchecked.
    """

    assignments: Sequence[Assignment]
    pairs: Mapping[str, int]
    people: Mapping[str, User]
    load: Load
    unchecked: Sequence[str] = ()
    senior_reason: str = ""

    @property
    def digest(self) -> str:
        return json_digest([list(assignment) for assignment in self.assignments])

    @property
    def is_long(self) -> bool:
        return len(self.assignments) > AT_ONCE

    @property
    def rows(self) -> list[PersonPlan]:
        queries: Counter[str] = Counter()
        pairs: Counter[str] = Counter()
        for assignment in self.assignments:
            for person in assignment.couple:
                queries[person] += 1
                pairs[person] += self.pairs[assignment.query]
        return [
            PersonPlan(
                annotator=user,
                queries=queries[name],
                pairs=pairs[name],
                left_before=self.load.people[name],
                left_after=self.load.people[name] + pairs[name],
            )
            for name, user in self.people.items()
        ]

    @property
    def shared(self) -> list[SharedPairs]:
        """The pairs that every two people share afterwards, for a team of more than two."""
        couples: Counter[Couple] = Counter(self.load.couples)
        for assignment in self.assignments:
            couples[assignment.couple] += self.pairs[assignment.query]
        return [
            SharedPairs(
                self.people[first], self.people[second], couples[frozenset((first, second))]
            )
            for first, second in combinations(self.people, 2)
        ]


def plan_opening(
    *,
    collection: Collection,
    queries: Sequence[Query],
    annotators: Sequence[User],
    unchecked_labels: bool = False,
    senior_reason: str = "",
) -> OpeningPlan:
    """Assign the queries to annotators, so that loads and shared work are even.

    Raises:
        CannotOpen: fewer than two annotators, or fewer than two that a query's exclusions allow.
        UncheckedLabels: a query paper has such labels, and `unchecked_labels` is false.
        SeniorsAdjudicate: an annotator is a senior, and there is no `senior_reason`.
    """
    people = {user.username: user for user in sorted(annotators, key=lambda user: user.username)}
    if len(people) < 2:
        raise CannotOpen("Every query needs two annotators. Choose at least two people.")
    seniors_among(collection, people.values(), senior_reason)
    unchecked = names_with_unchecked_labels(queries)
    if unchecked and not unchecked_labels:
        raise UncheckedLabels(unchecked)
    pools = dict(
        Pool.objects.filter(query_paper__queries__in=queries)
        .order_by()
        .values_list("query_paper", "to_judge")
    )
    pairs = {query.name: pools.get(query.query_paper_id, 0) for query in queries}
    load = load_of(collection, people.values())
    excluded = excluded_people(collection)
    try:
        assignments = assign(
            [QueryWork(name, count) for name, count in pairs.items()],
            people,
            load=load,
            excluded={
                (person, query.name)
                for query in queries
                for person in excluded[query.query_paper_id]
            },
            seed=collection.seed,
        )
    except NoCouple as error:
        raise CannotOpen(
            f"Fewer than two of these people may judge {error.query}. Choose more people, leave "
            "the query out, or remove an exclusion. People who judged it in practice stay excluded."
        ) from error
    ordered = judging_order(assignments, pairs, load=load, seed=collection.seed)
    return OpeningPlan(ordered, pairs, people, load, unchecked, senior_reason)


def load_of(collection: Collection, annotators: Iterable[User]) -> Load:
    """The unjudged pairs of each person, and all pairs of the queries that every two share."""
    names = {user.pk: user.username for user in annotators}
    left = (
        SlotCount.objects.filter(query__collection=collection, annotator__in=names)
        .order_by()
        .values_list("annotator")
        .annotate(left=Sum(F("total") - F("judged")))
    )
    load = Load(Counter({names[annotator]: count for annotator, count in left}))
    people_of: dict[int, set[str]] = defaultdict(set)
    seats = Seat.objects.filter(opening__query__collection=collection, annotator__in=names)
    for query, annotator in seats.order_by().values_list("opening__query", "annotator"):
        people_of[query].add(names[annotator])
    shared = {query: frozenset(people) for query, people in people_of.items() if len(people) == 2}
    counts = PairCount.objects.filter(query__collection=collection).order_by()
    for query, total in counts.values_list("query", "total"):
        if query in shared:
            load.couples[shared[query]] += total
    return load


def open_for_team(
    *,
    collection: Collection,
    queries: Sequence[Query],
    annotators: Sequence[User],
    opened_by: User | None,
    digest: str = "",
    unchecked_labels: bool = False,
    senior_reason: str = "",
) -> list[Opening]:
    """Open all of the queries for the team, or none of them.

    `digest` is that of the plan that was shown, if one was.

    Raises:
        CannotOpen: as `open_query` and `plan_opening`.
        PlanChanged: the plan has changed.
    """
    with transaction.atomic():
        lock_collection(collection)
        plan = plan_opening(
            collection=collection,
            queries=queries,
            annotators=annotators,
            unchecked_labels=unchecked_labels,
            senior_reason=senior_reason,
        )
        if digest and plan.digest != digest:
            raise PlanChanged
        by_name = {query.name: query for query in queries}
        return [
            open_query(
                query=by_name[assignment.query],
                annotators=(plan.people[assignment.first], plan.people[assignment.second]),
                opened_by=opened_by,
                unchecked_labels=unchecked_labels,
                senior_reason=senior_reason,
            )
            for assignment in plan.assignments
        ]


def request_opening(*, collection: Collection, plan: OpeningPlan, requested_by: User | None) -> Job:
    """Queue a job that opens the queries as planned, some at a time.

    Raises:
        InProgress: another such job has not ended.
    """
    rows = [list(assignment) for assignment in plan.assignments]
    parameters = {
        "assignments": rows,
        "unchecked_labels": bool(plan.unchecked),
        "senior_reason": plan.senior_reason,
    }
    return request_job(OPENING_KIND, collection, parameters, requested_by)


def open_as_planned(
    *,
    collection: Collection,
    assignments: Sequence[Assignment],
    opened_by: User | None,
    work: JobContext,
    unchecked_labels: bool = False,
    senior_reason: str = "",
) -> dict[str, Any]:
    """Open the queries that are not open yet, a few in each transaction.

    A query of the plan that was opened meanwhile stays as it is, so a killed job can run again.

    Raises:
        CannotOpen: as `open_query`. The queries before it stay open.
    """
    people = people_named(name for assignment in assignments for name in assignment.couple)
    opened = 0

    def open_one(assignment: Assignment) -> None:
        nonlocal opened
        query = collection.queries.filter(name=assignment.query, opening=None).first()
        if query is not None:
            annotators = (people[assignment.first], people[assignment.second])
            open_query(
                query=query,
                annotators=annotators,
                opened_by=opened_by,
                unchecked_labels=unchecked_labels,
                senior_reason=senior_reason,
            )
            opened += 1

    change_in_steps(assignments, open_one, collection, work, "queries opened")
    return {"opened": opened}
