"""Libraries that take up to a second to import, imported when they are first used.

A command, a worker or a web process needs them for few of its pages and jobs, if for any:
`from web.lazy import pandas as pd`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class _Later(ModuleType):
    """Stands for a module. Threads that need it first at the same time wait for one import."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


if TYPE_CHECKING:
    import pandas as pandas
    import pyarrow as pyarrow
    from pyarrow import parquet as parquet
    from scipy import special as special
    from scipy import stats as stats
else:
    pandas, pyarrow, parquet, special, stats = map(
        _Later, ("pandas", "pyarrow", "pyarrow.parquet", "scipy.special", "scipy.stats")
    )
