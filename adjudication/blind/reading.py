"""The pairs that an adjudicator must not see the judgments of yet, and his or her blind grades."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef

from accounts.models import Collection, User
from adjudication.models import UNKNOWN, BlindRating, Case, CaseQuerySet, Decision
from annotation.models import Reason
from corpus.models import Query


def must_rate_first(collection: Collection | None, case: Any, adjudicator_id: int) -> bool:
    """Return whether the adjudicator has to grade this case of `with_grades` blind.

    Who decided on the same judgments before the collection graded blind first has seen them.
    """
    if collection is None or not collection.grades_blind_first:
        return False
    same: dict[str, Any] = {
        "pair": case.pk,
        "first": case.first,
        "second": case.second,
        "adjudicator": adjudicator_id,
    }
    return not (
        BlindRating.objects.filter(**same).exists() or Decision.objects.filter(**same).exists()
    )


def hidden_pairs(collection: Collection, user: User) -> CaseQuerySet:
    """The pairs that wait for the adjudicator and that he or she has to grade blind first."""
    same: dict[str, Any] = {
        "pair": OuterRef("pk"),
        "first": OuterRef("first"),
        "second": OuterRef("second"),
        "adjudicator": user,
    }
    waiting = Case.objects.waiting().for_adjudicator(user)
    return waiting.filter(query__collection=collection, difference=UNKNOWN).exclude(
        Exists(BlindRating.objects.filter(**same)) | Exists(Decision.objects.filter(**same))
    )


def own_blind_rating(case: Any, adjudicator_id: int) -> BlindRating | None:
    """The adjudicator's blind rating of the judgments of this case of `with_grades`."""
    return BlindRating.objects.filter(
        pair=case.pk, first=case.first, second=case.second, adjudicator=adjudicator_id
    ).first()


def has_checked(query: Query, user: User, token: str) -> bool:
    """Return whether the person graded this pair as a spot check."""
    ratings = BlindRating.objects.filter(pair__query=query, pair__token=token, is_spot_check=True)
    return ratings.filter(adjudicator=user).exists()


def is_agreed(pair: Any) -> bool:
    """Return whether the pair of `with_grades` is no case: in adjudication, it is a spot check."""
    same = pair.first_grade is not None and pair.first_grade == pair.second_grade
    return same and not pair.referral_count


def typed_before(rating: BlindRating) -> dict[str, str]:
    """The blind note as the start of the decision's, so that it is not typed twice."""
    if rating.reason == Reason.OTHER:
        return {"note": "", "reason": rating.note}
    return {"note": rating.note, "reason": ""}
