"""What somebody asked of a building of pools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pooling import strategies
from pooling.services.errors import PoolingError
from pooling.services.runs import CITED, DEFAULT_DEPTH, FORCED_SOURCES

DEFAULT_STRATEGY = "interleaved"
# The parameters that say down to which rank a strategy reads a list.
READ_TO = {
    "interleaved": "n",
    "sequential": "n",
    "depth_k": "k",
    "rrf": "depth",
    "combmnz": "depth",
    "rbp": "depth",
    "uniform": "depth",
    "stratified": "bounds",
    "mdcr": "top",
}


@dataclass(frozen=True)
class PoolPlan:
    """How pools are to be built.

    A parameter that is not given has its strategy's default. Empty `runs` means every run, empty
    `seed` the collection's.
    """

    strategy: str = DEFAULT_STRATEGY
    parameters: Mapping[str, Any] = field(default_factory=dict)
    forced: tuple[str, ...] = (CITED,)
    seed: str = ""
    runs: tuple[str, ...] = ()
    depth: int = DEFAULT_DEPTH

    @classmethod
    def take(cls, n: int, mode: str = DEFAULT_STRATEGY, **rest: Any) -> PoolPlan:
        """n new documents from every run, in one of the two modes. Raises PoolingError."""
        if mode not in strategies.MODES:
            raise PoolingError(f"No mode {mode!r}; choose {' or '.join(strategies.MODES)}.")
        return cls(strategy=mode, parameters={"n": n}, **rest)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> PoolPlan:
        """The plan a job's parameters or a manifest spell out."""
        return cls(
            strategy=values["strategy"],
            parameters=dict(values["parameters"]),
            forced=tuple(values["forced"]),
            seed=values["seed"],
            runs=tuple(values["runs"]),
            depth=values["depth"],
        )

    @property
    def values(self) -> dict[str, Any]:
        """Every parameter of the strategy, as JSON values. Raises PoolingError."""
        try:
            read = strategies.strategy(self.strategy).read(self.parameters)
        except strategies.StrategyError as error:
            raise PoolingError(str(error)) from error
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in read.items()
        }

    def as_json(self) -> dict[str, Any]:
        """Every choice spelled out, so that the same choices read the same."""
        return {
            **asdict(self),
            "parameters": self.values,
            "forced": list(self.forced),
            "runs": list(self.runs),
        }

    def check(self) -> None:
        """Raises PoolingError with the first thing that is wrong."""
        values = self.values
        unknown = set(self.forced) - set(FORCED_SOURCES)
        if unknown:
            raise PoolingError(f"No forced source {min(unknown)!r}; there is {CITED}.")
        name = READ_TO.get(self.strategy, "")
        said = values.get(name, 1)
        read_to = max(said) if isinstance(said, list) else said
        if self.depth < read_to:
            raise PoolingError(
                f"Depth {self.depth} gives no retriever {read_to} documents to draw from, which "
                f"{name} of the strategy asks for; say {read_to} or more."
            )
