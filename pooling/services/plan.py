"""What somebody asked of a building of pools."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pooling import strategies
from pooling.models import BuildRun
from pooling.retrievers import Requirements, is_retriever
from pooling.services.errors import PoolingError
from pooling.services.runs import CITED, DEFAULT_DEPTH

DEFAULT_STRATEGY = "interleaved"
# What can be asked of every document that is drawn, as of those of `graph` or `random`.
SAME_FIELD, NOT_LATER = "same_field", "not_later"
ONLY = (SAME_FIELD, NOT_LATER)
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

    A parameter that is not given has its strategy's default. `forced` are the sources taken whole,
    `excluded` those of whose documents none is drawn: `cited`, or imported runs. `only` is what
    drawn documents must meet. Empty `runs` means every run but judgments and what is forced or
    excluded, empty `seed` the collection's.
    """

    strategy: str = DEFAULT_STRATEGY
    parameters: Mapping[str, Any] = field(default_factory=dict)
    forced: tuple[str, ...] = (CITED,)
    excluded: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
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
        """The plan a job's parameters or a manifest spell out; older ones exclude nothing."""
        return cls(
            strategy=values["strategy"],
            parameters=dict(values["parameters"]),
            forced=tuple(values["forced"]),
            excluded=tuple(values.get("excluded", ())),
            only=tuple(values.get("only", ())),
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

    @property
    def known(self) -> frozenset[str]:
        """The sources of known documents: nothing is drawn from their lists."""
        return frozenset((*self.forced, *self.excluded))

    @property
    def known_runs(self) -> list[str]:
        """Those of them that are runs, by name."""
        return sorted(self.known - {CITED})

    def use_of(self, run: str) -> BuildRun.Use:
        """What the plan does with the run of this name."""
        if run in self.forced:
            return BuildRun.Use.FORCED
        return BuildRun.Use.EXCLUDED if run in self.excluded else BuildRun.Use.DRAWN

    @property
    def required(self) -> Requirements:
        """What `only` asks of a document. Known positives are the business of `excluded`."""
        return Requirements(
            same_field=SAME_FIELD in self.only,
            not_later=NOT_LATER in self.only,
            without_known=False,
        )

    def as_json(self) -> dict[str, Any]:
        """Every choice spelled out, so that the same choices read the same."""
        return {
            **asdict(self),
            "parameters": self.values,
            "forced": sorted(set(self.forced)),
            "excluded": sorted(set(self.excluded)),
            "only": sorted(set(self.only)),
            "runs": list(self.runs),
        }

    def check(self) -> None:
        """Raises PoolingError with the first thing that is wrong with what is asked for."""
        self.check_consistent()
        if drawn_from := [name for name in self.known_runs if is_retriever(name)]:
            raise PoolingError(
                f"{drawn_from[0]} is a retriever's, and from its list documents are drawn. Taken "
                f"whole or left out is what others know: {CITED}, or an imported run."
            )

    def check_consistent(self) -> None:
        """The same for what was built once: a retriever may have come by a run's name since."""
        self._check_known()
        if unknown := set(self.only) - set(ONLY):
            raise PoolingError(
                f"Nothing drawn can be asked for {min(unknown)!r}; only for {' and '.join(ONLY)}."
            )
        self._check_depth()

    def _check_known(self) -> None:
        if both := set(self.forced) & set(self.excluded):
            raise PoolingError(f"{min(both)} cannot be both taken whole and left out; say one.")
        if twice := self.known & set(self.runs):
            done = "taken whole" if min(twice) in self.forced else "left out"
            raise PoolingError(
                f"{min(twice)} is {done}, so nothing is drawn from it: leave it out of the runs."
            )

    def _check_depth(self) -> None:
        values = self.values
        name = READ_TO.get(self.strategy, "")
        said = values.get(name, 1)
        read_to = max(said) if isinstance(said, list) else said
        if self.depth < read_to:
            raise PoolingError(
                f"Depth {self.depth} gives no retriever {read_to} documents to draw from, which "
                f"{name} of the strategy asks for; say {read_to} or more."
            )


def usually_forced(excluded: Collection[str]) -> tuple[str, ...]:
    """What is taken whole where nothing is said: the cited papers, unless they are left out."""
    return () if CITED in excluded else (CITED,)
