"""Writing that needs to know several apps at once."""

from __future__ import annotations

from django.db import transaction

from accounts.locking import lock_collection
from accounts.models import Collection, Membership, Role
from accounts.services import AccountError, take_role
from annotation.models import Slot


class HoldsPairs(AccountError):
    """An annotator with pairs left to judge cannot lose the role: nobody would judge them."""


class SeedIsFixed(AccountError):
    def __init__(self, seed: str) -> None:
        super().__init__(
            f"Pools were built with the seed {seed!r}, so it cannot change any more: their order "
            "could not be made again."
        )


def remove_role(*, membership: Membership) -> None:
    """Take a role away, unless work would be left with nobody to do it.

    Raises:
        HoldsPairs: an annotator with pairs left to judge.
        LastAdmin: the only admin who can log in.
    """
    with transaction.atomic():
        lock_collection(membership.collection)
        if membership.role == Role.ANNOTATOR:
            slots = Slot.objects.of(membership.collection).for_annotator(membership.user)
            left = slots.unjudged().count()
            if left:
                raise HoldsPairs(
                    f"{membership.user.shown_name} still has {left:,} of {slots.count():,} pairs "
                    "to judge, so stays an annotator. Nothing was changed. Have these pairs judged "
                    "or give them to somebody else on the judging page, then come back."
                )
        take_role(membership=membership)


def change_settings(
    *,
    collection: Collection,
    name: str,
    description: str,
    licence: str,
    seconds_per_judgment: float,
    seed: str,
) -> None:
    """Save what an admin may change of a collection.

    Raises:
        SeedIsFixed: another seed, though pools were built with this one.
    """
    with transaction.atomic():
        locked = lock_collection(collection)
        if seed != locked.seed and seed_is_fixed(locked):
            raise SeedIsFixed(locked.seed)
        locked.name = name
        locked.description = description
        locked.licence = licence
        locked.seconds_per_judgment = seconds_per_judgment
        locked.seed = seed
        locked.save(
            update_fields=["name", "description", "licence", "seconds_per_judgment", "seed"]
        )


def seed_is_fixed(collection: Collection) -> bool:
    return collection.pool_builds.exists()
