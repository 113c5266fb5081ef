"""Makes the repeats of a person's unjudged slots, and of old pairs among those of a pool round."""

from __future__ import annotations

from collections.abc import Collection as Group

from accounts.models import User
from annotation.models import Judgment, Opening, Repeat, Slot
from annotation.repeats.choice import chosen, old_pairs_among, purpose_among, purpose_of
from corpus.models import Query
from corpus.ordering import order_key
from database.bulk import insert_rows

TOKEN_LENGTH = 16  # as that of a pair


def plan_repeats(query: Query, number: int, *, pool_round: int | None = None) -> int:
    """Make the repeats of the unjudged slots of this number, and return how many they are.

    With a `pool_round`, only of its pairs. The share is that of the collection now: a change of it
    leaves repeats as they are. A pair that its judge had again in this round is left out. Needs a
    transaction that has the collection's lock.
    """
    of_opening = Opening.objects.values_list(
        "round", "query__collection__repeat_share", "query__collection__seed"
    )
    round_number, share, seed = of_opening.get(query=query)
    if not share:
        return 0
    rows = (
        Slot.objects.unjudged()
        .filter(pair__query=query, number=number)
        .order_by("annotator", "position")
        .values_list("annotator", "annotator__username", "pair__candidate__document__docno", "pk")
    )
    if pool_round is not None:
        rows = rows.filter(pair__candidate__round=pool_round)
    repeated = set(
        Repeat.objects.filter(query=query, round=round_number).values_list("slot", "annotator")
    )
    own: dict[tuple[int, str], dict[str, int]] = {}
    for annotator, username, docno, slot in rows:
        if (slot, annotator) not in repeated:
            own.setdefault((annotator, username), {})[docno] = slot
    new = []
    for (annotator, username), slots in own.items():
        purpose = purpose_of(username, round_number)
        for docno in chosen(list(slots), share, seed=seed, query=query.name, purpose=purpose):
            token = order_key(seed, f"token:{purpose}", query.name, docno)[:TOKEN_LENGTH]
            new.append((slots[docno], query.pk, annotator, round_number, token))
    insert_rows(Repeat, ("slot", "query", "annotator", "round", "token"), new)
    return len(new)


def plan_old_pairs(
    query: Query,
    number: int,
    annotator: User,
    count: int,
    *,
    pool_round: int,
    known: Group[int] = (),
) -> int:
    """Let `count` judged pairs of earlier pool rounds come among those of this one.

    Of the slots of this number, or as many as there are. Left out are pairs that the annotator
    judged in the other seat or had again in this judging round, and those in `known`, such as
    pairs that he or she decided. Returns how many they are. Needs a transaction that has the
    collection's lock.
    """
    of_opening = Opening.objects.values_list("round", "query__collection__seed")
    round_number, seed = of_opening.get(query=query)
    judged_elsewhere = Judgment.objects.filter(
        annotator=annotator, slot__pair__query=query
    ).exclude(slot__annotator=annotator, slot__number=number)
    repeated = Repeat.objects.filter(query=query, round=round_number, annotator=annotator)
    rows = (
        Slot.objects.judged()
        .filter(pair__query=query, number=number, pair__candidate__round__lt=pool_round)
        .exclude(pair__in=judged_elsewhere.values("slot__pair"))
        .exclude(pk__in=repeated.values("slot"))
        .values_list("pair__candidate__document__docno", "pair", "pk")
    )
    slots = {docno: (slot, pair) for docno, pair, slot in rows if pair not in known}
    purpose = purpose_among(annotator.username, round_number, pool_round)
    old = old_pairs_among(list(slots), count, seed=seed, query=query.name, purpose=purpose)
    insert_rows(
        Repeat,
        ("slot", "query", "annotator", "round", "pool_round", "position", "token"),
        [
            (
                slots[docno][0],
                query.pk,
                annotator.pk,
                round_number,
                pool_round,
                0,  # `renumber` gives the place
                order_key(seed, f"token:{purpose}", query.name, docno)[:TOKEN_LENGTH],
            )
            for docno in old
        ],
    )
    return len(old)
