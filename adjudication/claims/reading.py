"""The pairs that other adjudicators have open now. There are as many as adjudicators at work."""

from __future__ import annotations

from django.utils import timezone

from accounts.models import Collection, Role, User
from adjudication.models import Claim


def live_claims(collection: Collection) -> dict[int, int]:
    """The person who has each pair open, by the id of the pair."""
    claims = Claim.objects.live(timezone.now()).filter(pair__query__collection=collection)
    return dict(claims.values_list("pair", "adjudicator"))


def claimed_by_others(collection: Collection, user: User) -> set[int]:
    """Ids of the pairs that this person is not given until their claims expire or end."""
    return {pair for pair, person in live_claims(collection).items() if person != user.pk}


def has_other_adjudicators(collection: Collection, user: User) -> bool:
    """Return whether another person could open a case of this adjudicator."""
    others = collection.memberships.filter(role=Role.ADJUDICATOR, user__is_active=True)
    return others.exclude(user=user).exists()
