"""Pairs with their standing, the judgments in their slots, and the decisions on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import F

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.models import Case, Decision
from adjudication.standing import LabelledPair
from annotation.aspects import aspects_cell
from annotation.models import Pair
from bundle.pseudonyms import pseudonyms
from bundle.records import Adjudication, Rating
from database.consistent_reads import READ_TOGETHER, batched
from release.snapshot.stored_records import Row, StoredRecords


def stored_pairs(collection: Collection, queries: Sequence[int]) -> StoredRecords[LabelledPair]:
    """Every pair of the queries, which are primary keys, by query id and docno."""
    return StoredRecords(_pairs(collection, queries), LabelledPair._make)


def _pairs(collection: Collection, queries: Sequence[int]) -> Iterator[Row]:
    for some in batched(queries, READ_TOGETHER):
        for pair in labelled_pairs(collection, Pair.objects.filter(query__in=some)):
            yield tuple(pair)


def stored_ratings(collection: Collection, queries: Sequence[int]) -> StoredRecords[Rating]:
    """Both judgments of every judged pair, by query, docno and slot."""
    rows = StoredRecords(_judgments(queries), tuple)
    names = pseudonyms(
        "annotator",
        ((person, f"{query} {docno} {slot}") for query, _, docno, slot, person, *_ in rows),
        seed=collection.seed,
    )
    return rows.reading(lambda row: Rating._make((*row[:4], names[row[4]], *row[5:])))


SLOT = tuple(
    f"judgment__{column}"
    for column in (
        *("annotator_id", "grade", "reason"),
        *("sequence", "seconds", "presentation_digest", "guideline_version", "aspects"),
    )
)


def _judgments(queries: Sequence[int]) -> Iterator[Row]:
    """As `Rating`, with the person's primary key."""
    for some in batched(queries, READ_TOGETHER):
        rows = (
            Pair.objects.filter(query__in=some)
            .judged()
            .order_by()
            .values_list(
                "query__name",
                "query__facet__key",
                "candidate__document__docno",
                "candidate__round",
                *(F(f"slot_{number}__{column}") for number in (1, 2) for column in SLOT),
            )
        )
        for row in sorted(rows, key=lambda row: (row[0], row[2])):
            pair, pool_round, judgments = row[:3], row[3], row[4:]
            for slot, judgment in ((1, judgments[: len(SLOT)]), (2, judgments[len(SLOT) :])):
                yield (*pair, slot, *judgment[:-1], aspects_cell(judgment[-1]), pool_round)


def stored_adjudications(
    collection: Collection, queries: Sequence[int]
) -> StoredRecords[Adjudication]:
    """The standing decisions, by query and docno."""
    rows = StoredRecords(_decisions(queries), tuple)
    names = pseudonyms(
        "adjudicator",
        ((person, f"{query} {docno}") for query, _, docno, person, *_ in rows),
        seed=collection.seed,
    )
    return rows.reading(lambda row: Adjudication._make((*row[:3], names[row[3]], *row[4:])))


def _decisions(queries: Sequence[int]) -> Iterator[Row]:
    """As `Adjudication`, with the person's primary key."""
    for some in batched(queries, READ_TOGETHER):
        decisions = Decision.objects.filter(pair__query__in=some).order_by()
        ruling_of = {
            pk: ruling
            for pk, *ruling in decisions.values_list(
                "pk", "pair_id", "adjudicator_id", "grade", "reason"
            )
        }
        # By their ids: PostgreSQL would look for the standing decision of every case.
        decided = {pair_id for pair_id, *_ in ruling_of.values()}
        rows = (
            Case.objects.decided()
            .filter(pk__in=decided)
            .order_by()
            .values_list(
                "query__name",
                "query__facet__key",
                "candidate__document__docno",
                "decision_id",
                "first_grade",
                "second_grade",
            )
        )
        for query, facet, docno, decision, first, second in sorted(
            rows, key=lambda row: (row[0], row[2])
        ):
            _, adjudicator, grade, reason = ruling_of[decision]
            overruled = grade is not None and grade not in (first, second)
            yield query, facet, docno, adjudicator, grade, reason, first, second, overruled
