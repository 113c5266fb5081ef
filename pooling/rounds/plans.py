"""The plan of a pool round: choice, depth, seed and reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pooling import strategies
from pooling.errors import PoolingError
from pooling.models import RoundChoice

DEFAULT_DEPTH = 20
LONGEST_REASON = 1_000
STRATA = strategies.strategy("stratified")  # has the parameters of a sample, and their limits


@dataclass(frozen=True)
class RoundPlan:
    """A plan for one pool round.

    `depth` is the last rank that is read of each list. `only` limits the round to query papers and,
    unless None, to documents of each; the choice `decisive` needs it, with `labels_sha256`, the
    digest of the labels it was computed from. A sample has the `parameters` of the strategy
    `stratified`, whose last bound is the depth. An empty `seed` means the collection's.
    """

    reason: str
    choice: str = RoundChoice.ALL_UNJUDGED.value
    depth: int = DEFAULT_DEPTH
    seed: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    only: Mapping[str, Collection[str] | None] | None = None
    labels_sha256: str = ""

    @property
    def values(self) -> dict[str, Any]:
        """Every parameter as JSON values; empty unless it is a sample. Raises PoolingError."""
        if self.choice != RoundChoice.SAMPLE:
            if self.parameters:
                raise PoolingError(f"The choice {self.choice} has no parameters. Remove them.")
            return {}
        try:
            read = STRATA.read(self.parameters)
        except strategies.StrategyError as error:
            raise PoolingError(str(error)) from error
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in read.items()
        }

    def check(self) -> None:
        """Raises PoolingError with the first problem of the plan."""
        if not self.reason.strip():
            raise PoolingError("The reason is missing. Enter why documents are added to the pools.")
        if len(self.reason) > LONGEST_REASON:
            raise PoolingError(
                f"Shorten the reason to {LONGEST_REASON:,} characters. It has "
                f"{len(self.reason):,} now."
            )
        if self.choice not in RoundChoice.values:
            raise PoolingError(
                f"Unknown choice {self.choice!r}. Use {', '.join(RoundChoice.values)}."
            )
        if self.depth < 1:
            raise PoolingError(f"depth must be at least 1, got {self.depth}.")
        if (bounds := self.values.get("bounds")) and bounds[-1] != self.depth:
            raise PoolingError(
                f"The last bound of the sample is {bounds[-1]}, but the depth is {self.depth}. "
                "They must be equal."
            )
        if self.choice == RoundChoice.DECISIVE and self.only is None:
            raise PoolingError("The choice decisive needs the documents that can change a result.")

    def only_json(self) -> dict[str, list[str] | None] | None:
        """`only` as in a manifest: docnos sorted."""
        if self.only is None:
            return None
        return {
            paper: None if docnos is None else sorted(docnos)
            for paper, docnos in sorted(self.only.items())
        }
