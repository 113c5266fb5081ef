"""The grades that were proposed to judges, of pairs with both judgments."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef

from accounts.models import Collection
from annotation.aspects import aspects_cell
from annotation.models import Judgment, Slot
from bundle.records import ProposedGrade


def released_proposals(collection: Collection) -> tuple[ProposedGrade, ...]:
    """Those of the present round of each query."""
    query = "slot__pair__query"
    rows = (
        Judgment.objects.filter(
            proposed_grade__isnull=False,
            round=F(f"{query}__opening__round"),
            **{f"{query}__collection": collection},
        )
        .filter(~Exists(Slot.objects.unjudged().filter(pair=OuterRef("slot__pair"))))
        .order_by("slot", "sequence")
        .values_list(
            *(f"{query}__name", "slot__pair__candidate__document__docno", "slot__number"),
            *("grade", "aspects", "details_alike", "proposed_grade"),
        )
    )
    # A pair that was opened again can have several in a slot; the last one counts.
    found = {
        (name, docno, slot): ProposedGrade(
            name, docno, slot, grade, aspects_cell(aspects), alike, proposed
        )
        for name, docno, slot, grade, aspects, alike, proposed in rows
    }
    return tuple(found[key] for key in sorted(found))
