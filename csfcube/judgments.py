"""Writing the labels of a release: openings, judgments, decisions."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import NamedTuple

from accounts.models import User
from adjudication.judged_queries import (
    JudgedQuery,
    SourceDecision,
    SourceJudgment,
    write_judged_query,
)
from annotation.models import Reason
from annotation.services import CandidateText
from corpus.models import Query
from csfcube.records import Ratings
from pooling.models import Candidate


class ReleasePeople(NamedTuple):
    """The accounts of a release: annotators by their number, and the adjudicator."""

    annotators: Mapping[int, User]
    adjudicator: User


def create_judged_query(
    *, query: Query, ratings: Ratings, candidates: Mapping[str, Candidate], people: ReleasePeople
) -> None:
    """Open the query, and write both judgments of every rated pair and the final labels.

    Pairs without two equal grades get a decision. Needs the query's collection, facet and paper,
    and the candidates' documents loaded.
    """
    first, second = (people.annotators[number] for number in ratings.annotators)
    source = JudgedQuery(
        query=query,
        guideline=query.facet.guidelines.get(version=1),
        annotators=(first, second),
        candidates=[CandidateText.of(candidates[rating.docno]) for rating in ratings.rated],
        judgments={
            rating.docno: (
                SourceJudgment(first, rating.first, _reason(rating.first)),
                SourceJudgment(second, rating.second, _reason(rating.second)),
            )
            for rating in ratings.rated
        },
        decisions={
            rating.docno: SourceDecision(people.adjudicator, rating.final, _reason(rating.final))
            for rating in ratings.rated
            if rating.first is None or rating.first != rating.second
        },
    )

    def new_key(kind: str, *parts: str | int) -> uuid.UUID:
        """A key that is equal in every import of the same release, and otherwise unique."""
        names = ("csfcube", kind, query.collection.slug, query.name, *map(str, parts))
        return uuid.uuid5(uuid.NAMESPACE_URL, "|".join(names))

    write_judged_query(source, new_key)


def _reason(grade: int | None) -> str:
    return Reason.SOURCE.value if grade is None else ""
