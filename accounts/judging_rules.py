"""The rules by which the pairs of a collection are judged, beyond those that always hold. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

HIGHEST_REPEAT_SHARE = 0.5

# The queries for which a grade is proposed: none, all, or half of them at random.
IN_NO_QUERY, IN_ALL_QUERIES, IN_HALF_OF_THE_QUERIES = "", "all", "half"
PROPOSALS = (
    (IN_NO_QUERY, "Never"),
    (IN_ALL_QUERIES, "In all queries with named steps"),
    (IN_HALF_OF_THE_QUERIES, "In half of them at random, to compare"),
)


class JudgingRules(NamedTuple):
    """The choices of a collection. The names are those of its columns.

    Shares are from 0 to 1, and that of repeats at most a half. A ρ is from −1 to 1, or None if
    none is required. `proposes_grades` is one of PROPOSALS.
    """

    marks_aspects: bool = False
    grades_blind_first: bool = False
    spot_check_share: float = 0.0
    repeat_share: float = 0.0
    qualifying_rho: float | None = None
    senior_rho: float | None = None
    proposes_grades: str = IN_NO_QUERY

    @property
    def chosen(self) -> Mapping[str, Any]:
        """The choices that differ from the default."""
        defaults = NO_RULES._asdict()
        return {name: value for name, value in self._asdict().items() if value != defaults[name]}


NO_RULES = JudgingRules()
