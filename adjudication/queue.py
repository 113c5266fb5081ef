"""What the adjudicator's pages show. Pairs that he or she holds a slot in do not exist here."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from django.db.models import Count, F, Q
from django.utils.crypto import salted_hmac

from accounts.models import Collection, User
from adjudication.models import Case, CaseQuerySet, Decision
from annotation.models import Judgment, Pair, Reason, Slot
from annotation.presentation import ShownText
from annotation.services import presentation_of
from corpus.models import Query
from corpus.ordering import order_key


@dataclass(frozen=True)
class Docket:
    """The cases of one query: how many are due, how many are settled."""

    query: Query
    due: int
    settled: int
    widest: int

    @property
    def total(self) -> int:
        return self.due + self.settled


class Card(NamedTuple):
    """One of the two judgments, without a name and without its slot."""

    letter: str
    grade: int | None
    reason: str
    note: str

    @property
    def why(self) -> str:
        """The reason in words; "" where there is a grade."""
        return Reason(self.reason).label if self.reason else ""


class Ruled(NamedTuple):
    """The standing decision on a case; `why` there is no grade, in words."""

    mine: bool
    grade: int | None
    why: str
    note: str
    own_words: str
    key: uuid.UUID


@dataclass(frozen=True)
class ShownCase:
    """One case ready to be shown. `seen` stands for the two judgments on the page."""

    token: str
    query: ShownText
    candidate: ShownText
    cards: tuple[Card, Card]
    seen: str
    ruled: Ruled | None
    key: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def supersedes(self) -> uuid.UUID | None:
        """The key of the adjudicator's own decision on it."""
        return self.ruled.key if self.ruled and self.ruled.mine else None


class SettledCase(NamedTuple):
    """A line of the list of settled cases; `grades` are those of the cards A and B."""

    token: str
    title: str
    grades: tuple[int | None, int | None]
    final: int | None
    why: str
    note: str
    mine: bool

    @property
    def overruled(self) -> bool:
        return self.final is not None and self.final not in self.grades


def cases_for(collection: Collection, user: User) -> CaseQuerySet:
    return Case.objects.cases().for_adjudicator(user).filter(query__collection=collection)


def dockets(collection: Collection, user: User) -> list[Docket]:
    """Every query with cases for the adjudicator; those begun come first, finished ones last."""
    counted = (
        cases_for(collection, user).order_by().values_list("query_id", "difference", "decision_id")
    )
    due: dict[int, list[int]] = {}
    settled: dict[int, int] = {}
    for query, difference, decision in counted:
        due.setdefault(query, [])
        settled.setdefault(query, 0)
        if decision is None:
            due[query].append(difference)
        else:
            settled[query] += 1
    queries = collection.queries.filter(pk__in=due).select_related("facet", "query_paper__document")
    found = [
        Docket(query, len(due[query.pk]), settled[query.pk], max(due[query.pk], default=0))
        for query in queries
    ]
    return sorted(found, key=lambda docket: (not docket.due, not docket.settled, docket.query.name))


def holds_slots(collection: Collection, user: User) -> bool:
    return Slot.objects.of(collection).for_annotator(user).exists()


def query_to_settle(collection: Collection, name: str) -> Query | None:
    return (
        collection.queries.filter(name=name, opening__isnull=False)
        .select_related("facet", "opening__guideline", "query_paper__document")
        .first()
    )


def pair_to_settle(query: Query, user: User, token: str) -> Pair | None:
    """The pair, case or not any more, unless the adjudicator holds a slot in it."""
    mine = query.pairs.filter(token=token).exclude(slots__annotator=user)
    return mine.select_related("candidate__document").first()


def counts(query: Query, user: User) -> dict[str, int]:
    """How many cases of the query are due, and how many are settled."""
    cases = Case.objects.cases().for_adjudicator(user).filter(query=query)
    return cases.aggregate(
        due=Count("pk", filter=Q(decision_id=None)),
        settled=Count("pk", filter=Q(decision_id__isnull=False)),
    )


def next_token(query: Query, user: User) -> str | None:
    """The due case with the largest difference."""
    due = Case.objects.due().for_adjudicator(user).filter(query=query)
    return due.order_by("-difference", "token").values_list("token", flat=True).first()


def token_before(query: Query, user: User, token: str = "") -> str | None:
    """The case that the adjudicator settled last; or, seen from one of these, the one before it."""
    mine = (
        Case.objects.decided()
        .for_adjudicator(user)
        .filter(query=query, decision_id__in=Decision.objects.filter(adjudicator=user).values("pk"))
    )
    here = mine.filter(token=token).values_list("decision_id", flat=True).first()
    if here is not None:
        mine = mine.filter(decision_id__lt=here)
    return mine.order_by("-decision_id").values_list("token", flat=True).first()


def shown_case(query: Query, user: User, token: str) -> ShownCase | None:
    case: Any = (
        Case.objects.cases()
        .for_adjudicator(user)
        .filter(query=query, token=token)
        .select_related("candidate__document")
        .first()
    )
    if case is None:
        return None
    case.query = query
    presentation = presentation_of(case, query.opening.guideline.version)
    said = Judgment.objects.in_bulk([case.first, case.second])
    return ShownCase(
        token=case.token,
        query=presentation.query,
        candidate=presentation.candidate,
        cards=_cards(query, case, said[case.first], said[case.second]),
        seen=seen_digest(case.pk, case.first, case.second),
        ruled=_ruled(case.decision_id, user),
    )


def _cards(query: Query, case: Pair, first: Judgment, second: Judgment) -> tuple[Card, Card]:
    left, right = _sides(query, case.candidate.document.docno, first, second)
    return _card("a", left), _card("b", right)


def _sides(query: Query, docno: str, first: Any, second: Any) -> tuple[Any, Any]:
    """The two in a random order that stays: which slot is A follows from the seed alone."""
    flip = int(order_key(query.collection.seed, "case-sides", query.name, docno), 16) % 2
    return (second, first) if flip else (first, second)


def _card(letter: str, said: Judgment) -> Card:
    return Card(letter, said.grade, said.reason, said.note)


def _ruled(decision_id: int | None, user: User) -> Ruled | None:
    if decision_id is None:
        return None
    decision = Decision.objects.get(pk=decision_id)
    own_words = decision.note if decision.reason == Reason.OTHER else ""
    mine = decision.adjudicator_id == user.pk
    return Ruled(mine, decision.grade, *words_of(decision), own_words, decision.key)


def words_of(decision: Decision) -> tuple[str, str]:
    """Why there is no grade, and the note. What the adjudicator wrote himself or herself is why."""
    if decision.reason == Reason.OTHER and decision.note:
        return decision.note, ""
    return Reason(decision.reason).label if decision.reason else "", decision.note


def seen_digest(pair_id: int, first: int, second: int) -> str:
    """Stands for two judgments without telling their ids, whose order would tell the slots."""
    value = f"{pair_id}:{first}:{second}"
    return salted_hmac("adjudication.seen", value, algorithm="sha256").hexdigest()


def judgments_seen(pair: Pair, seen: str) -> tuple[int, int]:
    """The two judgments that `seen` stands for, revised since or not; (0, 0) when there are none.

    What was sent before a revision, and is sent again after it, must be known as the same.
    """
    made = Judgment.objects.filter(slot__pair=pair).order_by("-pk")
    by_slot: dict[int, list[int]] = {1: [], 2: []}
    for number, judgment in made.values_list("slot__number", "pk"):
        by_slot[number].append(judgment)
    both = product(by_slot[1], by_slot[2])
    return next((ids for ids in both if seen_digest(pair.pk, *ids) == seen), (0, 0))


def cards_seen(query: Query, pair: Pair, seen: tuple[int, int]) -> tuple[Card, ...]:
    """The cards on the page that showed these two judgments."""
    judgments = Judgment.objects.in_bulk(seen)
    if len(judgments) < len(seen):
        return ()
    return _cards(query, pair, judgments[seen[0]], judgments[seen[1]])


def settled_cases(query: Query, user: User) -> list[SettledCase]:
    """Every settled case of the query, the latest first."""
    return list(_settled(query, user))


def _settled(query: Query, user: User) -> Iterator[SettledCase]:
    rows = (
        Case.objects.decided()
        .for_adjudicator(user)
        .filter(query=query)
        .annotate(
            docno=F("candidate__document__docno"), candidate_title=F("candidate__document__title")
        )
        .order_by("-decision_id")
        .values_list(
            "token", "candidate_title", "docno", "first_grade", "second_grade", "decision_id"
        )
    )
    found = list(rows)
    decisions = Decision.objects.in_bulk([row[-1] for row in found])
    for token, title, docno, first, second, decision_id in found:
        decision = decisions[decision_id]
        yield SettledCase(
            token,
            title,
            _sides(query, docno, first, second),
            decision.grade,
            *words_of(decision),
            decision.adjudicator_id == user.pk,
        )
