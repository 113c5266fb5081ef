"""Openings, judgments and decisions of the state, inserted as the services would make them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.judging.state_rows import BATCH, Times, analyzed, batches, keys_of, numbers

if TYPE_CHECKING:
    from accounts.models import Collection, User
    from annotation.models import Opening, Pair
    from corpus.models import Query

ANNOTATORS = 50
COMPLETE = 0.85  # of the queries, judged by both
# Shares of the pairs that the two annotators of the other queries have judged, in turn.
PARTIAL = ((1.0, 0.6), (0.8, 0.4), (0.5, 0.2), (0.3, 0.0))
GRADES = (0.55, 0.25, 0.14, 0.06)  # of the first annotator, from 0 to 3
STRAY, UNGRADED = 0.185, 0.006  # the second differs by one grade; a slot has no grade
# Shares of the complete queries: up to the first all cases are decided, up to the second half.
DECIDED, HALF_DECIDED = 0.5, 0.75


class Judged(NamedTuple):
    """One judgment to insert: the slot, and the answer in it."""

    slot: int
    annotator: int
    grade: int | None
    digest: str


def open_queries(
    collection: Collection, queries: Sequence[Query], people: dict[str, list[User]]
) -> list[Opening]:
    """Open every query, with the rows that `open_query` makes, which takes longer for each."""
    from django.db import transaction

    from annotation.models import Opening, Seat
    from pooling.services import freeze_pools

    freeze_pools(collection=collection)
    guidelines = {facet.pk: facet.guidelines.first() for facet in collection.facets.all()}
    annotators, admin = people["annotator"], people["admin"][0]
    openings = []
    for batch in analyzed(batches(enumerate(queries), BATCH)):
        seats = {query.pk: [annotators[seat] for seat in seats_of(n)] for n, query in batch}
        with transaction.atomic():
            opened = Opening.objects.bulk_create(
                Opening(query=query, guideline=guidelines[query.facet_id], opened_by=admin)
                for _, query in batch
            )
            Seat.objects.bulk_create(
                Seat(opening=opening, number=number, annotator=annotator)
                for opening in opened
                for number, annotator in enumerate(seats[opening.query_id], start=1)
            )
            _insert_slots(collection, opened, seats)
        openings += opened
    return openings


def _insert_slots(
    collection: Collection, openings: Sequence[Opening], seats: dict[int, list[User]]
) -> None:
    """Insert the pairs and slots of some queries. Needs a transaction."""
    from annotation.models import Pair, Slot
    from corpus.ordering import order_key
    from database.bulk import insert_rows

    new_pairs = [
        (
            *(pair.query_id, pair.candidate_id, pair.token, pair.presentation_digest, False),
            pair.spot_check_number,
        )
        for pair in _pairs(collection, openings)
    ]
    fields = (
        *("query", "candidate", "token", "presentation_digest", "text_changed"),
        "spot_check_number",
    )
    insert_rows(Pair, fields, new_pairs)
    names = {opening.query_id: opening.query.name for opening in openings}
    pairs: dict[int, list[tuple[int, str]]] = {}
    for query_id, pair, docno in Pair.objects.filter(query__in=names).values_list(
        "query", "pk", "candidate__document__docno"
    ):
        pairs.setdefault(query_id, []).append((pair, docno))
    rows = []
    for query_id, of_query in pairs.items():
        for number, annotator in enumerate(seats[query_id], start=1):
            key = partial(order_key, collection.seed, f"presentation:{annotator.username}")
            ordered = sorted((key(names[query_id], docno), pair) for pair, docno in of_query)
            rows += [
                (pair, number, annotator.pk, position)
                for position, (_, pair) in enumerate(ordered, start=1)
            ]
    insert_rows(Slot, ("pair", "number", "annotator", "position"), rows)


def _pairs(collection: Collection, openings: Sequence[Opening]) -> Iterator[Pair]:
    """The pairs of some queries, not saved, with the digest of what is shown."""
    from annotation.models import Pair
    from annotation.services import presentation_of
    from corpus.ordering import order_key, random_number
    from pooling.models import Candidate

    opened = {opening.query.query_paper_id: opening for opening in openings}
    pooled = Candidate.objects.to_judge().filter(pool__query_paper__in=opened)
    for candidate in pooled.select_related("document", "pool").order_by("pool", "position"):
        query_paper = candidate.pool.query_paper_id
        assert query_paper is not None  # only a hidden pool has none
        opening = opened[query_paper]
        key = order_key(collection.seed, "pair", opening.query.name, candidate.document.docno)
        pair = Pair(query=opening.query, candidate=candidate, token=key[:16])
        pair.spot_check_number = random_number(
            collection.seed, "spot-check", opening.query.name, candidate.document.docno
        )
        pair.presentation_digest = presentation_of(pair, opening.guideline.version).digest
        yield pair


def seats_of(number: int) -> tuple[int, int]:
    """The two annotators, from 0, of the query of that number."""
    first = number % ANNOTATORS
    return first, (first + 1 + number // ANNOTATORS % (ANNOTATORS - 1)) % ANNOTATORS


def shares_of(number: int, queries: int) -> tuple[float, float]:
    """How much of the query of that number its two annotators have judged."""
    complete = round(COMPLETE * queries)
    return (1.0, 1.0) if number < complete else PARTIAL[(number - complete) % len(PARTIAL)]


def judge(openings: Sequence[Opening], seed: int) -> None:
    from django.db import transaction

    clock = Times()
    for batch in analyzed(batches(enumerate(openings), BATCH)):
        with transaction.atomic():
            judged = [
                judgment
                for number, opening in batch
                for judgment in _judgments(opening, shares_of(number, len(openings)), number, seed)
            ]
            _insert_judgments(judged, clock, np.random.default_rng([seed, 2, batch[0][0]]))


def _judgments(
    opening: Opening, shares: tuple[float, float], number: int, seed: int
) -> Iterator[Judged]:
    """What the annotators of one query say, each in the own order of presentation."""
    from annotation.models import Pair, Slot

    pairs = Pair.objects.filter(query=opening.query).order_by("token")
    digests = dict(pairs.values_list("pk", "presentation_digest"))
    places = {pk: place for place, pk in enumerate(digests)}
    answers = _answers(len(places), np.random.default_rng([seed, 3, number]))
    slots = Slot.objects.filter(pair__query=opening.query).order_by("number", "position")
    for slot in slots:
        share = shares[slot.number - 1]
        if slot.position <= round(share * len(places)):
            grade = answers[slot.number - 1][places[slot.pair_id]]
            yield Judged(slot.pk, slot.annotator_id, grade, digests[slot.pair_id])


def _answers(pairs: int, rng: np.random.Generator) -> list[list[int | None]]:
    """The grades of both annotators for each pair; None where one cannot judge."""
    first = rng.choice(len(GRADES), pairs, p=GRADES)
    step = np.where(first == 0, 1, np.where(first == 3, -1, rng.choice([-1, 1], pairs)))
    second = np.where(rng.random(pairs) < STRAY, first + step, first)
    ungraded = rng.random((2, pairs)) < UNGRADED
    return [
        [None if missing else grade for grade, missing in zip(grades.tolist(), gone, strict=True)]
        for grades, gone in zip((first, second), ungraded.tolist(), strict=True)
    ]


def _insert_judgments(judged: Sequence[Judged], clock: Times, rng: np.random.Generator) -> None:
    """Insert the judgments and show each in its slot. Needs a transaction."""
    from django.db import connection

    from annotation.models import Judgment, Reason
    from database.bulk import insert_rows

    seconds = rng.gamma(3, 5, len(judged)).round(1).tolist()
    fields = ("slot", "sequence", "annotator", "grade", "reason", "note", "presentation_digest",
              "guideline_version", "key", "seconds", "created_at")  # fmt: skip
    insert_rows(
        Judgment,
        fields,
        (
            (
                row.slot,
                1,
                row.annotator,
                row.grade,
                "" if row.grade is not None else Reason.GARBLED.value,
                "" if row.grade is not None else "The last sentence breaks off.",
                row.digest,
                1,
                key,
                spent,
                clock.tick(0.05),
            )
            for row, key, spent in zip(judged, keys_of(len(judged), rng), seconds, strict=True)
        ),
    )
    with connection.cursor() as cursor:
        for part in batches((row.slot for row in judged), 500):
            cursor.execute(
                "UPDATE annotation_slot SET judgment_id = (SELECT j.id FROM annotation_judgment j "
                f"WHERE j.slot_id = annotation_slot.id) WHERE id IN ({numbers(part)})"
            )


def decide(openings: Sequence[Opening], adjudicators: Sequence[User], seed: int) -> None:
    """Decisions in the first of the complete queries, as the higher of the two grades."""
    from django.db import transaction

    complete = round(COMPLETE * len(openings))
    clock = Times()
    numbered = enumerate(openings[: round(HALF_DECIDED * complete)])
    for batch in batches(numbered, BATCH):
        with transaction.atomic():
            rng = np.random.default_rng([seed, 4, batch[0][0]])
            for number, opening in batch:
                half = number >= round(DECIDED * complete)
                adjudicator = adjudicators[number % len(adjudicators)]
                _decide_query(opening.query, adjudicator, 2 if half else 1, clock, rng)


def _decide_query(
    query: Query, adjudicator: User, every: int, clock: Times, rng: np.random.Generator
) -> None:
    from adjudication.models import Case, Decision
    from annotation.models import Reason
    from database.bulk import insert_rows

    cases = Case.objects.disputed().filter(query=query).order_by("token")
    fields = ("pair", "sequence", "adjudicator", "first", "second", "grade", "reason", "note",
              "key", "created_at")  # fmt: skip
    decided = []
    chosen = list(cases)[::every]
    for case, key in zip(chosen, keys_of(len(chosen), rng), strict=True):
        given = [grade for grade in (case.first_grade, case.second_grade) if grade is not None]
        grade = max(given, default=None)
        reason = Reason.GARBLED.value if grade is None else ""
        seen = (case.first, case.second)
        decided.append((case.pk, 1, adjudicator.pk, *seen, grade, reason, "", key, clock.tick(1)))
    insert_rows(Decision, fields, decided)
