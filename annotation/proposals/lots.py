"""The lot that a query draws when it is opened: with proposed grades, or without."""

from __future__ import annotations

from typing import NamedTuple

from accounts.judging_rules import IN_HALF_OF_THE_QUERIES
from annotation.models import Opening
from annotation.proposals.rule import FACET, FEWEST_STEPS, fault_of_proposals
from corpus.models import Query
from corpus.ordering import random_number


class ProposalLot(NamedTuple):
    """The columns of an opening. `proposal_block` is None if no lot was drawn."""

    proposal_steps: int | None = None
    proposal_block: int | None = None


def draw_lot(query: Query) -> ProposalLot:
    """The lot of a query that is being opened; its collection is locked.

    In a study, the queries of a facet are taken two by two in the order in which they are opened.
    The first of a block draws by the hash of its name, and the second gets the other lot. So the
    two groups never differ by more than one query.
    """
    collection, steps = query.collection, len(query.aspect_names)
    if (
        not collection.proposes_grades
        or steps < FEWEST_STEPS
        or fault_of_proposals([query.facet.key], collection.highest_grade)
    ):
        return ProposalLot()
    if collection.proposes_grades != IN_HALF_OF_THE_QUERIES:
        return ProposalLot(steps)
    earlier = list(
        Opening.objects.filter(query__facet=query.facet, proposal_block__isnull=False)
        .order_by("pk")
        .values_list("proposal_steps", flat=True)
    )
    blocks, is_second = divmod(len(earlier), 2)
    if is_second:
        is_with = earlier[-1] is None
    else:
        is_with = random_number(collection.seed, f"proposal:{FACET}", query.name, "") < 0.5
    return ProposalLot(steps if is_with else None, blocks + 1)
