"""Writing what was said in a release: openings, judgments, decisions."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from accounts.models import User
from adjudication.models import Decision
from annotation.models import Judgment, Opening, Reason, Seat, Slot
from annotation.services import make_slots, presentation_of
from corpus.models import Query
from pooling.models import Candidate
from published.csfcube import Rating, Ratings


class People(NamedTuple):
    """The accounts of a release: annotators by their number, and who settled."""

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
    )
    rated = {rating.docno: rating for rating in ratings.rated}
    judgments = Judgment.objects.bulk_create(_judgments(slots, rated, version))
    _show_in_slots(query)
    Decision.objects.bulk_create(_decisions(judgments, rated, people.adjudicator))


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
    slots: Iterable[Slot], rated: Mapping[str, Rating], guideline_version: int
) -> Iterator[Judgment]:
    digests: dict[int, str] = {}
    for slot in slots:
        docno = slot.pair.candidate.document.docno
        if slot.pair_id not in digests:
            digests[slot.pair_id] = presentation_of(slot.pair, guideline_version).digest
        grade = rated[docno].first if slot.number == 1 else rated[docno].second
        yield Judgment(
            slot=slot,
            sequence=1,
            annotator_id=slot.annotator_id,
            grade=grade,
            reason=Reason.SOURCE if grade is None else "",
            presentation_digest=digests[slot.pair_id],
            key=_key("judgment", slot.pair.query, docno, str(slot.number)),
        )


def _show_in_slots(query: Query) -> None:
    said = Judgment.objects.filter(slot=OuterRef("pk")).values("pk")
    Slot.objects.filter(pair__query=query).update(judgment=Subquery(said[:1]))


def _decisions(
    judgments: Iterable[Judgment], rated: Mapping[str, Rating], adjudicator: User
) -> Iterator[Decision]:
    """The final label of every pair whose two judgments are not one grade."""
    said: dict[tuple[int, int], Judgment] = {
        (judgment.slot.pair_id, judgment.slot.number): judgment for judgment in judgments
    }
    for (pair_id, number), first in said.items():
        second = said[pair_id, 2]
        if number == 2 or (first.grade is not None and first.grade == second.grade):
            continue
        pair = first.slot.pair
        docno = pair.candidate.document.docno
        final = rated[docno].final
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


def _key(kind: str, query: Query, *what: str) -> uuid.UUID:
    """The same in every import of the same release, and for nothing else in this installation."""
    name = "|".join(("csfcube", kind, query.collection.slug, query.name, *what))
    return uuid.uuid5(uuid.NAMESPACE_URL, name)
