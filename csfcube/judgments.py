"""Writing the labels of a release: openings, judgments, decisions."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from accounts.models import User
from adjudication.models import Decision
from annotation.models import Opening, Reason, Seat
from annotation.services import (
    CandidateText,
    NewJudgment,
    NewSlot,
    insert_judgments,
    make_slots,
)
from corpus.models import Query
from csfcube import PublishedRating, Ratings
from pooling.models import Candidate


class ReleasePeople(NamedTuple):
    """The accounts of a release: annotators by their number, and the adjudicator."""

    annotators: Mapping[int, User]
    adjudicator: User


def create_judged_query(
    *, query: Query, ratings: Ratings, candidates: Mapping[str, Candidate], people: ReleasePeople
) -> None:
    """Open the query, and write both judgments of every rated pair and the final labels.

    Needs the query's collection, facet and paper, and the candidates' documents loaded.
    """
    first, second = (people.annotators[number] for number in ratings.annotators)
    version = _open(query, (first, second))
    slots = make_slots(
        query=query,
        candidates=[CandidateText.of(candidates[rating.docno]) for rating in ratings.rated],
        annotators=(first, second),
        guideline_version=version,
    )
    ratings_by_docno = {rating.docno: rating for rating in ratings.rated}
    judgments = insert_judgments(_judgments(query, slots, ratings_by_docno))
    decisions = _decisions(query, slots, judgments, ratings_by_docno, people.adjudicator)
    Decision.objects.bulk_create(decisions)


def _open(query: Query, annotators: tuple[User, User]) -> int:
    """Open the query under the first guideline of its facet; the guideline's version."""
    guideline = query.facet.guidelines.get(version=1)
    opening = Opening.objects.create(query=query, guideline=guideline)
    Seat.objects.bulk_create(
        Seat(opening=opening, number=number, annotator=annotator)
        for number, annotator in enumerate(annotators, start=1)
    )
    return guideline.version


def _judgments(
    query: Query, slots: Iterable[NewSlot], ratings_by_docno: Mapping[str, PublishedRating]
) -> Iterator[NewJudgment]:
    for slot in slots:
        rating = ratings_by_docno[slot.docno]
        grade = rating.first if slot.number == 1 else rating.second
        yield NewJudgment(
            slot=slot.pk,
            annotator=slot.annotator_id,
            grade=grade,
            reason=Reason.SOURCE.value if grade is None else "",
            presentation_digest=slot.presentation_digest,
            key=_key("judgment", query, slot.docno, str(slot.number)).hex,
        )


def _decisions(
    query: Query,
    slots: Iterable[NewSlot],
    judgments: Mapping[int, int],
    ratings_by_docno: Mapping[str, PublishedRating],
    adjudicator: User,
) -> Iterator[Decision]:
    """The final label of every pair without two equal grades."""
    by_number: dict[int, dict[str, NewSlot]] = {1: {}, 2: {}}
    for slot in slots:
        by_number[slot.number][slot.docno] = slot
    for docno, first in by_number[1].items():
        rating = ratings_by_docno[docno]
        if rating.first is not None and rating.first == rating.second:
            continue
        yield Decision(
            pair_id=first.pair_id,
            sequence=1,
            adjudicator=adjudicator,
            first_id=judgments[first.pk],
            second_id=judgments[by_number[2][docno].pk],
            grade=rating.final,
            reason=Reason.SOURCE if rating.final is None else "",
            key=_key("decision", query, docno),
        )


def _key(kind: str, query: Query, *parts: str) -> uuid.UUID:
    """A key that is equal in every import of the same release, and otherwise unique."""
    name = "|".join(("csfcube", kind, query.collection.slug, query.name, *parts))
    return uuid.uuid5(uuid.NAMESPACE_URL, name)
