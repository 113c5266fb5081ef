"""The tables of a comparison of labels, made from a report's payload. Nothing here computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from agreement.tables import signed_number
from evaluation.label_effects.comparison import FlipKind
from evaluation.label_effects.rankings import FINAL, NAMES

Payload = Mapping[str, Any]
SHOWN = 50  # rows of a table; the file has all of them


class Correlation(NamedTuple):
    """A coefficient of two rankings: its key in payloads, and its symbol and name on pages."""

    key: str
    symbol: str
    name: str


CORRELATIONS = (
    Correlation("tau", "τ", "Kendall’s τ-b"),
    Correlation("tau_ap", "τ_AP", "τ_AP, in which the top weighs more"),
    Correlation("rbo", "RBO", "Rank-biased overlap, p = 0.9"),
)


class CorrelationValue(NamedTuple):
    """A coefficient, or the reason why it is undefined."""

    value: float | None
    reason: str

    @property
    def shown(self) -> str:
        return "undefined" if self.value is None else signed_number(self.value, 3)

    @property
    def exact(self) -> str:
        return self.reason if self.value is None else repr(self.value)


FLIPS = {
    FlipKind.REVERSED: "significant under both, in the other direction",
    FlipKind.LOST: "significant under the final labels only",
    FlipKind.GAINED: "significant under these labels only",
}


@dataclass(frozen=True)
class SourceLine:
    """A set of labels, and how its ranking compares with that under the final labels."""

    row: Payload

    @property
    def source(self) -> str:
        return str(self.row["source"])

    @property
    def name(self) -> str:
        return NAMES[self.source]

    @property
    def is_reference(self) -> bool:
        return self.source == FINAL

    @property
    def values(self) -> list[CorrelationValue]:
        """Empty for the final labels, which are not compared with themselves."""
        correlations = self.row["correlations"]
        if correlations is None:
            return []
        return [
            CorrelationValue(correlations[key], self.row["undefined"].get(key, ""))
            for key, _, _ in CORRELATIONS
        ]


class RankUnderLabels(NamedTuple):
    """A system's mean and rank under a set of labels; `change` is how many ranks it moved up."""

    mean: float | None
    rank: int | None
    change: int

    @property
    def moved(self) -> str:
        """In words, for those who cannot see the arrow."""
        if not self.change:
            return ""
        return f"{'up' if self.change > 0 else 'down'} {abs(self.change)}"


class LabelEffectLine(NamedTuple):
    system: str
    places: list[RankUnderLabels]


class SwapLine(NamedTuple):
    source: str
    better: str
    worse: str
    reference: float
    other: float


class FlipLine(NamedTuple):
    source: str
    better: str
    worse: str
    kind: str
    reference: float
    other: float
    p_reference: float | None
    p_other: float | None
    undefined: str = ""  # the reason for a p that is None; reports of an old version lack it


@dataclass(frozen=True)
class RankingTables:
    """Everything that a page shows of the rankings in a payload."""

    payload: Payload

    @property
    def sources(self) -> list[SourceLine]:
        return [SourceLine(row) for row in self.payload["rankings"]]

    @property
    def systems_count(self) -> int:
        return len(self._reference)

    @property
    def systems(self) -> list[LabelEffectLine]:
        """The systems in the order of the final labels, as many as a page shows."""
        return self.all_systems[:SHOWN]

    @property
    def swaps(self) -> list[SwapLine]:
        return self.all_swaps[:SHOWN]

    @property
    def flips(self) -> list[FlipLine]:
        return self.all_flips[:SHOWN]

    @property
    def pairs_of_systems(self) -> int:
        return self.systems_count * (self.systems_count - 1) // 2

    @cached_property
    def all_swaps(self) -> list[SwapLine]:
        return [
            SwapLine(NAMES[row["source"]], **swap)
            for row in self.payload["rankings"]
            for swap in row["swaps"]
        ]

    @cached_property
    def all_flips(self) -> list[FlipLine]:
        return [
            FlipLine(
                **{**flip, "source": NAMES[row["source"]], "kind": FLIPS[FlipKind(flip["kind"])]}
            )
            for row in self.payload["rankings"]
            for flip in row["flips"]
        ]

    @property
    def _reference(self) -> Sequence[Payload]:
        rows = (row["systems"] for row in self.payload["rankings"] if row["source"] == FINAL)
        return next(rows, [])

    @cached_property
    def all_systems(self) -> list[LabelEffectLine]:
        by_source = [
            {entry["system"]: entry for entry in row["systems"]} for row in self.payload["rankings"]
        ]
        return [
            LabelEffectLine(name, [_place(systems.get(name), entry) for systems in by_source])
            for entry in self._reference
            for name in [entry["system"]]
        ]


def _place(found: Payload | None, reference: Payload) -> RankUnderLabels:
    if found is None:
        return RankUnderLabels(None, None, 0)
    return RankUnderLabels(found["mean"], found["rank"], reference["rank"] - found["rank"])


def csv_rows(payload: Payload) -> Iterator[list[object]]:
    """All numbers of the rankings, a line for each system, swap and flip, at full precision."""
    yield [
        *("row", "labels", "system", "other_system", "value"),
        *("rank", "final", "p_final", "p", "undefined"),
    ]
    for row in payload["rankings"]:
        source, reasons = row["source"], row["undefined"]
        for entry in row["systems"]:
            cells = [entry["system"], "", entry["mean"], entry["rank"]]
            yield ["mean", source, *cells, "", "", "", ""]
        for key, value in (row["correlations"] or {}).items():
            yield [key, source, "", "", value, "", "", "", "", reasons.get(key, "")]
        for swap in row["swaps"]:
            pair = [swap["better"], swap["worse"]]
            yield ["swap", source, *pair, swap["other"], "", swap["reference"], "", "", ""]
        for flip in row["flips"]:
            yield [
                f"flip {flip['kind']}",
                source,
                flip["better"],
                flip["worse"],
                flip["other"],
                "",
                flip["reference"],
                flip["p_reference"],
                flip["p_other"],
                flip.get("undefined", ""),
            ]
