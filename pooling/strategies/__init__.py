"""Strategies, which draw a pool from ranked lists. Pure: the same values in, the same pool out."""

from __future__ import annotations

from pooling.strategies.definition import Parameter, Strategy, StrategyError
from pooling.strategies.drawn_pool import (
    BUDGET,
    DrawnContribution,
    DrawnPool,
    Entry,
    Ranking,
    Rankings,
    contributions,
    own_docnos,
)
from pooling.strategies.mdcr import JaccardMatrix, choose_models, jaccard_matrix
from pooling.strategies.registry import STRATEGIES, pool, sampled_from, strategy
from pooling.strategies.sampling import Stratum
from pooling.strategies.take_n import DRAW_ORDERS, draw

__all__ = [
    "BUDGET",
    "DRAW_ORDERS",
    "STRATEGIES",
    "DrawnContribution",
    "DrawnPool",
    "Entry",
    "JaccardMatrix",
    "Parameter",
    "Ranking",
    "Rankings",
    "Strategy",
    "StrategyError",
    "Stratum",
    "choose_models",
    "contributions",
    "draw",
    "jaccard_matrix",
    "own_docnos",
    "pool",
    "sampled_from",
    "strategy",
]
