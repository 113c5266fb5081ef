"""The known benchmarks by name."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.doris_mae import read_doris_mae
from benchmarks.litsearch import read_litsearch
from benchmarks.mdcr import read_mdcr
from benchmarks.records import Reader
from benchmarks.relish import read_relish

BENCHMARKS: Mapping[str, Reader] = {
    "mdcr": read_mdcr,
    "litsearch": read_litsearch,
    "doris-mae": read_doris_mae,
    "relish": read_relish,
}
