"""A frozen pool that is a sample, and the deep pool that it was drawn from. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pooling.strategies import Stratum


class StratifiedPool(NamedTuple):
    """A frozen pool that is a sample of a deep pool.

    `strata` hold the deep pool, drawn documents and others. Documents without text are left out,
    because they cannot be judged.
    """

    query_paper: str
    strategy: str
    parameters: Mapping[str, Any]
    strata: tuple[Stratum, ...]
