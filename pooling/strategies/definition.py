"""The definition of a strategy: a function, and parameters for forms, commands and manifests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pooling.strategies.drawn_pool import DrawnPool, Ranking, Rankings
from retrieval.formats import docnos_of
from web.errors import UserFacingError

Kind = Literal["whole", "number", "wholes", "numbers"]
Value = int | float | tuple[int, ...] | tuple[float, ...]
Values = Mapping[str, Any]


class StrategyError(UserFacingError, ValueError):
    """An unknown strategy, or an invalid parameter.

    `parameter` is the parameter's name, or None.
    """

    def __init__(self, problem: str, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(problem)


@dataclass(frozen=True)
class Parameter:
    """A setting of a strategy. "wholes" and "numbers" are lists of them."""

    name: str
    kind: Kind
    default: Value
    about: str  # one line, for the form
    minimum: float = 1
    maximum: float = math.inf

    def read(self, raw_value: object) -> Value:
        """The value from a JSON value or a text ("10, 50" for a list).

        Raises StrategyError for anything else and for values outside minimum and maximum.
        """
        if self.kind in ("whole", "number"):
            value: Value = self._read_number(raw_value)
            return value
        items = raw_value.split(",") if isinstance(raw_value, str) else raw_value
        if not isinstance(items, Sequence) or not items:
            raise self._error(raw_value)
        return tuple(self._read_number(item) for item in items)

    def _read_number(self, raw_value: object) -> Any:
        try:
            value = self._number(raw_value)
        except ValueError as error:
            raise self._error(raw_value) from error
        if not (math.isfinite(value) and self.minimum <= value <= self.maximum):
            raise self._error(raw_value)
        return value

    def _number(self, raw_value: object) -> float:
        if isinstance(raw_value, bool) or not isinstance(raw_value, int | float | str):
            raise ValueError(raw_value)
        if self.kind in ("number", "numbers"):
            return float(raw_value)
        if isinstance(raw_value, float) and not raw_value.is_integer():
            raise ValueError(raw_value)
        return int(raw_value)

    def _error(self, raw_value: object) -> StrategyError:
        expected = {
            "whole": "a whole number,",
            "number": "a number,",
            "wholes": "whole numbers separated by commas, each",
            "numbers": "numbers separated by commas, each",
        }[self.kind]
        limit = (
            f"at least {self.minimum:g}"
            if self.maximum == math.inf
            else f"from {self.minimum:g} to {self.maximum:g}"
        )
        return StrategyError(
            f"{self.name} must be {expected} {limit}, got {raw_value!r}.", self.name
        )


@dataclass(frozen=True)
class Strategy:
    """A way to draw a pool.

    `draw(rankings, forced, seed, query_paper, excluded, is_topic, **values)`; see `pool`.
    """

    name: str
    title: str
    about: str  # one line, for the form
    parameters: tuple[Parameter, ...]
    draw: Callable[..., DrawnPool]
    # The parameter with the deepest rank that is read of a list; None: a list is read to its end.
    depth_parameter: str | None = None
    # True if every retriever draws one document, then every retriever the next one.
    one_per_round: bool = False
    # The last best rank of each stratum; None for a strategy that takes no sample.
    bounds: Callable[[Values], Sequence[int]] | None = None

    @property
    def samples(self) -> bool:
        """True if its pools have inclusion probabilities."""
        return self.bounds is not None

    def read(self, raw_values: Values) -> dict[str, Value]:
        """Every parameter's value, the default where none is given. Raises StrategyError."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        if unknown := sorted(raw_values.keys() - by_name.keys()):
            raise StrategyError(
                f"{self.name} has no parameter {unknown[0]!r}. Use {', '.join(by_name)}.",
                unknown[0],
            )
        values = {
            name: parameter.read(raw_values[name]) if name in raw_values else parameter.default
            for name, parameter in by_name.items()
        }
        # A rule about several parameters is the strategy's own, so it is tried on no lists.
        try:
            self.draw({}, {}, seed="", query_paper="", excluded=(), **values)
        except ValueError as error:
            raise StrategyError(f"{self.name}: {error}.") from error
        return values

    def depth_read(self, values: Values) -> int:
        """The deepest rank that is read of a list, for these values; 1 if none is set."""
        value = values[self.depth_parameter] if self.depth_parameter else 1
        return max(value) if isinstance(value, Sequence) else value


def by_docno(draw: Callable[..., DrawnPool]) -> Callable[..., DrawnPool]:
    """For strategies that ignore scores: `draw` gets lists of docnos."""

    def draw_by_docno(
        rankings: Rankings, forced: Mapping[str, Ranking], **values: Any
    ) -> DrawnPool:
        docnos = {name: docnos_of(ranking) for name, ranking in rankings.items()}
        return draw(docnos, forced, **values)

    return draw_by_docno
