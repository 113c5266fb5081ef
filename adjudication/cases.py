"""The cases that an adjudicator may see. A pair that they judge themselves is in no list, count or order here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Abs, Coalesce

from accounts.models import Collection, User
from adjudication.decisions import NO_CASE, current_decision, judgment_of
from adjudication.models import Decision, DecisionQuerySet, sides
from annotation.judging import AHEAD
from annotation.models import Pair, PairState, Slot
from annotation.presentation import present
from corpus.models import Query
from web.errors import NotFound

MISSING = 9  # the difference where a grade is missing: more than that of any two grades


def cases_for(adjudicator: User, collection: Collection) -> QuerySet[Any]:
    """Cases to decide, and decided ones, with the absolute `difference` of their grades."""
    first, second = (
        Subquery(Slot.objects.filter(pair=OuterRef("pk"), number=number).values("judgment__grade")[:1])
        for number in (1, 2)
    )
    own = Slot.objects.filter(pair=OuterRef("pk"), judge=adjudicator)
    return (
        Pair.objects.of(collection)
        .filter(~Exists(own), state__in=[PairState.CASE, PairState.DECIDED])
        .annotate(difference=Coalesce(Abs(first - second), Value(MISSING), output_field=IntegerField()))
    )


def queue(adjudicator: User, collection: Collection) -> list[dict[str, Any]]:
    """The queries with cases, the largest difference to decide first; those that are done come last."""
    to_decide = Q(state=PairState.CASE)
    rows = (
        cases_for(adjudicator, collection)
        .values("query")
        .annotate(total=Count("pk"), left=Count("pk", filter=to_decide), widest=Max("difference", filter=to_decide))
        .order_by(F("widest").desc(nulls_last=True), "query__name")
    )
    queries = collection.queries.select_related("document").in_bulk([row["query"] for row in rows])
    return [row | {"query": queries[row["query"]], "decided": row["total"] - row["left"]} for row in rows]


class Case:
    """A pair with what its page shows: both judgments without names, and the candidate as judges see it."""

    def __init__(self, pair: Pair, query: Query) -> None:
        slots = [judgment_of(slot) for slot in pair.slots.all()]
        self.token, self.candidate = pair.token, present(query, pair.document, 0).candidate
        self.a, self.b = sides(query.collection.seed, query.name, pair.document.docno, *slots)
        self.sides = [("a", self.a), ("b", self.b)]
        self.decision = current_decision(pair)
        self.reopening = next(iter(pair.reopenings.all()), None)


def _cases(pairs: QuerySet[Pair], query: Query) -> list[Case]:
    slots = Prefetch("slots", Slot.objects.select_related("judgment").order_by("number"))
    pairs = pairs.select_related("document").prefetch_related(slots, "reopenings")
    return [Case(pair, query) for pair in pairs.defer("document__cites", "document__authors", "document__extra")]


def own_decisions(adjudicator: User, collection: Collection) -> DecisionQuerySet:
    """Those that count."""
    return Decision.objects.standing().filter(adjudicator=adjudicator, collection=collection)


def next_cases(adjudicator: User, query: Query, *, without: Iterable[str] = (), number: int = AHEAD) -> list[Case]:
    """The cases to decide next, the largest difference first; `without` are tokens that the page has already."""
    waiting = cases_for(adjudicator, query.collection).filter(query=query, state=PairState.CASE)
    return _cases(waiting.exclude(token__in=list(without)).order_by("-difference", "token")[:number], query)


def previous_case(adjudicator: User, query: Query, before: str = "") -> Case | None:
    """The case that the person decided last, or last before that of a token."""
    decisions = own_decisions(adjudicator, query.collection).filter(pair__query=query).order_by("-pk")
    if shown := decisions.filter(pair__token=before).first():
        decisions = decisions.filter(pk__lt=shown.pk)
    found = _cases(Pair.objects.filter(pk__in=decisions.values("pair")[:1]), query)
    return found[0] if found else None


def find_case(adjudicator: User, query: Query, token: str) -> Case:
    """One to decide, or one that the person decided. What others decided changes only once it is re-opened."""
    decided = own_decisions(adjudicator, query.collection).filter(pair=OuterRef("pk"))
    pairs = cases_for(adjudicator, query.collection).filter(query=query, token=token)
    found = _cases(pairs.filter(Q(state=PairState.CASE) | Exists(decided)), query)
    if not found:
        raise NotFound(NO_CASE)
    return found[0]


def decided_before(adjudicator: User, query: Query) -> DecisionQuerySet:
    """Everyone's decisions of a query, the newest first: by them the next ones are made alike."""
    own = Slot.objects.filter(pair=OuterRef("pair"), judge=adjudicator)
    decisions = Decision.objects.standing().filter(~Exists(own), pair__query=query)
    return decisions.with_texts().order_by("-pk")
