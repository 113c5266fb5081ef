"""Rows that break the rules of `accounts`."""

from __future__ import annotations

from django.utils import timezone

from accounts.actions.models import RecordedAction
from accounts.models import User
from accounts.personal_data.models import RetentionRun
from tests.database.rules.world import Case, World, again, change, delete, given


def annotating_after_admin(world: World) -> None:
    given(world, "admin", world.stranger)
    again(world.annotating, user=world.stranger)


def changed_to_annotating_after_admin(world: World) -> None:
    given(world, "admin", world.adjudicating.user)
    change(world.adjudicating, role="annotator")


def given_to(world: World, role: str) -> None:
    given(world, role, world.stranger)
    again(world.annotating, user=world.stranger, role="owner-annotator")


def changed_to_owner_annotator_after_adjudicator(world: World) -> None:
    given(world, "adjudicator", world.stranger)
    again(world.annotating, user=world.stranger)
    world.collection.memberships.filter(user=world.stranger).update(role="owner-annotator")


def changed_to_owner_annotator_beside_a_curator(world: World) -> None:
    for role in ("annotator", "curator"):
        again(world.annotating, user=world.stranger, role=role)
    own = world.collection.memberships.filter(user=world.stranger, role="annotator")
    own.update(role="owner-annotator")


def deletion_begun_and_undone(world: World) -> None:
    marks = ("archived_at", "exported_at", "deletion_began_at")
    change(world.collection, **dict.fromkeys(marks, timezone.now()))
    change(world.collection, deletion_began_at=None)


def erased(world: World) -> User:
    change(
        world.stranger,
        username="erased-0",
        erased_name="0" * 64,
        erased_at=timezone.now(),
        is_active=False,
        password="!",
    )
    return world.stranger


def action_of(world: World) -> RecordedAction:
    return RecordedAction.objects.filter(collection=world.collection).earliest("pk")


def recorded_twice(world: World) -> None:
    for _ in range(2):
        again(action_of(world), once="2026-11-27 16 digest")


CASES = [
    Case("action_kind_known", lambda world: again(action_of(world), kind="guessed")),
    Case("action_way_known", lambda world: again(action_of(world), way="mail")),
    Case("action_subject_known", lambda world: again(action_of(world), subject_kind="grade")),
    Case("action_slug_of_one", lambda world: again(action_of(world), collection=None)),
    Case("action_recorded_once", recorded_twice),
    Case("action_never_edited", lambda world: change(action_of(world), details={})),
    Case(
        "action_address_only_emptied",
        lambda world: change(action_of(world), address="198.51.100.7"),
    ),
    Case("action_never_deleted", lambda world: delete(action_of(world))),
    Case(
        "user_erased_has_no_name_and_no_login",
        lambda world: change(world.stranger, erased_at=timezone.now()),
    ),
    Case(
        "user_erased_has_no_name_and_no_login",
        lambda world: change(world.stranger, erased_name="0" * 64),
    ),
    Case("user_erased_never_changed", lambda world: change(erased(world), first_name="Mara")),
    Case(
        "membership_of_an_erased_person_insert",
        lambda world: again(world.annotating, user=erased(world)),
    ),
    Case(
        "membership_of_an_erased_person_update",
        lambda world: change(world.adjudicating, user=erased(world)),
    ),
    Case("accounts_user.username", lambda world: again(world.first)),
    Case("accounts_collection.slug", lambda world: again(world.collection)),
    Case(
        "collection_has_two_to_five_grades",
        lambda world: change(world.collection, highest_grade=5),
        behind=("scale_stays_once_opened",),
    ),
    Case(
        "collection_relevant_from_is_a_grade",
        lambda world: change(world.collection, relevant_from=0),
        behind=("scale_stays_once_opened",),
    ),
    Case("collection_shares_in_range", lambda world: change(world.collection, repeat_share=0.6)),
    Case("collection_shares_in_range", lambda world: change(world.collection, spot_check_share=-1)),
    Case("collection_rho_in_range", lambda world: change(world.collection, qualifying_rho=1.1)),
    Case("collection_rho_in_range", lambda world: change(world.collection, senior_rho=-2)),
    Case("collection_proposal_known", lambda world: change(world.collection, proposes_grades="?")),
    Case(
        "collection_exported_while_archived",
        lambda world: change(world.collection, exported_at=timezone.now()),
    ),
    Case(
        "collection_deleted_after_export",
        lambda world: change(world.collection, deletion_began_at=timezone.now()),
    ),
    Case("collection_deletion_never_undone", deletion_begun_and_undone),
    Case(
        "collection_relevant_from_is_a_grade",
        lambda world: change(world.collection, relevant_from=4),
        behind=("scale_stays_once_opened",),
    ),
    Case("membership_role_once", lambda world: again(world.adjudicating)),
    Case("membership_role_known", lambda world: again(world.adjudicating, role="owner")),
    Case("membership_admin_never_annotator", lambda world: again(world.annotating, role="admin")),
    Case("membership_former_admin_never_annotator_insert", annotating_after_admin),
    Case("membership_former_admin_never_annotator_update", changed_to_annotating_after_admin),
    Case(
        "membership_admin_never_annotator",
        lambda world: again(world.annotating, role="owner-annotator"),
    ),
    Case(
        "membership_admin_never_annotator",
        lambda world: again(world.collection.memberships.get(role="admin"), role="owner-annotator"),
        behind=("membership_former_admin_never_annotator_insert",),
    ),
    Case(
        "membership_owner_annotator_alone_insert",
        lambda world: again(world.adjudicating, role="owner-annotator"),
        behind=("membership_former_adjudicator_never_owner_annotator_insert",),
    ),
    Case(
        "membership_owner_annotator_alone_insert",
        lambda world: (
            again(world.annotating, user=world.stranger, role="owner-annotator"),
            again(world.annotating, user=world.stranger, role="curator"),
        ),
    ),
    Case("membership_owner_annotator_alone_update", changed_to_owner_annotator_beside_a_curator),
    Case("membership_former_admin_never_annotator_insert", lambda world: given_to(world, "admin")),
    Case(
        "membership_former_adjudicator_never_owner_annotator_insert",
        lambda world: given_to(world, "adjudicator"),
    ),
    Case(
        "membership_former_adjudicator_never_owner_annotator_update",
        changed_to_owner_annotator_after_adjudicator,
    ),
    Case("given_role_once", lambda world: again(world.collection.given_roles.first())),
    Case(
        "given_role_never_edited",
        lambda world: change(world.collection.given_roles.first(), role="curator"),
    ),
    Case("given_role_never_deleted", lambda world: delete(world.collection.given_roles.first())),
    Case(
        "retention_run_is_one_row",
        lambda world: RetentionRun.objects.create(pk=2, cleared_at=timezone.now()),
    ),
]
