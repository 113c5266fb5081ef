"""How a pool is drawn from ranked lists. Pure: the same values in, the same pool out."""

from __future__ import annotations

from pooling.strategies.drawn import (
    BUDGET,
    Contribution,
    Drawn,
    Entry,
    Ranking,
    contributions,
)
from pooling.strategies.mdcr import JaccardMatrix, choose_models, jaccard_matrix
from pooling.strategies.registry import (
    STRATEGIES,
    Parameter,
    Strategy,
    StrategyError,
    pool,
    pool_of_format_3,
    sampled_from,
    strategy,
)
from pooling.strategies.sampling import Stratum
from pooling.strategies.taking import MODES, draw

__all__ = [
    "BUDGET",
    "MODES",
    "STRATEGIES",
    "Contribution",
    "Drawn",
    "Entry",
    "JaccardMatrix",
    "Parameter",
    "Ranking",
    "Strategy",
    "StrategyError",
    "Stratum",
    "choose_models",
    "contributions",
    "draw",
    "jaccard_matrix",
    "pool",
    "pool_of_format_3",
    "sampled_from",
    "strategy",
]
