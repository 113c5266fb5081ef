"""Writing the labels of a release: openings, judgments, decisions."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from accounts.models import User
from adjudication.models import Decision
from annotation.models import Judgment, Opening, Reason, Seat, Slot
from annotation.services import insert_judgments, make_slots
from corpus.models import Query
from csfcube import Rating, Ratings
from pooling.models import Candidate


class People(NamedTuple):
    """The accounts of a release: annotators by their number, and the adjudicator."""

    annotators: Mapping[int, User]
    adjudicator: User


def create_judged_query(
    *, query: Query, ratings: Ratings, candidates: Mapping[str, Candidate], people: People
) -> None:
    """Open the query, and write both judgments of every rated pair and the final labels.

    Needs the query's collection, facet and paper, and the candidates' documents loaded.
    """
    first, second = (people.annotators[number] for number in ratings.annotators)
    version = _open(query, (first, second))
    slots = make_slots(
        query=query,
        candidates=[candidates[rating.docno] for rating in ratings.rated],
        annotators=(first, second),
        guideline_version=version,
    )
    ratings_by_docno = {rating.docno: rating for rating in ratings.rated}
    judgments = insert_judgments(query=query, judgments=_judgments(slots, ratings_by_docno))
    Decision.objects.bulk_create(_decisions(judgments, ratings_by_docno, people.adjudicator))


def _open(query: Query, annotators: tuple[User, User]) -> int:
    """Open the query under the first guideline of its facet; the guideline's version."""
    guideline = query.facet.guidelines.get(version=1)
    opening = Opening.objects.create(query=query, guideline=guideline)
    Seat.objects.bulk_create(
        Seat(opening=opening, number=number, annotator=annotator)
        for number, annotator in enumerate(annotators, start=1)
    )
    return guideline.version


def _judgments(slots: Iterable[Slot], ratings_by_docno: Mapping[str, Rating]) -> Iterator[Judgment]:
    for slot in slots:
        docno = slot.pair.candidate.document.docno
        grade = (
            ratings_by_docno[docno].first if slot.number == 1 else ratings_by_docno[docno].second
        )
        yield Judgment(
            slot=slot,
            sequence=1,
            annotator_id=slot.annotator_id,
            grade=grade,
            reason=Reason.SOURCE if grade is None else "",
            presentation_digest=slot.pair.presentation_digest,
            key=_key("judgment", slot.pair.query, docno, str(slot.number)),
        )


def _decisions(
    judgments: Iterable[Judgment], ratings_by_docno: Mapping[str, Rating], adjudicator: User
) -> Iterator[Decision]:
    """The final label of every pair without two equal grades."""
    by_slot: dict[tuple[int, int], Judgment] = {
        (judgment.slot.pair_id, judgment.slot.number): judgment for judgment in judgments
    }
    for (pair_id, number), first in by_slot.items():
        second = by_slot[pair_id, 2]
        if number == 2 or (first.grade is not None and first.grade == second.grade):
            continue
        pair = first.slot.pair
        docno = pair.candidate.document.docno
        final = ratings_by_docno[docno].final
        yield Decision(
            pair_id=pair_id,
            sequence=1,
            adjudicator=adjudicator,
            first=first,
            second=second,
            grade=final,
            reason=Reason.SOURCE if final is None else "",
            key=_key("decision", pair.query, docno),
        )


def _key(kind: str, query: Query, *parts: str) -> uuid.UUID:
    """A key that is equal in every import of the same release, and otherwise unique."""
    name = "|".join(("csfcube", kind, query.collection.slug, query.name, *parts))
    return uuid.uuid5(uuid.NAMESPACE_URL, name)
