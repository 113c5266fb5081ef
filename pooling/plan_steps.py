"""The four steps from a plan to frozen pools, as the pages about pools show them."""

from __future__ import annotations

from typing import NamedTuple

from pooling.tables.pools import PoolNumbers

PLAN, BUILD, PREVIEW, FREEZE = "Plan", "Build", "Preview", "Freeze"


class PlanStep(NamedTuple):
    """A step and its state. `url_name` is that of its page, "" for none.

    The figure of a step without a state counts query papers or topics, as the page calls them.
    """

    name: str
    figure: str
    state: str
    url_name: str
    done: bool
    current: bool = False


def plan_steps(numbers: PoolNumbers, *, is_building: bool, current: str = "") -> list[PlanStep]:
    """The steps. Without `current`, it is the first one with something to do."""
    steps = [
        PlanStep(PLAN, f"{numbers.papers:,}", "", "plan-pools", numbers.pools > 0),
        PlanStep(
            BUILD,
            f"{numbers.pools:,} of {numbers.papers:,}",
            "in progress" if is_building else "pools built",
            "",
            numbers.missing == 0 and not is_building,
        ),
        PlanStep(
            PREVIEW,
            f"{numbers.drafts:,}",
            "drafts to check",
            "pools",
            numbers.frozen > 0 and not numbers.drafts,
        ),
        PlanStep(
            FREEZE,
            f"{numbers.frozen:,} of {numbers.papers:,}",
            "pools frozen",
            "",
            numbers.all_frozen,
        ),
    ]
    current = current or _current(numbers, is_building)
    return [step._replace(current=step.name == current) for step in steps]


def _current(numbers: PoolNumbers, is_building: bool) -> str:
    if is_building:
        return BUILD
    if numbers.drafts:
        return PREVIEW
    return "" if numbers.all_frozen else PLAN
