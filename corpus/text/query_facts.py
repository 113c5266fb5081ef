"""Facts recorded about a query paper beside its text. No judge is shown any of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class QueryFacts(NamedTuple):
    """The reasons why a paper is a query paper. Each is "" if it is unknown.

    `rating` is the mean of so many `screeners`, from 1 to 5. `chosen` is "balanced", "pinned", or
    "" for a paper that no choice has chosen. The others describe that choice.
    """

    paper_type: str = ""
    year: str = ""
    period: str = ""
    rating: str = ""
    screeners: str = ""
    chosen: str = ""
    sample: str = ""
    least_rating: str = ""
    seed: str = ""
    choice: str = ""

    def as_metadata(self) -> dict[str, str]:
        """The known ones, as `QueryPaper.metadata` has them."""
        return {_key(name): value for name, value in self._asdict().items() if value}


def facts_of(metadata: Mapping[str, Any], year: int | None = None) -> QueryFacts:
    """The facts in the metadata of a query paper. `year` is that of its document."""
    values = {name: metadata.get(_key(name), "") for name in QueryFacts._fields}
    values["year"] = values["year"] or year
    return QueryFacts(
        **{name: "" if value is None else str(value) for name, value in values.items()}
    )


def _key(name: str) -> str:
    # CSFCube's list of queries has the columns "paper type" and "year".
    return name.replace("_", " ")
