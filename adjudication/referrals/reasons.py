"""The reasons why an admin sent a pair to the adjudicator."""

from __future__ import annotations

from adjudication.models import Recipient, Referral
from corpus.models import Query


def referral_reason(query: Query, token: str) -> str:
    """The last reason; "" for a pair that is a case by its judgments."""
    rows = Referral.objects.filter(
        pair__query=query,
        pair__token=token,
        pair__referral_count__gt=0,
        recipient=Recipient.ADJUDICATOR,
    )
    return rows.values_list("reason", flat=True).first() or ""
