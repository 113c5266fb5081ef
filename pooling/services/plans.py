"""The plan of a pool build: strategy, parameters, sources and seed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from pooling import strategies
from pooling.errors import PoolingError
from pooling.models import BuildRun
from retrieval.retrievers import Requirements, is_retriever
from retrieval.run_names import CITED
from retrieval.services.runs import DEFAULT_DEPTH

L = TypeVar("L")

DEFAULT_STRATEGY = "interleaved"
# Requirements of drawn documents; the retrievers `graph` and `random` have the same ones.
SAME_FIELD, NOT_LATER = "same_field", "not_later"
ONLY = (SAME_FIELD, NOT_LATER)


@dataclass(frozen=True)
class PoolPlan:
    """A plan for building pools.

    A parameter that is not given has its strategy's default. All documents of `forced` sources are
    pooled; no document of an `excluded` source is drawn. Both are `cited` or imported runs. `only`
    are the requirements of drawn documents. Empty `runs` means every run except judgments, forced
    and excluded ones; an empty `seed` means the collection's.
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
    def take(cls, n: int, mode: str = DEFAULT_STRATEGY, **settings: Any) -> PoolPlan:
        """n new documents from every run, in one of the two modes. Raises PoolingError."""
        if mode not in strategies.DRAW_ORDERS:
            raise PoolingError(f"Unknown mode {mode!r}. Use {' or '.join(strategies.DRAW_ORDERS)}.")
        return cls(strategy=mode, parameters={"n": n}, **settings)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> PoolPlan:
        """The plan in a job's parameters or a manifest. Without `excluded`, nothing is excluded."""
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
            values = strategies.strategy(self.strategy).read(self.parameters)
        except strategies.StrategyError as error:
            raise PoolingError(str(error)) from error
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    @property
    def known_sources(self) -> frozenset[str]:
        """The forced and excluded sources: nothing is drawn from their lists."""
        return frozenset((*self.forced, *self.excluded))

    @property
    def known_runs(self) -> list[str]:
        """The forced and excluded runs, by name."""
        return sorted(self.known_sources - {CITED})

    def use_of(self, run: str) -> BuildRun.Use:
        """The plan's use of the run with this name."""
        if run in self.forced:
            return BuildRun.Use.FORCED
        return BuildRun.Use.EXCLUDED if run in self.excluded else BuildRun.Use.DRAWN

    @property
    def requirements(self) -> Requirements:
        """The requirements in `only`. Known positives are excluded by `excluded` instead."""
        return Requirements(
            same_field=SAME_FIELD in self.only,
            not_later=NOT_LATER in self.only,
            without_known=False,
        )

    def without(self, group: Collection[str]) -> PoolPlan:
        """The plan without these sources, drawn or forced.

        An excluded source stays excluded: it kept documents out, so it cannot add them now.
        """
        return replace(
            self,
            runs=tuple(name for name in self.runs if name not in group),
            forced=tuple(name for name in self.forced if name not in group),
        )

    def lists_without(self, group: Collection[str], lists: Mapping[str, L]) -> dict[str, L]:
        """The lists that `without` the group is drawn from, by run."""
        return {
            name: ranking
            for name, ranking in lists.items()
            if name not in group or name in self.excluded
        }

    def as_json(self) -> dict[str, Any]:
        """The plan with all defaults filled in, so that equal plans have equal JSON."""
        return {
            **asdict(self),
            "parameters": self.values,
            "forced": sorted(set(self.forced)),
            "excluded": sorted(set(self.excluded)),
            "only": sorted(set(self.only)),
            "runs": list(self.runs),
        }

    def check(self) -> None:
        """Raises PoolingError with the first problem of the plan."""
        self.check_consistent()
        if retrievers := [name for name in self.known_runs if is_retriever(name)]:
            raise PoolingError(
                f"{retrievers[0]} is a built-in retriever. Only `{CITED}` or an imported run can "
                "be forced or excluded."
            )

    def check_consistent(self) -> None:
        """Like `check`, for a manifest: a run's name may have become a retriever's since."""
        if sources_in_both := set(self.forced) & set(self.excluded):
            raise PoolingError(f"{min(sources_in_both)} is both forced and excluded. Choose one.")
        if known_and_drawn := self.known_sources & set(self.runs):
            name = min(known_and_drawn)
            use = "forced" if name in self.forced else "excluded"
            raise PoolingError(
                f"{name} is {use}, so nothing can be drawn from it. Remove it from the runs."
            )
        if unknown := set(self.only) - set(ONLY):
            raise PoolingError(
                f"only: unknown requirement {min(unknown)!r}. Use {' or '.join(ONLY)}."
            )
        self._check_depth()

    def _check_depth(self) -> None:
        values = self.values
        strategy = strategies.strategy(self.strategy)
        depth_read = strategy.depth_read(values)
        if self.depth < depth_read:
            raise PoolingError(
                f"Depth {self.depth} is too small: {self.strategy} reads {depth_read} documents of "
                f"each list ({strategy.depth_parameter}). Use a depth of at least {depth_read}."
            )


def default_forced(excluded: Collection[str]) -> tuple[str, ...]:
    """The forced sources of a plan that names none: `cited`, unless it is excluded."""
    return () if CITED in excluded else (CITED,)
