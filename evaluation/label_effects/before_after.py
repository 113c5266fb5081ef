"""The rankings of systems before and after new labels, in tables and in words.

Nothing here computes: they are read from two rows of `rankings_over_time`. No sentence is stronger
than its figures: a missing test or coefficient is said with its reason, and no change is called an
improvement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from statistics import fmean
from typing import Any, NamedTuple

from evaluation.label_effects.comparison import FlipKind
from evaluation.label_effects.tables import SHOWN, CorrelationValue
from web.figures import percent_text
from web.words import count_noun, listed

Payload = Mapping[str, Any]
NAMED = 20  # systems in a sentence
APPEARED, WENT, TURNED = "appeared", "went", "changed direction"
# A flip goes from the reference, which is the labels after, to the labels before.
CHANGES = {FlipKind.LOST: APPEARED, FlipKind.GAINED: WENT, FlipKind.REVERSED: TURNED}


class RankChange(NamedTuple):
    """A system's mean and rank before and after; `judged` has both shares for each cut-off."""

    system: str
    mean_before: float
    mean_after: float
    rank_before: int
    rank_after: int
    judged: Sequence[tuple[float, float]]

    @property
    def moved(self) -> bool:
        return self.rank_before != self.rank_after


class DifferenceChange(NamedTuple):
    """Two systems about which the conclusion changed; `better` has the higher mean after.

    The differences are the mean of `better` minus that of `worse`. A p is None where undefined.
    """

    better: str
    worse: str
    change: str
    before: float
    after: float
    p_before: float | None
    p_after: float | None


@dataclass(frozen=True)
class RankingChange:
    """Two rows of a payload, and the names of both for the heads of tables."""

    payload: Payload
    before: Payload
    after: Payload
    names: tuple[str, str]

    @property
    def measure(self) -> str:
        return str(self.payload["measure"])

    @property
    def cutoffs(self) -> list[str]:
        """The measures of judged documents, such as Judged@10, that both rows have."""
        return [name for name in self.after["judged"] if name in self.before["judged"]]

    @cached_property
    def lines(self) -> list[RankChange]:
        """The systems in the order after; none if one ranking has no query."""
        old = {row["system"]: row for row in self.before["systems"]}
        return [
            RankChange(
                name,
                old[name]["mean"],
                row["mean"],
                old[name]["rank"],
                row["rank"],
                [
                    (self.before["judged"][cutoff][name], self.after["judged"][cutoff][name])
                    for cutoff in self.cutoffs
                ],
            )
            for row in self.after["systems"]
            for name in [row["system"]]
            if name in old
        ]

    @property
    def moved(self) -> list[RankChange]:
        """Those with another rank, the largest move first."""
        moved = [line for line in self.lines if line.moved]
        return sorted(
            moved, key=lambda line: (-abs(line.rank_before - line.rank_after), line.rank_after)
        )

    def coefficient(self, key: str) -> CorrelationValue:
        """`tau` or `tau_ap` of the ranking before, with the ranking after as the truth."""
        reason = self.before["undefined"].get(key, "")
        return CorrelationValue((self.before["correlations"] or {}).get(key), reason)

    @property
    def tau(self) -> CorrelationValue:
        return self.coefficient("tau")

    @property
    def tau_ap(self) -> CorrelationValue:
        return self.coefficient("tau_ap")

    @cached_property
    def differences(self) -> list[DifferenceChange]:
        """The pairs of systems whose difference became significant, or no longer is."""
        return [
            DifferenceChange(
                flip["better"],
                flip["worse"],
                CHANGES[FlipKind(flip["kind"])],
                flip["other"],
                flip["reference"],
                flip["p_other"],
                flip["p_reference"],
            )
            for flip in self.before["flips"]
        ]

    @property
    def shown_differences(self) -> list[DifferenceChange]:
        return self.differences[:SHOWN]

    @property
    def pairs(self) -> int:
        return len(self.lines) * (len(self.lines) - 1) // 2

    @property
    def basis(self) -> str:
        """The labels and queries that the means are of."""
        rows = (self.before, self.after)
        labels, queries = ([f"{row[key]:,}" for row in rows] for key in ("labels", "queries"))
        return (
            f"Labels: {labels[0]} before, {labels[1]} after. Means are over the queries with a "
            f"relevant document: {queries[0]} before, {queries[1]} after."
        )

    def sentences(self) -> Iterator[str]:
        """The change in words; plain text without Markdown."""
        if len(self.lines) < 2:
            yield f"The rankings cannot be compared: {self._reason}."
            return
        yield self._ranks()
        yield self._coefficients()
        yield self.basis
        yield self._significance()
        yield from self._judged()

    @property
    def _reason(self) -> str:
        if not self.before["queries"] or not self.after["queries"]:
            side = "before" if not self.before["queries"] else "after"
            return f"{side}, no query has a relevant document or there is no system"
        return f"it takes two systems, and the number here is {len(self.lines)}"

    def _ranks(self) -> str:
        systems, moved = count_noun(len(self.lines), "system"), self.moved
        if not moved:
            return f"No system of {len(self.lines):,} has another rank by mean {self.measure}."
        names = [f"{line.system} {line.rank_before} → {line.rank_after}" for line in moved]
        verb = "has" if len(moved) == 1 else "have"
        return (
            f"Of {systems}, {len(moved):,} {verb} another rank by mean {self.measure}: "
            f"{listed(names, NAMED)}."
        )

    def _coefficients(self) -> str:
        tau, tau_ap = (self.coefficient(key) for key in ("tau", "tau_ap"))
        texts = [
            f"{name} {value.shown}" + (f" ({value.reason})" if value.value is None else "")
            for name, value in (("Kendall’s τ-b", tau), ("τ_AP", tau_ap))
        ]
        return (
            f"The ranking before against that after: {' and '.join(texts)}, over "
            f"{count_noun(len(self.lines), 'system')}. τ_AP takes the ranking after for the truth "
            "and ranks equal means by name."
        )

    def _significance(self) -> str:
        test = f"{self.payload['test']}, at {100 * self.payload['alpha']:g} %"
        for row, side in ((self.before, "before"), (self.after, "after")):
            if row["significant"] is None:
                return (
                    f"Which significant differences appeared or went cannot be said ({test}): "
                    f"{side}, the test is undefined ({row['untested']})."
                )
        counts = {
            change: sum(row.change == change for row in self.differences)
            for change in (APPEARED, WENT, TURNED)
        }
        return (
            f"Of {count_noun(self.pairs, 'pair')} of systems, {self.before['significant']:,} "
            f"differed significantly before and {self.after['significant']:,} after ({test}): "
            f"{', '.join(f'{count:,} {change}' for change, count in counts.items())}."
        )

    def _judged(self) -> Iterator[str]:
        for place, cutoff in enumerate(self.cutoffs):
            sides = zip(*(line.judged[place] for line in self.lines), strict=True)
            means = [percent_text(fmean(shares)) for shares in sides]
            gain, most = max(
                ((line.judged[place][1] - line.judged[place][0], line) for line in self.lines),
                key=itemgetter(0),
            )
            before, after = most.judged[place]
            rest = (
                f", most for {most.system}: from {percent_text(before)} to {percent_text(after)} %"
                if gain > 0
                else ""
            )
            yield (
                f"{cutoff}, the mean over the systems, went from {means[0]} to {means[1]} %{rest}."
            )


def change_between(
    payload: Payload, before: str, names: tuple[str, str] | None = None
) -> RankingChange | None:
    """The change from that set of labels to the last one; None if the payload does not have it."""
    *earlier, last = payload["rankings"]
    rows = {row["source"]: row for row in earlier}
    if before not in rows:
        return None
    return RankingChange(payload, rows[before], last, names or (before, last["source"]))
