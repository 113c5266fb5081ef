"""Open queries for a team, and share the work again when people join or leave.

What a person sees before it is done is a plan. It is done under the collection's lock, and only if
the plan is still the same then. See docs/adr/0027-a-plan-before-a-change.md.
"""

from annotation.team.exclusions import CannotExclude, end_exclusion, exclude
from annotation.team.opening import (
    OPENING_KIND,
    OpeningPlan,
    load_of,
    open_as_planned,
    open_for_team,
    plan_opening,
    request_opening,
)
from annotation.team.plans import AT_ONCE, STEP, InProgress, PersonPlan, PlanChanged
from annotation.team.pool_rounds import (
    OLD_SHARE,
    ROUND_KIND,
    NewPairsPlan,
    SeatChange,
    open_new_pairs,
    open_new_pairs_as_planned,
    plan_new_pairs,
    request_new_pairs,
    waiting_pairs,
)
from annotation.team.rebalancing import (
    REBALANCING_KIND,
    RebalancingPlan,
    plan_rebalancing,
    rebalance_as_planned,
    rebalance_seats,
    request_rebalancing,
)

__all__ = [
    "AT_ONCE",
    "OLD_SHARE",
    "OPENING_KIND",
    "REBALANCING_KIND",
    "ROUND_KIND",
    "STEP",
    "CannotExclude",
    "InProgress",
    "NewPairsPlan",
    "OpeningPlan",
    "PersonPlan",
    "PlanChanged",
    "RebalancingPlan",
    "SeatChange",
    "end_exclusion",
    "exclude",
    "load_of",
    "open_as_planned",
    "open_for_team",
    "open_new_pairs",
    "open_new_pairs_as_planned",
    "plan_new_pairs",
    "plan_opening",
    "plan_rebalancing",
    "rebalance_as_planned",
    "rebalance_seats",
    "request_new_pairs",
    "request_opening",
    "request_rebalancing",
    "waiting_pairs",
]
