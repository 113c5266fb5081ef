"""Services that write and need several apps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.db import transaction

from accounts.actions.settings import save_settings
from accounts.locking import lock_collection
from accounts.models import JUDGES, Collection, Membership, User
from accounts.services import AccountError, add_membership, take_role
from annotation.models import Slot
from annotation.proposals.rule import fault_of_proposals
from corpus.services import note_language
from web.errors import UserFacingError


class HoldsPairs(AccountError):
    """An annotator with unjudged pairs cannot lose the role, or the pairs would stay unjudged."""

    status: ClassVar[int] = 409


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
        if membership.role in JUDGES:
            slots = Slot.objects.of(membership.collection).for_annotator(membership.user)
            # Without their number, because an owner-annotator can read this, too.
            if slots.unjudged().exists():
                role = membership.get_role_display().lower()
                raise HoldsPairs(
                    f"{membership.user.shown_name} still has pairs to judge, so the {role} role "
                    "stays. Nothing was changed. Assign these pairs to another person on the "
                    "judging page first."
                )
        take_role(membership=membership)


def change_roles(*, collection: Collection, person: User, roles: Iterable[str]) -> None:
    """Give the person these roles in the collection, and remove the others. All of it or nothing.

    Raises:
        CannotBlind: the roles are those of an admin and an annotator.
        HoldsPairs: an annotator with pairs left to judge would lose that role.
        LastAdmin: the only admin who can log in would lose that role.
    """
    roles = set(roles)
    with transaction.atomic():
        lock_collection(collection)
        # First those that go, because an admin may become an annotator.
        for membership in collection.memberships.filter(user=person).exclude(role__in=roles):
            remove_role(membership=membership)
        for role in sorted(roles):
            add_membership(collection=collection, user=person, role=role)


def change_licences(
    *, collection: Collection, licence: str | None = None, corpus_licence: str | None = None
) -> Collection:
    """Save the licences that are given. Published versions keep theirs."""
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        if licence is not None:
            locked_collection.licence = licence.strip()
        if corpus_licence is not None:
            locked_collection.corpus_licence = corpus_licence.strip()
        save_settings(locked_collection, ["licence", "corpus_licence"])
    return locked_collection


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
    document_language: str,
    admins_need_second_factor: bool = False,
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
        locked_collection.document_language = document_language
        locked_collection.admins_need_second_factor = admins_need_second_factor
        save_settings(
            locked_collection,
            [
                *("name", "description", "licence", "corpus_licence"),
                *("seconds_per_judgment", "seed", "analysis", "document_language"),
                "admins_need_second_factor",
            ],
        )
        note_language(locked_collection)


def change_second_factor_rule(*, collection: Collection, admins_need_second_factor: bool) -> None:
    """Require a second factor of the collection's admins, or not. It holds from the next request.

    An admin without one is led to where it is set up, also the one who turns this on.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        locked_collection.admins_need_second_factor = admins_need_second_factor
        save_settings(locked_collection, ["admins_need_second_factor"])


class ProposalsImpossible(UserFacingError):
    """No grade can be proposed in this collection."""


def change_judging_rules(*, collection: Collection, changes: Mapping[str, Any]) -> Collection:
    """Save how pairs are judged: `changes` are values of `JudgingRules` by name, the rest stays.

    It holds from then on. Judgments and decisions that exist stay as they are.

    Raises:
        ProposalsImpossible, CollectionArchived
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        if changes.get("proposes_grades"):
            facets = locked_collection.facets.values_list("key", flat=True)
            if fault := fault_of_proposals(facets, locked_collection.highest_grade):
                raise ProposalsImpossible(fault)
        for name, value in changes.items():
            setattr(locked_collection, name, value)
        save_settings(locked_collection, list(changes))
    return locked_collection


def seed_is_fixed(collection: Collection) -> bool:
    return collection.pool_builds.exists()
