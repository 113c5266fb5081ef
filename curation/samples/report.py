"""The counts of a sample, as values for pages and as lines for the terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict

from web.words import count_noun

WHOLE_CORPUS = "All documents"


class StratumCounts(TypedDict):
    stratum: Mapping[str, str]
    documents: int
    excluded: int
    sampled: int


class ExclusionCounts(TypedDict):
    """The list of excluded docnos, and the samples whose papers are left out."""

    file: str
    docnos: int
    unknown: int
    sha256: str
    samples: list[str]


class SampleCounts(TypedDict):
    """The counts of a sample, as they are stored with it. `left_out` has a count for each reason.

    `years` are those of the plan.
    """

    documents: int
    left_out: Mapping[str, int]
    exclusions: ExclusionCounts
    years: str
    strata: list[StratumCounts]


class StratumLine(NamedTuple):
    """A stratum of a sample: its name, and how many documents it had."""

    name: str
    documents: int
    excluded: int
    sampled: int
    shortfall: int


class SampleReport(NamedTuple):
    """The counts of a sample. `left_out` are pairs of a number and its reason."""

    documents: int
    strata: list[StratumLine]
    left_out: list[tuple[int, str]]
    exclusions: ExclusionCounts

    @property
    def papers(self) -> int:
        return sum(line.sampled for line in self.strata)

    @property
    def excluded(self) -> int:
        return sum(line.excluded for line in self.strata)

    @property
    def shortfall(self) -> int:
        return sum(line.shortfall for line in self.strata)

    @property
    def lines(self) -> list[str]:
        """The report as text."""
        return [
            *(_line(stratum) for stratum in self.strata),
            f"{count_noun(self.papers, 'paper')} of {count_noun(self.documents, 'document')}",
            *(f"left out: {number:,} {reason}" for number, reason in self.left_out),
            *self._exclusion_lines(),
        ]

    def _exclusion_lines(self) -> list[str]:
        exclusions = self.exclusions
        if not exclusions["docnos"] and not exclusions["samples"]:
            return []
        return [
            f"excluded: {self.excluded:,} of the strata; {exclusions['unknown']:,} of "
            f"{count_noun(exclusions['docnos'], 'docno')} in the list are not in the corpus"
        ]


def _line(stratum: StratumLine) -> str:
    short = f", {stratum.shortfall:,} short" if stratum.shortfall else ""
    excluded = f", {stratum.excluded:,} excluded" if stratum.excluded else ""
    return f"{stratum.name}: {stratum.sampled:,} of {stratum.documents:,}{excluded}{short}"


def stratum_name(stratum: Mapping[str, str], by: Sequence[str]) -> str:
    """The values of a stratum in the order of `by`. PostgreSQL keeps no order of JSON keys."""
    return " · ".join(stratum[kind] for kind in by) or WHOLE_CORPUS


def sample_report(counts: SampleCounts, by: Sequence[str], per_stratum: int) -> SampleReport:
    return SampleReport(
        documents=counts["documents"],
        strata=[
            StratumLine(
                name=stratum_name(line["stratum"], by),
                documents=line["documents"],
                excluded=line["excluded"],
                sampled=line["sampled"],
                shortfall=per_stratum - line["sampled"],
            )
            for line in counts["strata"]
        ],
        left_out=[(number, reason) for reason, number in sorted(counts["left_out"].items())],
        exclusions=counts["exclusions"],
    )
