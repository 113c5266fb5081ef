"""Opening queries to two annotators each, handing over what is left, closing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from annotation.models import Opening, Pair, PublishedLabel, Slot
from corpus.models import Document, Query, QueryQuerySet
from corpus.ordering import order_key
from pooling.models import Candidate, Pool
from web.errors import BadInput, Conflict
from web.templatetags.ui import plural

Couple = tuple[User, User]
TOKEN_LENGTH = 16
OLD_SHARE = 0.1  # of the number of added pairs: enough to see whether judges changed, little to judge twice


def candidates_to_judge() -> QuerySet[Candidate]:
    """Those that nobody was given, and that have no published label. One without any text shows nothing to judge."""
    the_same = {"query": OuterRef("pool__query"), "document": OuterRef("document")}
    given, published = Pair.objects.filter(counts=True, **the_same), PublishedLabel.objects.filter(**the_same)
    return Candidate.objects.filter(~Exists(given), ~Exists(published)).exclude(
        document__title="", document__sentences=[]
    )


def unopened_pools(collection: Collection) -> QuerySet[Pool]:
    """Frozen pools that wait for judges: first ones, later rounds, and what an import of judgments left of one."""
    frozen = Pool.objects.filter(pool_set__collection=collection, pool_set__frozen_at__isnull=False)
    return frozen.filter(Exists(candidates_to_judge().filter(pool=OuterRef("pk"))))


def openable_queries(collection: Collection) -> QueryQuerySet:
    return collection.queries.filter(pk__in=unopened_pools(collection).values("query")).order_by("name")


def sizes_to_open(collection: Collection) -> dict[int, int]:
    """Candidates of each query's frozen pools that wait to be opened."""
    frozen = {"pool__pool_set__collection": collection, "pool__pool_set__frozen_at__isnull": False}
    candidates = candidates_to_judge().filter(**frozen)
    return Counter(query for (query,) in candidates.values_list("pool__query"))


@transaction.atomic
def open_queries(
    *,
    collection: Collection,
    queries: Iterable[Query],
    couples: dict[int, Couple],
    by: User | None,
    with_unchecked_labels: bool = False,
) -> list[Opening]:
    """Make the pairs of each query's frozen pools, and two slots a pair, one for each person of its couple.

    `couples` are by the query's key. They are judged in the order of their opening; a random one keeps the facets of
    a paper apart. All are opened or none. From then on the labels of their sentences stay, so predicted ones that
    nobody checked are refused unless `with_unchecked_labels`.
    """
    lock_collection(collection)
    queries = list(queries)
    if not with_unchecked_labels:
        refuse_unchecked_labels(collection, queries)
    ordered = sorted(queries, key=lambda query: order_key(collection.seed, "opening", query.name, ""))
    record(Verb.OPENED, collection=collection, object=plural(len(ordered), "query,queries"), by=by)
    return [opening for query in ordered for opening in _open(collection, query, couples[query.pk])]


def _open(collection: Collection, query: Query, couple: Couple) -> list[Opening]:
    first, second = couple
    if first == second:
        raise BadInput(f"{first} is chosen twice for {query.name}. Choose two annotators.")
    for person in couple:
        if not collection.memberships.judging().filter(user=person).exists():
            raise BadInput(f"{person} is not an annotator of {collection}. Make them one on the People page.")
        if Slot.objects.of(person, query).waiting().exclude(pair__opening__practice=None).exists():
            raise Conflict(f"{person} still has practice on {query.name}. Close it on the Practice page first.")
    if not query.pools.filter(pool_set__frozen_at__isnull=False).exists():
        raise Conflict(f"{query.name} has no frozen pool. Freeze its pool first.")
    pools = unopened_pools(collection).filter(query=query).select_related("pool_set")
    if not pools:
        raise Conflict(f"{query.name} is open already, or its labels were published.")
    openings, pairs = [], []
    for pool in pools.order_by("pool_set__round"):
        again = {"closed_at": None}  # after an import
        opening, _ = Opening.objects.update_or_create(query=query, pool_set=pool.pool_set, defaults=again)
        candidates = candidates_to_judge().filter(pool=pool).select_related("document")
        new = make_pairs(opening, [candidate.document for candidate in candidates])
        old = old_documents(opening, len(new))
        pairs += [*new, *make_pairs(opening, old, counts=False)]
        openings.append(opening)
    give(query, pairs, couple)  # together, so that no place tells which round a pair is of
    return openings


def refuse_unchecked_labels(collection: Collection, queries: Iterable[Query]) -> None:
    """Raise Conflict where the sentences that judges would see in bold are a prediction that nobody looked at."""
    unchecked = collection.queries.filter(pk__in=[query.pk for query in queries]).with_unchecked_labels()
    if names := sorted(unchecked.values_list("name", flat=True)):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise Conflict(
            f"The sentence labels of {', '.join(names[:3])}{more} were predicted, and nobody checked them. "
            "Judges see them in bold, and they are fixed once a query is open. Check them first, or tick the box below."
        )


def old_documents(opening: Opening, added: int) -> list[Document]:
    """A random tenth as many of the pairs that both judged in earlier rounds, to be judged again among the added."""
    query, purpose = opening.query, f"old-pairs:{opening.pool_set.round}"  # type: ignore[union-attr]
    before = Pair.objects.filter(query=query, counts=True).exclude(opening=opening)
    ordered = sorted(
        (pair.document for pair in before.judged().select_related("document")),
        key=lambda each: order_key(query.collection.seed, purpose, query.name, each.docno),
    )
    return ordered[: math.ceil(added * OLD_SHARE)]


def make_pairs(opening: Opening, documents: Iterable[Document], *, counts: bool = True) -> list[Pair]:
    """A pair that is judged again has another token than before."""
    query = opening.query
    purpose = "pair" if counts else f"pair again:{opening.pk}"
    return Pair.objects.bulk_create(
        Pair(
            opening=opening,
            query=query,
            document=document,
            token=order_key(query.collection.seed, purpose, query.name, document.docno)[:TOKEN_LENGTH],
            counts=counts,
        )
        for document in documents
    )


def give(query: Query, pairs: Sequence[Pair], people: Sequence[User]) -> None:
    """A slot of each pair for each person, in their own order and after what they have already."""
    slots = []
    for number, judge in enumerate(people, 1):
        has = Slot.objects.of(judge, query).aggregate(last=Max("position"))["last"] or 0
        for position, pair in enumerate(in_order_of(judge, query, pairs), has + 1):
            slots.append(Slot(pair=pair, number=number, judge=judge, position=position))
    Slot.objects.bulk_create(slots, batch_size=1000)


def in_order_of(judge: User, query: Query, pairs: Iterable[Pair]) -> list[Pair]:
    """The judge's own order of the query's pairs."""
    seed, purpose = query.collection.seed, f"presentation:{judge.username}"
    return sorted(pairs, key=lambda pair: order_key(seed, purpose, query.name, pair.document.docno))


def couples_before(queries: Sequence[Query], people: Sequence[User]) -> dict[int, Couple]:
    """Who judges a query already goes on with it, where both still can."""
    known = {person.pk: person for person in people}
    rows = Slot.objects.live().filter(pair__query__in=queries).values("pair__query", "number", "judge")
    seats: dict[int, dict[int, int]] = {}
    for row in rows.annotate(latest=Max("pk")).order_by("latest"):
        seats.setdefault(row["pair__query"], {})[row["number"]] = row["judge"]
    return {
        query: (known[seat[1]], known[seat[2]])
        for query, seat in seats.items()
        if seat[1] in known and seat[2] in known and seat[1] != seat[2]
    }


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


def give_queries(
    *,
    collection: Collection,
    queries: Sequence[Query],
    couple: Couple | None,
    by: User | None,
    with_unchecked_labels: bool = False,
) -> list[Opening]:
    """Open queries to a couple; without one, to who judged each before, and the others shared among all annotators."""
    about: dict[str, Any] = {"collection": collection, "by": by, "with_unchecked_labels": with_unchecked_labels}
    if couple:
        return open_queries(queries=queries, couples={query.pk: couple for query in queries}, **about)
    people = list(User.objects.filter(memberships__in=collection.memberships.judging()).order_by("username"))
    couples = couples_before(queries, people)
    new = [query for query in queries if query.pk not in couples]
    couples |= share(new, people, sizes_to_open(collection), collection.seed)
    return open_queries(queries=queries, couples=couples, **about)


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
    if Slot.objects.of(taker, query).live().exists():
        raise Conflict(f"{taker} already judges {query.name}. A query needs two different people.")
    places = {pair.pk: place for place, pair in enumerate(in_order_of(taker, query, pairs), 1)}
    slots = list(Slot.objects.of(giver, query).live().waiting())
    if not slots:
        raise Conflict(f"{giver} has nothing left to judge for {query.name}.")
    for slot in slots:
        slot.judge, slot.position, slot.put_off_at = taker, places[slot.pair_id], None
    Slot.objects.bulk_update(slots, ["judge", "position", "put_off_at"], batch_size=500)
    record(Verb.TOOK, collection=collection, about=giver, object=f"{len(slots):,} of {query.name}")
    record(Verb.GAVE, collection=collection, about=taker, object=f"{len(slots):,} of {query.name}")
    return len(slots)


@transaction.atomic
def close_queries(*, collection: Collection, queries: Iterable[Query]) -> int:
    """From now on no judgment of these queries changes; returns how many were closed."""
    lock_collection(collection)
    openings = Opening.objects.filter(query__in=list(queries), practice=None, closed_at=None)
    list(
        Pair.objects.select_for_update(of=("self",)).filter(opening__in=openings).order_by("pk")
    )  # no judgment meanwhile
    if unjudged := Slot.objects.filter(pair__opening__in=openings, pair__counts=True, judgment=None).count():
        raise Conflict(f"{unjudged:,} judgments are missing. Close a query when both its annotators are done.")
    closed = openings.update(closed_at=timezone.now())
    record(Verb.CLOSED, collection=collection, object=plural(closed, "query,queries"))
    return closed


@transaction.atomic
def reopen_query(*, query: Query) -> None:
    lock_collection(query.collection)
    query.openings.filter(practice=None).update(closed_at=None)
    record(Verb.REOPENED, collection=query.collection, object=query.name)
