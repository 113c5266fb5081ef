"""Services that write and need several apps."""

from __future__ import annotations

from django.db import transaction

from accounts.locking import lock_collection
from accounts.models import Collection, Membership, Role
from accounts.services import AccountError, take_role
from annotation.models import Slot
from corpus.services import note_language


class HoldsPairs(AccountError):
    """An annotator with unjudged pairs cannot lose the role, or the pairs would stay unjudged."""


class SeedIsFixed(AccountError):
    def __init__(self, seed: str) -> None:
        super().__init__(
            f"Pools were built with the seed {seed!r}, so it cannot change. "
            "Otherwise their order could not be reproduced."
        )


def remove_role(*, membership: Membership) -> None:
    """Remove a role, unless the person has unfinished work in it.

    Raises:
        HoldsPairs: an annotator with pairs left to judge.
        LastAdmin: the only admin who can log in.
    """
    with transaction.atomic():
        lock_collection(membership.collection)
        if membership.role == Role.ANNOTATOR:
            slots = Slot.objects.of(membership.collection).for_annotator(membership.user)
            unjudged = slots.unjudged().count()
            if unjudged:
                raise HoldsPairs(
                    f"{membership.user.shown_name} still has {unjudged:,} of {slots.count():,} "
                    "pairs to judge, so the annotator role stays. Nothing was changed. Assign "
                    "these pairs to another person on the judging page first."
                )
        take_role(membership=membership)


def change_settings(
    *,
    collection: Collection,
    name: str,
    description: str,
    licence: str,
    corpus_licence: str,
    seconds_per_judgment: float,
    seed: str,
    analysis: str,
) -> None:
    """Save the settings of a collection. Without an analysis, its documents show the language.

    Raises:
        SeedIsFixed: the seed differs, and pools were built with the current one.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        if seed != locked_collection.seed and seed_is_fixed(locked_collection):
            raise SeedIsFixed(locked_collection.seed)
        locked_collection.name = name
        locked_collection.description = description
        locked_collection.licence = licence
        locked_collection.corpus_licence = corpus_licence.strip()
        locked_collection.seconds_per_judgment = seconds_per_judgment
        locked_collection.seed = seed
        locked_collection.analysis = analysis
        locked_collection.save(
            update_fields=[
                *("name", "description", "licence", "corpus_licence"),
                *("seconds_per_judgment", "seed", "analysis"),
            ]
        )
        note_language(locked_collection)


def seed_is_fixed(collection: Collection) -> bool:
    return collection.pool_builds.exists()
