"""Reads the questions to a judge: only what is his or hers."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.models import Collection, User
from annotation.models import PairQuestion, PairQuestionQuerySet, Wording
from corpus.models import Query


@dataclass(frozen=True)
class OwnQuestion:
    """An open question to the judge, and the numbers of the marked sentences, from 1."""

    pk: int
    wording: str
    query_sentences: list[int]
    candidate_sentences: list[int]

    @property
    def words(self) -> str:
        return str(Wording(self.wording).label)


def own_questions(collection: Collection, user: User) -> PairQuestionQuerySet:
    """The judge's open questions in the order in which they were asked."""
    own = Q(first__annotator=user) | Q(second__annotator=user)
    # Questions are few. In one statement, SQLite goes through all pairs of the collection for them.
    ids = list(PairQuestion.objects.filter(own, taken_back_at=None).values_list("pk", flat=True))
    return PairQuestion.objects.of(collection).open_for(user).filter(pk__in=ids).order_by("pk")


def asked_pairs(
    collection: Collection, user: User
) -> QuerySet[PairQuestion, tuple[str, str, str, str]]:
    """The same: query, name of the facet, token and title of the candidate."""
    return own_questions(collection, user).values_list(
        "pair__query__name",
        "pair__query__facet__name",
        "pair__token",
        "pair__candidate__document__title",
    )


def own_question(query: Query, user: User, token: str) -> OwnQuestion | None:
    asked = PairQuestion.objects.open_for(user).filter(pair__query=query, pair__token=token)
    row = asked.values_list("pk", "wording", "query_sentences", "candidate_sentences").first()
    return OwnQuestion(*row) if row else None
