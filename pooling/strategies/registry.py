"""Every strategy by name, with its parameters as a form, a command and a manifest need them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from pooling.formats import Scored, docnos_of
from pooling.strategies import fusion
from pooling.strategies.depths import depth_k, take_b
from pooling.strategies.drawn import Drawn, Ranking
from pooling.strategies.mdcr import sample_of_tops
from pooling.strategies.sampling import Stratum, deep_pool, stratified, uniform
from pooling.strategies.taking import draw

Kind = Literal["whole", "number", "wholes", "numbers"]
Value = int | float | tuple[int, ...] | tuple[float, ...]
Values = Mapping[str, Any]
Rankings = Mapping[str, Sequence[Scored]]


class StrategyError(ValueError):
    """A strategy that does not exist, or a parameter it cannot work with.

    `parameter` names it, or is None.
    """

    is_for_people = True

    def __init__(self, problem: str, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(problem)


@dataclass(frozen=True)
class Parameter:
    """One setting of a strategy. "wholes" and "numbers" are lists of them."""

    name: str
    kind: Kind
    default: Value
    about: str  # one line, for the form
    minimum: float = 1
    maximum: float = math.inf

    def read(self, given: object) -> Value:
        """The value out of a JSON value or a text ("10, 50" for a list).

        Raises StrategyError for anything else and for what is outside minimum and maximum.
        """
        if self.kind in ("whole", "number"):
            one: Value = self._one(given)
            return one
        many = given.split(",") if isinstance(given, str) else given
        if not isinstance(many, Sequence) or not many:
            raise self._error(given)
        return tuple(self._one(one) for one in many)

    def _one(self, given: object) -> Any:
        try:
            value = self._number(given)
        except ValueError as error:
            raise self._error(given) from error
        if not (math.isfinite(value) and self.minimum <= value <= self.maximum):
            raise self._error(given)
        return value

    def _number(self, given: object) -> float:
        if isinstance(given, bool) or not isinstance(given, int | float | str):
            raise ValueError(given)
        if self.kind in ("number", "numbers"):
            return float(given)
        if isinstance(given, float) and not given.is_integer():
            raise ValueError(given)
        return int(given)

    def _error(self, given: object) -> StrategyError:
        what = {
            "whole": "a whole number",
            "number": "a number",
            "wholes": "whole numbers with commas between them",
            "numbers": "numbers with commas between them",
        }[self.kind]
        limit = f"from {self.minimum:g} " + (
            "up" if self.maximum == math.inf else f"to {self.maximum:g}"
        )
        return StrategyError(f"{self.name} is {given!r}; it must be {what} {limit}.", self.name)


@dataclass(frozen=True)
class Strategy:
    """How a pool is drawn. `pools(rankings, forced, seed, query_paper, excluded, **values)`."""

    name: str
    title: str
    about: str  # one line, for the form
    parameters: tuple[Parameter, ...]
    pools: Callable[..., Drawn]
    # The last best rank of each stratum it samples; None for a strategy that takes no sample.
    bounds: Callable[[Values], Sequence[int]] | None = None

    @property
    def samples(self) -> bool:
        """Whether its pools have inclusion probabilities."""
        return self.bounds is not None

    def read(self, given: Values) -> dict[str, Value]:
        """Every parameter's value, the default where none is given. Raises StrategyError."""
        known = {parameter.name: parameter for parameter in self.parameters}
        if strangers := sorted(given.keys() - known.keys()):
            raise StrategyError(
                f"{self.name} has no parameter {strangers[0]!r}; it has {', '.join(known)}.",
                strangers[0],
            )
        values = {
            name: parameter.read(given[name]) if name in given else parameter.default
            for name, parameter in known.items()
        }
        self._try_out(values)
        return values

    def _try_out(self, values: Values) -> None:
        """What no parameter can know by itself, the strategy itself says, over no lists."""
        try:
            self.pools({}, {}, seed="", query_paper="", excluded=(), **values)
        except ValueError as error:
            raise StrategyError(f"{self.name}: {error}.") from error


def pool(
    name: str,
    parameters: Values,
    rankings: Rankings,
    forced: Mapping[str, Ranking],
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
) -> Drawn:
    """The pool of one query paper by the strategy of that name.

    The forced sources come first and whole; what the strategy draws after them is neither one of
    theirs, nor `excluded`, nor the query paper, and nothing is drawn twice. `rankings` are in
    `trec_order`. The order of the mappings never matters. Raises StrategyError for a name or a
    parameter that is not there or wrong, ValueError for a name that is both a forced source and a
    retriever.
    """
    chosen = strategy(name)
    values = chosen.read(parameters)
    return chosen.pools(
        rankings, forced, seed=seed, query_paper=query_paper, excluded=excluded, **values
    )


def pool_of_format_3(
    name: str,
    parameters: Values,
    rankings: Rankings,
    forced: Mapping[str, Ranking],
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
) -> Drawn:
    """The same as it was before manifests of format 4: `mdcr` drew from `graph` at random too."""
    if name != "mdcr":
        return pool(name, parameters, rankings, forced, seed, query_paper, excluded)
    values = strategy(name).read(parameters)
    draws = _by_docno(partial(sample_of_tops, graph_in_order=False))
    return draws(rankings, forced, seed=seed, query_paper=query_paper, excluded=excluded, **values)


def sampled_from(
    name: str, parameters: Values, rankings: Mapping[str, Ranking], out: Collection[str]
) -> tuple[Stratum, ...]:
    """The deep pool that a sampling strategy draws from, by stratum.

    `out` are the query paper, the forced and the excluded documents. Raises StrategyError for a
    strategy that takes no sample.
    """
    chosen = strategy(name)
    if chosen.bounds is None:
        raise StrategyError(f"{name} takes no sample.")
    return deep_pool(rankings, chosen.bounds(chosen.read(parameters)), out)


def strategy(name: str) -> Strategy:
    """Raises StrategyError naming those there are."""
    if name not in STRATEGIES:
        raise StrategyError(f"No strategy {name!r}; there are {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]


def _by_docno(pools: Callable[..., Drawn]) -> Callable[..., Drawn]:
    """For strategies that go by rank alone."""

    def with_scores(rankings: Rankings, forced: Mapping[str, Ranking], **values: Any) -> Drawn:
        docnos = {name: docnos_of(ranking) for name, ranking in rankings.items()}
        return pools(docnos, forced, **values)

    return with_scores


def _rrf(rankings: Rankings, forced: Mapping[str, Ranking], *, k: float, **values: Any) -> Drawn:
    return fusion.fuse_to_budget(partial(fusion.rrf, k=k), rankings, forced, **values)


def _rbp(rankings: Rankings, forced: Mapping[str, Ranking], *, p: float, **values: Any) -> Drawn:
    return fusion.fuse_to_budget(partial(fusion.rbp, p=p), rankings, forced, **values)


def _combmnz(rankings: Rankings, forced: Mapping[str, Ranking], **values: Any) -> Drawn:
    return fusion.fuse_to_budget(fusion.combmnz, rankings, forced, **values)


_N = Parameter("n", "whole", 12, "New documents from every retriever.")
_SIZE = Parameter("size", "whole", 60, "Documents to draw, beside the forced ones.")
_DEPTH = Parameter("depth", "whole", 500, "How far down every list is read.")

STRATEGIES: dict[str, Strategy] = {
    one.name: one
    for one in (
        Strategy(
            "interleaved",
            "Take n, interleaved",
            "Every retriever draws one new document a round, n rounds.",
            (_N,),
            _by_docno(partial(draw, "interleaved")),
        ),
        Strategy(
            "sequential",
            "Take n, one after another",
            "Every retriever draws its n before the next one begins, as CSFCube's pools show.",
            (_N,),
            _by_docno(partial(draw, "sequential")),
        ),
        Strategy(
            "depth_k",
            "Depth k",
            "Every document that some retriever has at rank k or better.",
            (Parameter("k", "whole", 25, "The last rank that is pooled."),),
            _by_docno(depth_k),
        ),
        Strategy(
            "take_b",
            "Fixed budget",
            "Rank by rank over all lists until the budget is spent (take@B).",
            (_SIZE,),
            _by_docno(take_b),
        ),
        Strategy(
            "rrf",
            "Reciprocal rank fusion",
            "The documents that are high in most lists, by the sum of 1/(k + rank).",
            (
                _SIZE,
                _DEPTH,
                Parameter("k", "number", float(fusion.RRF_K), "Larger: ranks count more alike.", 0),
            ),
            _rrf,
        ),
        Strategy(
            "combmnz",
            "CombMNZ",
            "The best by normalised scores, times the number of lists that have the document.",
            (_SIZE, _DEPTH),
            _combmnz,
        ),
        Strategy(
            "rbp",
            "RBP weights",
            "The documents that matter most to rank-biased precision, summed over the lists.",
            (
                _SIZE,
                _DEPTH,
                Parameter("p", "number", 0.8, "Persistence: larger looks deeper.", 0, 1),
            ),
            _rbp,
        ),
        Strategy(
            "uniform",
            "Uniform sample",
            "A random sample of the deep pool; every document equally likely.",
            (_SIZE, Parameter("depth", "whole", 100, "Rank down to which the deep pool goes.")),
            _by_docno(uniform),
            bounds=lambda values: (values["depth"],),
        ),
        Strategy(
            "stratified",
            "Stratified sample",
            "A random sample of the deep pool, denser where the best rank is high.",
            (
                Parameter("bounds", "wholes", (10, 30, 100), "Last best rank of each stratum."),
                Parameter("rates", "numbers", (1.0, 0.3, 0.1), "Share drawn of each.", 0, 1),
            ),
            _by_docno(stratified),
            bounds=lambda values: tuple(values["bounds"]),
        ),
        Strategy(
            "mdcr",
            "n of each top N",
            "n of every retriever's top N at random, without the known positives, as in MDCR. "
            "The run graph gives its first n.",
            (
                Parameter("n", "whole", 10, "Documents from every retriever."),
                Parameter("top", "whole", 200, "How many of its best they are drawn from."),
            ),
            _by_docno(sample_of_tops),
        ),
    )
}
