"""Tiers: where seniors adjudicate, other adjudicators are offered and may decide no case."""

from __future__ import annotations

from accounts.models import Collection, User
from adjudication.errors import NotSenior
from annotation.qualifications.standing import must_be_senior


def check_senior(collection: Collection, adjudicator: User) -> None:
    """Raise NotSenior if seniors adjudicate and the person is none."""
    if must_be_senior(collection, adjudicator):
        raise NotSenior(collection)
