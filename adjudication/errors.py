"""Errors of answers that are refused. The messages are for the adjudicator."""

from __future__ import annotations

from django.utils.translation import gettext

from accounts.models import Collection
from web.errors import UserFacingError


class AdjudicationError(UserFacingError):
    """A decision that cannot be saved; the message is for the adjudicator."""


class AdjudicationConflict(AdjudicationError):
    """A decision that contradicts the present state."""

    status = 409


class JudgedByYou(AdjudicationError):
    """The adjudicator judged this pair."""

    status = 404


class NotSenior(AdjudicationConflict):
    """Seniors adjudicate in this collection, and the person is none."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(
            gettext(
                "In %(collection)s, cases are decided by seniors, whose grades agree with "
                "final labels at ρ of at least %(rho)s. You have not qualified as one, so no "
                "case can be shown or decided. Ask an admin."
            )
            % {"collection": collection, "rho": format(collection.senior_rho, "g")}
        )


class NoSuchCase(AdjudicationConflict):
    """The pair is not, or no longer, a case."""


class WaitsForJudges(NoSuchCase):
    """A question to the judges of the pair is open."""


class JudgmentsChanged(AdjudicationConflict):
    """A judgment was revised since the adjudicator's page was made."""


class AlreadyDecided(AdjudicationConflict):
    """Another adjudicator's decision stands."""


class DecidedMeanwhile(AdjudicationConflict):
    """The adjudicator's own standing decision is not the one that his or her page showed."""


class DecisionInPublicVersion(AdjudicationConflict):
    """A version with the adjudicator's decision was made public since."""


class DecisionKeyReused(AdjudicationConflict):
    """An idempotency key came with two different rulings."""


class BadRuling(AdjudicationError):
    """The ruling is neither a grade nor a reason, or both."""


class ClaimedByAnother(AdjudicationConflict):
    """Another adjudicator has the pair open."""


class NotRatedBlind(AdjudicationConflict):
    """The collection grades blind first, and the adjudicator did not grade the pair so."""


class RatedBlindMeanwhile(AdjudicationConflict):
    """The two judgments have a blind rating that the adjudicator's page did not know of."""


class BlindKeyReused(AdjudicationConflict):
    """An idempotency key came with two different blind ratings."""
