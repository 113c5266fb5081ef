"""Opening queries to two annotators each, handing over what is left, closing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Collection, User
from accounts.services import lock_collection
from annotation.models import Opening, Pair, Slot
from corpus.models import Query, QueryQuerySet
from corpus.ordering import order_key
from pooling.models import Candidate, Pool, PoolSet
from web.errors import BadInput, Conflict

Couple = tuple[User, User]
TOKEN_LENGTH = 16


def openable_queries(collection: Collection) -> QueryQuerySet:
    """Queries with a frozen pool that nobody judges yet."""
    return (
        collection.queries.filter(pools__pool_set__frozen_at__isnull=False, openings=None).distinct().order_by("name")
    )


@transaction.atomic
def open_queries(
    *,
    collection: Collection,
    queries: Iterable[Query],
    couples: dict[int, Couple],
    by: User | None,
    with_unchecked_labels: bool = False,
) -> list[Opening]:
    """Make the pairs of each query's frozen pool, and two slots a pair, one for each person of its couple.

    `couples` are by the query's key. They are judged in the order of their opening; a random one keeps the facets of
    a paper apart. All are opened or none. From then on the labels of their sentences stay, so predicted ones that
    nobody checked are refused unless `with_unchecked_labels`.
    """
    lock_collection(collection)
    queries = list(queries)
    unchecked = collection.queries.filter(pk__in=[query.pk for query in queries]).with_unchecked_labels()
    if not with_unchecked_labels and (names := sorted(unchecked.values_list("name", flat=True))):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise Conflict(
            f"The sentence labels of {', '.join(names[:3])}{more} were predicted, and nobody checked them. "
            "Judges see them in bold, and they stay once a query is open. Check them first, or tick that you know."
        )
    ordered = sorted(queries, key=lambda query: order_key(collection.seed, "opening", query.name, ""))
    return [_open(collection, query, couples[query.pk], by) for query in ordered]


def _open(collection: Collection, query: Query, couple: Couple, by: User | None) -> Opening:
    first, second = couple
    if first == second:
        raise BadInput(f"{first} is chosen twice for {query.name}. Choose two annotators.")
    for person in couple:
        if not collection.memberships.judging().filter(user=person).exists():
            raise BadInput(f"{person} is not an annotator of {collection}. Make them one on the People page.")
    pool = Pool.objects.filter(query=query, pool_set__frozen_at__isnull=False).order_by("pool_set__round").first()
    if pool is None:
        raise Conflict(f"{query.name} has no frozen pool. Freeze its pool first.")
    if Opening.objects.filter(query=query, pool_set=pool.pool_set).exists():
        raise Conflict(f"{query.name} is open already.")
    opening = Opening.objects.create(query=query, pool_set=pool.pool_set, opened_by=by)
    # A document without any text shows nothing that could be judged.
    with_text = pool.candidates.exclude(document__title="", document__sentences=[])
    add_pairs(opening, with_text.select_related("document"), couple)
    return opening


def add_pairs(opening: Opening, candidates: QuerySet[Candidate], couple: Couple) -> list[Pair]:
    query, seed = opening.query, opening.query.collection.seed
    pairs = Pair.objects.bulk_create(
        [
            Pair(
                opening=opening,
                query=query,
                document=candidate.document,
                token=order_key(seed, "pair", query.name, candidate.document.docno)[:TOKEN_LENGTH],
            )
            for candidate in candidates
        ]
    )
    slots = []
    for number, judge in enumerate(couple, 1):
        for position, pair in enumerate(in_order_of(judge, query, pairs), 1):
            slots.append(Slot(pair=pair, number=number, judge=judge, position=position))
    Slot.objects.bulk_create(slots, batch_size=1000)
    return pairs


def in_order_of(judge: User, query: Query, pairs: Iterable[Pair]) -> list[Pair]:
    """The judge's own order of the query's pairs."""
    seed, purpose = query.collection.seed, f"presentation:{judge.username}"
    return sorted(pairs, key=lambda pair: order_key(seed, purpose, query.name, pair.document.docno))


def share(queries: Sequence[Query], people: Sequence[User], sizes: dict[int, int], seed: str) -> dict[int, Couple]:
    """A couple for each query, so that everybody has about as many pairs and works with everybody.

    Large queries first; each goes to the couple that has least so far, ties by the seed.
    """
    if len(people) < 2:
        raise BadInput("A query needs two annotators. Invite a second one on the People page.")
    load: Counter[int] = Counter()
    together: Counter[frozenset[int]] = Counter()
    couples: dict[int, Couple] = {}
    for query in sorted(queries, key=lambda q: (-sizes[q.pk], order_key(seed, "team", q.name, ""))):

        def cost(couple: Couple, query: Query = query) -> tuple[int, str]:
            names = " ".join(sorted(person.username for person in couple))
            shared = together[frozenset(person.pk for person in couple)]
            return sum(load[person.pk] for person in couple) + shared, order_key(seed, "couple", query.name, names)

        first, second = min(combinations(people, 2), key=cost)
        for person in (first, second):
            load[person.pk] += sizes[query.pk]
        together[frozenset((first.pk, second.pk))] += sizes[query.pk]
        seats = sorted((first, second), key=lambda p: order_key(seed, "seat", query.name, p.username))
        couples[query.pk] = (seats[0], seats[1])
    return couples


@transaction.atomic
def hand_over(*, query: Query, giver: User, taker: User) -> int:
    """Give the unjudged slots of a query to another annotator; returns how many.

    The taker sees them as if they had them from the start. Nobody judges a pair twice.
    """
    collection = lock_collection(query.collection)
    if giver == taker:
        raise BadInput("Choose another person to take over.")
    if not collection.memberships.judging().filter(user=taker).exists():
        raise BadInput(f"{taker} is not an annotator of {collection}. Make them one on the People page.")
    pairs = list(
        Pair.objects.select_for_update(of=("self",)).filter(query=query).select_related("document").order_by("pk")
    )
    if Slot.objects.of(taker, query).exists():
        raise Conflict(f"{taker} already judges {query.name}. A query needs two different people.")
    places = {pair.pk: place for place, pair in enumerate(in_order_of(taker, query, pairs), 1)}
    slots = list(Slot.objects.of(giver, query).waiting())
    if not slots:
        raise Conflict(f"{giver} has nothing left to judge for {query.name}.")
    for slot in slots:
        slot.judge, slot.position, slot.put_off_at = taker, places[slot.pair_id], None
    Slot.objects.bulk_update(slots, ["judge", "position", "put_off_at"], batch_size=500)
    return len(slots)


@transaction.atomic
def close_queries(*, collection: Collection, queries: Iterable[Query]) -> int:
    """From now on no judgment of these queries changes; returns how many were closed."""
    lock_collection(collection)
    openings = Opening.objects.filter(query__in=list(queries), closed_at=None)
    list(
        Pair.objects.select_for_update(of=("self",)).filter(opening__in=openings).order_by("pk")
    )  # no judgment meanwhile
    if unjudged := Slot.objects.filter(pair__opening__in=openings, judgment=None).count():
        raise Conflict(f"{unjudged:,} judgments are missing. Close a query when both its annotators are done.")
    return openings.update(closed_at=timezone.now())


@transaction.atomic
def reopen_query(*, query: Query) -> None:
    lock_collection(query.collection)
    query.openings.update(closed_at=None)


def frozen_sizes(collection: Collection) -> dict[int, int]:
    """Candidates of each query's first frozen pool."""
    sets = PoolSet.objects.filter(collection=collection, frozen_at__isnull=False, round=1)
    counts = Candidate.objects.filter(pool__pool_set__in=sets).values_list("pool__query")
    return Counter(query for (query,) in counts)
