"""Plans of the page "Plan the pools": the last one, and those that were saved under a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from accounts.locking import lock_collection
from accounts.models import Collection, User
from pooling.errors import PoolingError
from pooling.models import LastPlan, SavedPlan

Fields = Mapping[str, Sequence[str]]  # the texts that were sent, by field of the form


class PlanNameTaken(PoolingError):
    """Another plan of the collection has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is already a plan “{name}”. Open it to change it, or choose another name."
        )


def save_last_plan(*, collection: Collection, fields: Fields, saved_by: User) -> LastPlan:
    """Replace the last plan of the collection by these fields of the form."""
    with transaction.atomic():
        lock_collection(collection)
        last_plan, _ = LastPlan.objects.update_or_create(
            collection=collection, defaults={"fields": dict(fields), "saved_by": saved_by}
        )
    return last_plan


def save_plan(
    *, collection: Collection, name: str, fields: Fields, saved_by: User, opened: str = ""
) -> SavedPlan:
    """Save these fields of the form under the name, as the last plan too.

    `opened` is the name of the plan that was opened and changed; it is replaced if it has the name.
    Raises PlanNameTaken if another plan has it.
    """
    with transaction.atomic():
        lock_collection(collection)
        plan = SavedPlan.objects.filter(collection=collection, name=name).first()
        if plan is not None and name != opened:
            raise PlanNameTaken(name)
        plan = plan or SavedPlan(collection=collection, name=name)
        plan.fields, plan.saved_by = dict(fields), saved_by
        plan.save()
        save_last_plan(collection=collection, fields=fields, saved_by=saved_by)
    return plan


def delete_plan(*, plan: SavedPlan) -> None:
    """Delete the saved plan; pools that were built with it stay."""
    with transaction.atomic():
        lock_collection(plan.collection)
        SavedPlan.objects.filter(pk=plan.pk).delete()
