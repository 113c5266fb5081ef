"""The plan that the page "Plan the pools" opens with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from accounts.locking import lock_collection
from accounts.models import Collection, User
from pooling.models import LastPlan


def save_last_plan(
    *, collection: Collection, fields: Mapping[str, Sequence[str]], saved_by: User
) -> LastPlan:
    """Replace the last plan of the collection by these fields of the form."""
    with transaction.atomic():
        lock_collection(collection)
        last_plan, _ = LastPlan.objects.update_or_create(
            collection=collection, defaults={"fields": dict(fields), "saved_by": saved_by}
        )
    return last_plan
