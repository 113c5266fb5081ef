"""Owner-annotators: what is left in their own queries, and how they end judging.

An owner-annotator becomes an admin when every query in which he or she has slots is done. A rule of
the database says the same (`adjudication/rules/people.py`).
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from django.db import transaction
from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.locking import lock_collection
from accounts.models import Collection, Role, User
from accounts.services import AccountError
from annotation.models import SlotCount
from web.words import count_noun

NAMED = 5  # queries in an error


class OwnQuery(NamedTuple):
    """A query that is not done, with the number of the person's own pairs to judge in it."""

    name: str
    remaining: int


class OwnWork(NamedTuple):
    """The work that keeps an owner-annotator from ending judging.

    `pairs` are the own ones to judge, in `queries` queries, of which `named` are the first.
    `waits` is True if a query that the person has judged is not done.
    """

    pairs: int
    queries: int
    named: list[OwnQuery]
    waits: bool

    @property
    def is_done(self) -> bool:
        return not self.pairs and not self.waits


class NotDone(AccountError):
    """Queries of the owner-annotator are not done. It tells no counts of other people."""

    status: ClassVar[int] = 409

    def __init__(self, work: OwnWork) -> None:
        super().__init__(f"Your role has not changed. {' '.join(open_work(work))}")


def open_work(work: OwnWork) -> list[str]:
    """Sentences about what is left: the own pairs with their number, and whether others are due."""
    sentences = []
    if work.pairs:
        names = ", ".join(f"{name} ({left:,})" for name, left in work.named)
        more = work.queries - len(work.named)
        and_more = f" and {more:,} more queries" if more else ""
        sentences.append(f"You have {count_noun(work.pairs, 'pair')} to judge: {names}{and_more}.")
    if work.waits:
        sentences.append(
            "Queries that you have judged wait for others: the other judge, or the adjudicator."
        )
    return sentences


def own_work(collection: Collection, person: User) -> OwnWork:
    """From kept counts, without reading every query."""
    settled = Coalesce("query__case_count__settled", 0)
    is_open = Q(query__pair_count__judged__lt=F("query__pair_count__total")) | Q(
        query__pair_count__disputed__gt=settled
    )
    queries = (
        SlotCount.objects.filter(is_open, annotator=person, query__collection=collection)
        .filter(total__gt=0)
        .order_by()
        .values("query__name", "query__name_order")  # two rows if the person has slots in both
        .annotate(remaining=Sum(F("total") - F("judged")))
    )
    own = queries.filter(remaining__gt=0)
    numbers = own.aggregate(pairs=Sum("remaining"), queries=Count("remaining"))
    named = own.order_by("query__name_order").values_list("query__name", "remaining")[:NAMED]
    return OwnWork(
        pairs=numbers["pairs"] or 0,
        queries=numbers["queries"],
        named=[OwnQuery(*row) for row in named],
        waits=queries.filter(remaining=0).exists(),
    )


def end_judging(*, collection: Collection, person: User) -> None:
    """Make an owner-annotator an admin, who never judges in this collection again.

    Raises:
        NotDone: a query with slots of the person is not done.
        AccountError: the person is no owner-annotator of the collection.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        membership = locked_collection.memberships.filter(
            user=person, role=Role.OWNER_ANNOTATOR
        ).first()
        if membership is None:
            raise AccountError(f"You are not an owner-annotator of {collection}.")
        work = own_work(locked_collection, person)
        if not work.is_done:
            raise NotDone(work)
        membership.role = Role.ADMIN
        membership.save(update_fields=["role"])
        record_action(
            kind=ActionKind.JUDGING_ENDED,
            collection=locked_collection,
            subject=about_person(person),
            details={"role": membership.role},
            by=person,
        )
