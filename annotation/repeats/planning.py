"""Makes the repeats of a person's unjudged slots."""

from __future__ import annotations

from annotation.models import Opening, Repeat, Slot
from annotation.repeats.choice import chosen, purpose_of
from corpus.models import Query
from corpus.ordering import order_key
from database.bulk import insert_rows

TOKEN_LENGTH = 16  # as that of a pair


def plan_repeats(query: Query, number: int) -> int:
    """Make the repeats of the unjudged slots of this number, and return how many they are.

    The share is that of the collection now: a change of it leaves repeats as they are. A pair that
    its judge had again in this round is left out. Needs a transaction that has the collection's
    lock.
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
