"""Reads what the adjudicator's pages show, without the pairs that he or she has a slot in."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple, overload

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce
from django.utils.crypto import salted_hmac

from accounts.models import Collection, User
from adjudication.blind.reading import is_agreed, must_rate_first, own_blind_rating
from adjudication.claims.reading import claimed_by_others
from adjudication.models import (
    IS_DUE,
    UNKNOWN,
    BlindRating,
    Case,
    CaseQuerySet,
    Decision,
    DueCount,
    SpotCheckCount,
)
from annotation.help_requests.reading import asked_from_case, help_of_case
from annotation.models import (
    HelpRequest,
    Judgment,
    Level,
    Pair,
    PairCount,
    Reason,
    Slot,
    SlotCount,
)
from annotation.presentation import ShownText
from annotation.qualifications.standing import STANDING, latest_basis
from annotation.services import presentation_of
from corpus.models import SOURCES, Query
from corpus.ordering import order_key
from database.natural_order import natural_key

# Counts of people who have slots of a query, or had one before a pair was opened again.
TOOK_PART = Q(total__gt=0) | Q(latest_at__isnull=False)
# Of cases: without a decision, and not waiting for answers of their judges.


@dataclass(frozen=True)
class QueryCases:
    """The cases of one query: the number due, decided, and the largest difference due.

    Spot checks are among those due. The largest difference is UNKNOWN if all are graded blind.
    """

    query: Query
    due: int
    decided: int
    widest: int

    @property
    def total(self) -> int:
        return self.due + self.decided


class CaseTotals(NamedTuple):
    """The numbers of due and of decided cases of a query, for one adjudicator.

    Spot checks are among those due, so that no number tells them from cases.
    """

    query_id: int
    name: str
    due: int
    decided: int


class ShownJudgment(NamedTuple):
    """A judgment of the case, without a name and without its slot."""

    letter: str
    grade: int | None
    reason: str
    note: str
    aspects: tuple[int, ...] = ()

    @property
    def reason_text(self) -> str:
        """The reason in words; "" where there is a grade."""
        return str(Reason(self.reason).label) if self.reason else ""


class StandingDecision(NamedTuple):
    """The standing decision on a case; `reason_text` says in words why a grade is missing."""

    is_own: bool
    grade: int | None
    reason_text: str
    note: str
    own_words: str
    key: uuid.UUID


@dataclass(frozen=True)
class ShownCase:
    """A case ready to be shown. `seen` stands for the two judgments on the page.

    While `is_blind`, the adjudicator has to grade it without the judgments: `cards` is empty, and
    nothing here tells a case from a spot check. `blind_rating` is the grade that he or she gave so.
    It `waits` while a question to its judges is open. `help_requests` are the adjudicator's own to
    the admin about it.
    """

    token: str
    query: ShownText
    candidate: ShownText
    cards: tuple[ShownJudgment, ...]
    seen: str
    decision: StandingDecision | None
    pair_id: int
    is_blind: bool = False
    blind_rating: BlindRating | None = None
    waits: bool = False
    help_requests: tuple[HelpRequest, ...] = ()
    key: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def supersedes(self) -> uuid.UUID | None:
        """The key of the adjudicator's own decision on it."""
        return self.decision.key if self.decision and self.decision.is_own else None


class DecidedCase(NamedTuple):
    """A line of the list of decided cases; `grades` are those of the cards A and B."""

    token: str
    title: str
    grades: tuple[int | None, int | None]
    final: int | None
    reason_text: str
    note: str
    is_own: bool

    @property
    def overruled(self) -> bool:
        return self.final is not None and self.final not in self.grades


def queries_with_cases(collection: Collection, user: User) -> list[CaseTotals]:
    """Every query with due or decided cases for the adjudicator.

    Those begun come first, finished ones last.
    """
    rows = [row for row in _case_totals(collection, user) if row.due or row.decided]
    return sorted(rows, key=lambda row: (not row.due, not row.decided, natural_key(row.name)))


def due_cases(collections: Iterable[int], user: User) -> dict[int, int]:
    """The number due for the adjudicator, in each of the collections that has some."""
    ids = list(collections)
    due: Counter[int] = Counter()
    foreign = _foreign_queries(ids, user).values_list("query__collection")
    due.update(dict(foreign.annotate(number=Sum(F("due") + F("spot_checks")))))
    partly = _partly_foreign_cases(ids, user).filter(IS_DUE)
    due.update(dict(partly.values_list("query__collection").annotate(Count("pk"))))
    return dict(+due)


def _case_totals(collection: Collection, user: User) -> Iterator[CaseTotals]:
    """The queries with cases for the adjudicator, from the kept counts.

    Who has a slot in every pair of a query has no case in it. After a seat was handed over a person
    may have slots in some pairs only; the other pairs of these few queries are counted.
    """
    foreign = _foreign_queries([collection.pk], user).values_list(
        "query", "query__name", "due", "decided", "spot_checks"
    )
    for query, name, due, decided, spot_checks in foreign:
        yield CaseTotals(query, name, due + spot_checks, decided)
    partly = _partly_foreign_cases([collection.pk], user).values_list("query", "query__name")
    case_counts = partly.annotate(
        due=Count("pk", filter=IS_DUE),
        decided=Count("pk", filter=Q(decision_id__isnull=False)),
    )
    yield from map(CaseTotals._make, case_counts)


def _foreign_queries(collections: list[int], user: User) -> QuerySet[Any]:
    """Counts of queries with cases or spot checks in which the person has no slot.

    With `due`, `decided` and the due `spot_checks`.
    """
    own_slots = SlotCount.objects.filter(TOOK_PART, query=OuterRef("query"), annotator=user)
    rows = PairCount.objects.filter(
        Q(disputed__gt=0) | Q(query__spot_check_count__due__gt=0),
        ~Exists(own_slots),
        query__collection__in=collections,
    )
    due = DueCount.objects.filter(query=OuterRef("query")).order_by().values("query")
    offered: QuerySet[Any] = _offered(rows, user).annotate(
        due=Coalesce(Subquery(due.annotate(sum=Sum("due")).values("sum")), 0),
        decided=Coalesce("query__case_count__settled", 0),
        spot_checks=Coalesce("query__spot_check_count__due", 0),
    )
    return offered.order_by()


def _partly_foreign_cases(collections: list[int], user: User) -> CaseQuerySet:
    """The person's cases in queries where he or she has slots in some of the pairs only."""
    return _cases_of(_partly_foreign_queries(collections, user), user)


def _partly_foreign_queries(collections: list[int], user: User) -> set[int]:
    partly = SlotCount.objects.filter(
        TOOK_PART,
        Q(query__pair_count__disputed__gt=0) | Q(query__spot_check_count__due__gt=0),
        annotator=user,
        query__collection__in=collections,
        total__lt=F("query__pair_count__total"),
    )
    return set(_offered(partly, user).order_by().values_list("query", flat=True))


def _offered(rows: Any, user: User) -> Any:
    """Of counts of queries, those in collections that offer the person cases (tiers)."""
    basis = latest_basis(Level.SENIOR, collection=OuterRef("query__collection"), person=user)
    is_offered = Q(query__collection__senior_rho=None) | Q(senior_basis__in=STANDING)
    return rows.alias(senior_basis=basis).filter(is_offered)


def _cases_of(queries: set[int], user: User) -> CaseQuerySet:
    return Case.objects.to_adjudicate().for_adjudicator(user).filter(query__in=queries).order_by()


class DueCases(Sequence[Case]):
    """An adjudicator's due cases of all queries: the largest difference first, then by query.

    Those graded blind have no difference: spot checks come last, and all of a collection that
    grades blind first by query and token alone. A token is of the collection's seed. Only the
    cases of a slice are read. `groups` are query, difference and number, in order.
    """

    def __init__(self, groups: Sequence[tuple[int, int, int]], user: User) -> None:
        self.groups, self.user = groups, user

    def __len__(self) -> int:
        return sum(due for _, _, due in self.groups)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> list[Case]: ...
    def __getitem__(self, index: int | slice) -> Case | list[Case]:
        if isinstance(index, int):
            return self[index : index + 1][0]
        start, stop, _ = index.indices(len(self))
        queries: dict[int, list[int]] = {}  # by difference, those with cases of the slice
        first, end = start, 0
        for query, difference, due in self.groups:
            if end < stop and end + due > start:
                queries.setdefault(difference, []).append(query)
                first = min(first, end)
            end += due
        if not queries:
            return []
        of_slice = [Q(difference=key, query__in=chosen) for key, chosen in queries.items()]
        cases: Any = Case.objects.waiting().for_adjudicator(self.user).filter(reduce(or_, of_slice))
        ordered = cases.order_by("-difference", "query__name", "token")
        return list(ordered.select_related("query__facet")[start - first : stop - first])


def due_in_order(collection: Collection, user: User) -> DueCases:
    """The person's due cases of all queries, the largest difference first; see DueCases."""
    if collection.grades_blind_first:
        due = {row.query_id: row.due for row in _case_totals(collection, user) if row.due}
        # The database sorts, so that the order of names is that of the cases.
        by_name = collection.queries.order_by("name").values_list("pk", flat=True)
        return DueCases([(pk, UNKNOWN, due[pk]) for pk in by_name if pk in due], user)
    partly = _partly_foreign_queries([collection.pk], user)
    own_due = _cases_of(partly, user).filter(IS_DUE).values_list("query", "difference")
    counted = {(query, difference): due for query, difference, due in own_due.annotate(Count("pk"))}
    own_slots = SlotCount.objects.filter(TOOK_PART, query=OuterRef("query"), annotator=user)
    kept = DueCount.objects.filter(
        ~Exists(own_slots) | Q(query__in=partly), query__collection=collection, due__gt=0
    )
    spot_checks = SpotCheckCount.objects.filter(
        ~Exists(own_slots) | Q(query__in=partly), query__collection=collection, due__gt=0
    )
    # The database sorts, so that the order of names is that of the cases.
    ordered = [
        *kept.order_by("-difference", "query__name").values_list("query", "difference", "due"),
        *spot_checks.order_by("query__name").values_list("query", Value(UNKNOWN), "due"),
    ]
    foreign_or_counted = (
        (query, difference, counted.get((query, difference), 0) if query in partly else due)
        for query, difference, due in ordered
    )
    return DueCases([group for group in foreign_or_counted if group[2]], user)


def due_by_query(collection: Collection, user: User, limit: int) -> list[tuple[int, int, int]]:
    """The first queries of the queue: id, largest difference due, and number of due cases.

    Those with spot checks only come last. In a collection that grades blind first all come by name.
    """
    if collection.grades_blind_first:
        totals = sorted(_case_totals(collection, user), key=lambda row: natural_key(row.name))
        return [(row.query_id, UNKNOWN, row.due) for row in totals if row.due][:limit]
    partly = _partly_foreign_queries([collection.pk], user)
    own_slots = SlotCount.objects.filter(TOOK_PART, query=OuterRef("query"), annotator=user)
    kept = DueCount.objects.filter(~Exists(own_slots), query__collection=collection, due__gt=0)
    sums = {"widest": Max("difference"), "number": Sum("due")}
    if partly:
        own_due = _cases_of(partly, user).filter(IS_DUE)
        own_sums = {"widest": Max("difference"), "number": Count("pk")}
        found = [*_by_query(kept, sums), *_by_query(own_due, own_sums)]
    else:
        found = list(_by_query(kept, sums)[: None if collection.spot_check_share else limit])
    if collection.spot_check_share:
        found = _with_spot_checks(found, collection, own_slots)
    ordered = sorted(found, key=lambda row: (-row[2], natural_key(row[1])))
    return [(pk, widest, number) for pk, _, widest, number in ordered[:limit]]


def _with_spot_checks(
    rows: Sequence[tuple[int, str, int, int]], collection: Collection, own_slots: QuerySet[Any]
) -> list[tuple[int, str, int, int]]:
    """The rows of `_by_query` with the counts of spot checks, and queries that have no case."""
    kept = SpotCheckCount.objects.filter(
        ~Exists(own_slots), query__collection=collection, due__gt=0
    ).values_list("query", "query__name", "due")
    by_query = {row[0]: row for row in rows}
    for query, name, due in kept:
        _, _, widest, number = by_query.get(query, (query, name, UNKNOWN, 0))
        by_query[query] = (query, name, widest, number + due)
    return list(by_query.values())


def _by_query(rows: QuerySet[Any], sums: dict[str, Any]) -> QuerySet[Any]:
    summed = rows.order_by().values("query", "query__name").annotate(**sums)
    ordered: QuerySet[Any] = summed.order_by("-widest", "query__name").values_list(
        "query", "query__name", "widest", "number"
    )
    return ordered


def own_decisions(collection: Collection, user: User) -> QuerySet[Any]:
    """The person's decisions, the latest first, each with the `standing` one on its pair."""
    later = Decision.objects.filter(
        pair=OuterRef("pair"), referral_count=F("pair__referral_count")
    ).order_by("-sequence")
    standing = later.annotate(
        is_current=Exists(_slots_showing(1, "first")) & Exists(_slots_showing(2, "second"))
    ).filter(is_current=True)
    return (
        Decision.objects.filter(adjudicator=user, pair__query__collection=collection)
        .annotate(standing=Subquery(standing.values("pk")[:1]))
        .select_related("pair__query")
        .order_by("-pk")
    )


def _slots_showing(number: int, side: str) -> QuerySet[Slot]:
    """The slot of this number, if it still holds the judgment that the decision saw."""
    return Slot.objects.filter(
        pair=OuterRef("pair"), number=number, judgment=OuterRef(f"{side}_id")
    )


def query_cases(totals: Iterable[CaseTotals], user: User) -> list[QueryCases]:
    """These queries as the list shows them, in the same order."""
    rows = list(totals)
    # A subquery for each query, because PostgreSQL joins all slots for a list of queries.
    due = Case.objects.waiting().for_adjudicator(user).filter(query=OuterRef("pk"))
    widest = due.order_by("-difference").values("difference")[:1]
    queries: dict[int, Any] = (
        Query.objects.with_titles()
        .annotate(widest=Subquery(widest))
        .in_bulk([row.query_id for row in rows])
    )
    return [
        QueryCases(queries[row.query_id], row.due, row.decided, queries[row.query_id].widest or 0)
        for row in rows
    ]


def holds_slots(collection: Collection, user: User) -> bool:
    counts = SlotCount.objects.filter(query__collection=collection, annotator=user)
    return counts.filter(total__gt=0).exists()


def query_to_decide(collection: Collection, name: str) -> Query | None:
    return (
        collection.queries.filter(name=name, opening__isnull=False)
        .select_related("facet", "opening__guideline", *SOURCES)
        .first()
    )


def pair_to_decide(query: Query, user: User, token: str) -> Pair | None:
    """The pair, case or not any more, unless the adjudicator holds a slot in it."""
    pairs = query.pairs.filter(token=token).exclude(slots__annotator=user)
    return pairs.select_related("candidate__document").first()


def counts(query: Query, user: User) -> dict[str, int]:
    """The numbers of due and of decided cases of the query."""
    cases = Case.objects.to_adjudicate().for_adjudicator(user).filter(query=query)
    return cases.aggregate(
        due=Count("pk", filter=IS_DUE),
        decided=Count("pk", filter=Q(decision_id__isnull=False)),
    )


def all_counts(collection: Collection, user: User) -> dict[str, int]:
    """The numbers of due and of decided cases of all queries."""
    totals = list(_case_totals(collection, user))
    return {
        "due": sum(row.due for row in totals),
        "decided": sum(row.decided for row in totals),
    }


def next_token(query: Query, user: User, put_off: Sequence[int] = ()) -> str | None:
    """The token of `next_case`."""
    case = next_case(query, user, put_off)
    return case.token if case else None


def next_case(query: Query, user: User, put_off: Sequence[int] = ()) -> Case | None:
    """The due case with the largest difference; those put off come last, in their order.

    Those that another adjudicator has open are left out.
    """
    held = claimed_by_others(query.collection, user)
    due: Any = Case.objects.waiting().for_adjudicator(user).filter(query=query)
    due = due.exclude(pk__in=held)
    ordered = due.exclude(pk__in=put_off).order_by("-difference", "token")
    case: Case | None = ordered.first()
    if case is not None or not put_off:
        return case
    cases: dict[int, Case] = {case.pk: case for case in due.filter(pk__in=put_off)}
    return next((cases[pk] for pk in put_off if pk in cases), None)


def next_of_all(collection: Collection, user: User, put_off: Sequence[int] = ()) -> Case | None:
    """The due case with the largest difference in all queries; those put off come last.

    Those that another adjudicator has open are left out.
    """
    held = claimed_by_others(collection, user)
    # One more than were put off, so one of them was not, unless these are all there are.
    first = due_in_order(collection, user)[: len(held) + len(put_off) + 1]
    cases = [case for case in first if case.pk not in held]
    places = {pk: place for place, pk in enumerate(put_off)}
    return min(cases, key=lambda case: places.get(case.pk, -1), default=None)


def token_before(query: Query, user: User, token: str = "") -> str | None:
    """The case that the adjudicator decided last; or, seen from one of these, the one before it."""
    decided_cases = (
        Case.objects.decided()
        .for_adjudicator(user)
        .filter(query=query, decision_id__in=Decision.objects.filter(adjudicator=user).values("pk"))
    )
    decision_id = decided_cases.filter(token=token).values_list("decision_id", flat=True).first()
    if decision_id is not None:
        decided_cases = decided_cases.filter(decision_id__lt=decision_id)
    return decided_cases.order_by("-decision_id").values_list("token", flat=True).first()


def case_before(
    collection: Collection, user: User, query: Query, token: str
) -> tuple[str, str] | None:
    """As `token_before`, over all queries: the query's name and the token."""
    own = own_decisions(collection, user).filter(standing=F("pk"))
    seen = own.filter(pair__query=query, pair__token=token).values_list("pk", flat=True).first()
    if seen is not None:
        own = own.filter(pk__lt=seen)
    decision = own.first()
    return None if decision is None else (decision.pair.query.name, decision.pair.token)


def shown_case(query: Query, user: User, token: str) -> ShownCase | None:
    """The case, or the due spot check. No judgment is read while it must be graded blind."""
    case: Any = (
        Case.objects.to_adjudicate()
        .for_adjudicator(user)
        .filter(query=query, token=token)
        .annotate(has_help=asked_from_case(user))
        .select_related("candidate__document")
        .first()
    )
    if case is None:
        return None
    case.query = query
    presentation = presentation_of(case, query.opening.guideline.version)
    is_blind = is_agreed(case) or must_rate_first(query.collection, case, user.pk)
    judgments = {} if is_blind else Judgment.objects.in_bulk([case.first, case.second])
    return ShownCase(
        token=case.token,
        query=presentation.query,
        candidate=presentation.candidate,
        cards=()
        if is_blind
        else _cards(query, case, judgments[case.first], judgments[case.second]),
        seen=judgments_digest(case.pk, case.first, case.second),
        decision=_standing_decision(case.decision_id, user),
        pair_id=case.pk,
        is_blind=is_blind,
        blind_rating=None if is_blind else own_blind_rating(case, user.pk),
        waits=case.waits,
        help_requests=tuple(help_of_case(case.pk, user)) if case.has_help else (),
    )


def _cards(
    query: Query, case: Pair, first: Judgment, second: Judgment
) -> tuple[ShownJudgment, ShownJudgment]:
    left, right = _sides(query, case.candidate.document.docno, first, second)
    return _card("a", left), _card("b", right)


def _sides(query: Query, docno: str, first: Any, second: Any) -> tuple[Any, Any]:
    """The two judgments in a fixed random order, which follows from the seed alone."""
    flip = int(order_key(query.collection.seed, "case-sides", query.name, docno), 16) % 2
    return (second, first) if flip else (first, second)


def _card(letter: str, judgment: Judgment) -> ShownJudgment:
    return ShownJudgment(
        letter, judgment.grade, judgment.reason, judgment.note, tuple(judgment.aspects or ())
    )


def _standing_decision(decision_id: int | None, user: User) -> StandingDecision | None:
    if decision_id is None:
        return None
    decision = Decision.objects.get(pk=decision_id)
    own_words = decision.note if decision.reason == Reason.OTHER else ""
    is_own = decision.adjudicator_id == user.pk
    return StandingDecision(
        is_own, decision.grade, *reason_and_note(decision), own_words, decision.key
    )


def reason_and_note(decision: Decision | BlindRating) -> tuple[str, str]:
    """The reason for a missing grade, and the note. A reason in own words replaces the note."""
    if decision.reason == Reason.OTHER and decision.note:
        return decision.note, ""
    return str(Reason(decision.reason).label) if decision.reason else "", decision.note


def judgments_digest(pair_id: int, first: int, second: int) -> str:
    """A digest of two judgments, because the order of their ids would reveal the slots."""
    value = f"{pair_id}:{first}:{second}"
    return salted_hmac("adjudication.seen", value, algorithm="sha256").hexdigest()


def judgments_of_digest(pair: Pair, digest: str) -> tuple[int, int]:
    """The two judgments of the digest, revised since or not; (0, 0) if there are none.

    A ruling sent before a revision must be recognized when it is sent again after it.
    """
    judgments = Judgment.objects.filter(slot__pair=pair).order_by("-pk")
    by_slot: dict[int, list[int]] = {1: [], 2: []}
    for number, judgment in judgments.values_list("slot__number", "pk"):
        by_slot[number].append(judgment)
    id_pairs = product(by_slot[1], by_slot[2])
    return next((ids for ids in id_pairs if judgments_digest(pair.pk, *ids) == digest), (0, 0))


def judgments_on_page(
    query: Query, pair: Pair, judgment_ids: tuple[int, int]
) -> tuple[ShownJudgment, ...]:
    """The cards on the page that showed these two judgments."""
    judgments = Judgment.objects.in_bulk(judgment_ids)
    if len(judgments) < len(judgment_ids):
        return ()
    return _cards(query, pair, judgments[judgment_ids[0]], judgments[judgment_ids[1]])


def decided_cases(query: Query, user: User) -> list[DecidedCase]:
    """Every decided case of the query, the latest first.

    In a collection that grades blind first only the person's own: another's may become due again.
    """
    decided = Case.objects.decided().for_adjudicator(user).filter(query=query)
    if query.collection.grades_blind_first:
        own = Decision.objects.filter(adjudicator=user, pair__query=query)
        decided = decided.filter(decision_id__in=own.values("pk"))
    cases = list(
        decided.annotate(
            docno=F("candidate__document__docno"), candidate_title=F("candidate__document__title")
        )
        .order_by("-decision_id")
        .values_list(
            "token", "candidate_title", "docno", "first_grade", "second_grade", "decision_id"
        )
    )
    decisions = Decision.objects.in_bulk([row[-1] for row in cases])
    return [
        DecidedCase(
            token,
            title,
            _sides(query, docno, first, second),
            decision.grade,
            *reason_and_note(decision),
            decision.adjudicator_id == user.pk,
        )
        for token, title, docno, first, second, decision_id in cases
        for decision in [decisions[decision_id]]
    ]
