"""Collections that have imported judgments, but folds made from their seed."""

from __future__ import annotations

from accounts.models import Collection
from release.datasheets.current import dates_known
from scoring.models import FoldPlan


def has_made_folds(collection: Collection) -> bool:
    """As `facts_of` finds it in a snapshot with labels. Without a plan, folds are made."""
    plan = FoldPlan.objects.filter(collection=collection).first()
    if plan is not None and (plan.imported_from or not plan.made):
        return False
    return not dates_known(collection)
