"""The grade that the guideline of the facet `method` gives to shared steps. Pure.

Source: the meanings of the grades in the guideline of CSFCube (Mysore et al., 2021), where the
mechanism, which is the sequence of steps, decides before the details of the objects.
"""

from __future__ import annotations

from collections.abc import Iterable

FACET = "method"
FEWEST_STEPS = 2
HIGHEST_GRADE_OF_RULE = 3


def fault_of_proposals(facets: Iterable[str], highest_grade: int) -> str:
    """The reason why no grade can be proposed in a collection, or "" if it can."""
    if FACET not in facets:
        return f"A grade is proposed under the facet {FACET} only, which this collection lacks."
    if highest_grade != HIGHEST_GRADE_OF_RULE:
        return (
            f"The rule is for the grades 0 to {HIGHEST_GRADE_OF_RULE}. Those of this collection "
            f"are 0 to {highest_grade}."
        )
    return ""


def is_due(proposed: int | None, grade: int | None) -> bool:
    """Return whether a grade was proposed that is not the judge's own."""
    return proposed is not None and proposed != grade


def proposed_grade(shared: int, steps: int, *, details_alike: bool) -> int:
    """The grade from 0 to 3 for a candidate that shares `shared` of the query's `steps`.

    - 3: all steps, and their details are alike.
    - 2: more than half of the steps. Their details are comparable, or not all steps are shared.
    - 1: at least one step, and at most half of them.
    - 0: no step.

    Raises:
        ValueError: fewer than FEWEST_STEPS steps, or more or fewer shared steps than there are.
    """
    if steps < FEWEST_STEPS or not 0 <= shared <= steps:
        raise ValueError(f"{shared} of {steps} steps cannot be shared.")
    if shared == steps and details_alike:
        return 3
    if 2 * shared > steps:
        return 2
    return 1 if shared else 0
