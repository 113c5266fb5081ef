"""The people who are checked, with a sample of their own pairs and of those of others."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import JUDGES_AND_ADJUDICATORS, Collection, Role, User
from adjudication.blind.reading import hidden_pairs
from adjudication.models import Case
from annotation.models import Pair, Slot
from corpus.ordering import order_key
from release.proofs.blindness.addresses import PairAddress

BLIND = frozenset(JUDGES_AND_ADJUDICATORS)
OWN, GRADED_BLIND, OF_OTHERS, COMPARED = 6, 4, 2, 2  # pairs of a person
COLUMNS = ("query__name", "token", "candidate__document__docno", "query__query_paper__name")


class CheckedPerson(NamedTuple):
    """A person with the pairs that he or she can open, and others that must be refused.

    `compared` are slots of others: their judgments are changed for the comparison. `graded_blind`
    are own pairs whose judgments an adjudicator must not see before his or her own grade. An
    owner-annotator may know who the other people are, because he or she gives them their roles.
    """

    person: User
    role: Role
    own: list[PairAddress]
    of_others: list[PairAddress]
    compared: list[int]
    graded_blind: list[PairAddress]

    @property
    def is_adjudicator(self) -> bool:
        return self.role == Role.ADJUDICATOR

    @property
    def knows_people(self) -> bool:
        return self.role == Role.OWNER_ANNOTATOR


def blind_people(collection: Collection) -> list[CheckedPerson]:
    """Those who annotate or adjudicate. An admin may know everything about the judging."""
    members = collection.memberships.filter(role__in=BLIND, user__is_active=True)
    return [
        checked_person(collection, member.user, Role(member.role))
        for member in members.select_related("user").order_by("user")
    ]


def checked_person(collection: Collection, person: User, role: Role) -> CheckedPerson:
    """The samples follow from the collection's seed."""
    graded_blind: list[PairAddress] = []
    own_slots = Slot.objects.filter(pair=OuterRef("pk"), annotator=person)
    of_others = Pair.objects.of(collection).filter(~Exists(own_slots)).order_by("pk")
    if role == Role.ADJUDICATOR:
        cases = Case.objects.cases().for_adjudicator(person).filter(query__collection=collection)
        graded_blind = _addresses(hidden_pairs(collection, person).order_by("pk")[:GRADED_BLIND])
        own = [*_addresses(cases.order_by("pk")[:OWN]), *graded_blind]
        # The judgment of such a pair is its author's alone.
        of_others = of_others.with_grades().filter(Q(first=None) ^ Q(second=None))
        half_judged = of_others.values_list("pk", flat=True)[:COMPARED]
        judged = Slot.objects.filter(pair__in=list(half_judged), judgment__isnull=False)
        compared = list(judged.values_list("pk", flat=True))
    else:
        slots = _sampled_slots(collection, person)
        own = [PairAddress._make(row[:4]) for row in slots]
        compared = [pk for *_, pk in slots[:COMPARED]]
    return CheckedPerson(
        person, role, own, _addresses(of_others[:OF_OTHERS]), compared, graded_blind
    )


def _sampled_slots(collection: Collection, person: User) -> list[tuple[str, str, str, str, int]]:
    """Own pairs, as addresses name them, with the slot of the other. Half of them are unjudged."""
    rows = (
        Slot.objects.of(collection)
        .for_annotator(person)
        .order_by()
        .values_list("pk", "pair", "pair__query__name", "pair__token", "judgment")
    )
    by_judged: dict[bool, list[tuple[str, int]]] = {False: [], True: []}
    for _, pair, query, token, judgment in rows.iterator():
        key = order_key(collection.seed, f"blindness:{person.username}", query, token)
        by_judged[judgment is not None].append((key, pair))
    half = OWN // 2
    halves = [[pair for _, pair in sorted(pairs)[:half]] for pairs in by_judged.values()]
    # In turn an unjudged and a judged one, so that the first few have both.
    chosen = [pair for turn in zip_longest(*halves) for pair in turn if pair is not None]
    found = {
        pair: rest
        for *rest, pair in Slot.objects.filter(pair__in=chosen)
        .exclude(annotator=person)
        .order_by()
        .values_list(*(f"pair__{column}" for column in COLUMNS), "pk", "pair")
    }
    return [tuple(found[pair]) for pair in chosen if pair in found]


def _addresses(pairs: QuerySet[Any]) -> list[PairAddress]:
    return [PairAddress._make(row) for row in pairs.values_list(*COLUMNS)]
