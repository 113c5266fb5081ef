"""Every strategy by name. A new one is one line in `STRATEGIES`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pooling.strategies import depths, fusion, mdcr, sampling, take_n
from pooling.strategies.definition import Strategy, StrategyError, Values
from pooling.strategies.drawn_pool import DrawnPool, Ranking, Rankings

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        take_n.INTERLEAVED,
        take_n.SEQUENTIAL,
        depths.DEPTH_K,
        depths.TAKE_B,
        fusion.RRF,
        fusion.COMBMNZ,
        fusion.RBP,
        sampling.UNIFORM,
        sampling.STRATIFIED,
        mdcr.MDCR,
    )
}


def strategy(name: str) -> Strategy:
    """Raises StrategyError that lists the names."""
    if name not in STRATEGIES:
        raise StrategyError(f"Unknown strategy {name!r}. Use one of: {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]


def pool(
    name: str,
    parameters: Values,
    rankings: Rankings,
    forced: Mapping[str, Ranking],
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
) -> DrawnPool:
    """The pool of one query paper by the strategy of that name.

    All documents of the forced sources come first. The strategy then draws documents that are not
    forced, not `excluded` and not the query paper, each once. If `is_topic`, the query paper is no
    document, so none is left out for its id. `rankings` are in `trec_order`. The
    order of the mappings never matters.

    Raises StrategyError for an unknown strategy or an invalid parameter, and ValueError for a name
    that is both a forced source and a retriever.
    """
    pool_strategy = strategy(name)
    return pool_strategy.draw(
        rankings,
        forced,
        seed=seed,
        query_paper=query_paper,
        excluded=excluded,
        is_topic=is_topic,
        **pool_strategy.read(parameters),
    )


def sampled_from(
    name: str, parameters: Values, rankings: Mapping[str, Ranking], skipped_docnos: Collection[str]
) -> tuple[sampling.Stratum, ...]:
    """The deep pool that a sampling strategy draws from, by stratum.

    `skipped_docnos` are the query paper, the forced and the excluded documents. Raises
    StrategyError for a strategy that takes no sample.
    """
    sampling_strategy = strategy(name)
    if sampling_strategy.bounds is None:
        raise StrategyError(f"{name} takes no sample.")
    return sampling.deep_pool(
        rankings, sampling_strategy.bounds(sampling_strategy.read(parameters)), skipped_docnos
    )
