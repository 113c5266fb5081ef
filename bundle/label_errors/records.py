"""A judged sample of citation labels, as a release has it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bundle.label_errors.rates import (
    OVERALL,
    ErrorStratum,
    JudgedLabel,
    Rate,
    count_strata,
    rates_of,
)

CHANGED = "its strata are no longer those of the labels"
UNJUDGED = "not all of its pairs have final labels"


@dataclass(frozen=True)
class JudgedSample:
    """A sample whose pairs all have a final label or are set aside.

    `name` is the short name of the collection in which they were judged. Grades from
    `relevant_from` to `highest_grade` are relevant. `informed_judges` could see the citation labels
    in the collection that was sampled.
    """

    name: str
    facet: str
    highest_grade: int
    relevant_from: int
    seed: str
    informed_judges: int
    strata: tuple[ErrorStratum, ...]
    judged: tuple[JudgedLabel, ...]

    @cached_property
    def rates(self) -> list[Rate]:
        return rates_of(count_strata(self.strata, self.judged, self.relevant_from))

    @property
    def overall(self) -> Iterable[Rate]:
        return (rate for rate in self.rates if rate.scope == OVERALL)

    @property
    def without_grade(self) -> int:
        return sum(pair.grade is None for pair in self.judged)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "facet": self.facet,
            "highest_grade": self.highest_grade,
            "relevant_from": self.relevant_from,
            "seed": self.seed,
            "pairs": len(self.judged),
            "without_grade": self.without_grade,
            "informed_judges": self.informed_judges,
            "strata": [stratum._asdict() for stratum in self.strata],
        }

    def pair_rows(self) -> Iterator[tuple[object, ...]]:
        """The cells of `PAIR_COLUMNS`, by query and docno."""
        inclusion = {stratum[:2]: stratum.inclusion for stratum in self.strata}
        for pair in sorted(self.judged):
            relevant = None if pair.grade is None else int(pair.grade >= self.relevant_from)
            yield (
                *pair[:5],
                inclusion[pair.field, pair.type],
                pair.grade,
                relevant,
                pair.judges,
            )

    def rate_rows(self) -> Iterator[tuple[object, ...]]:
        """The cells of `RATE_COLUMNS`."""
        for rate in self.rates:
            yield (*rate[:10], rate.total, rate.undefined)


PAIR_COLUMNS = (
    *("query", "docno", "field", "type", "label", "inclusion_probability"),
    *("grade", "relevant", "judges"),
)
RATE_COLUMNS = (
    *("scope", "field", "type", "measure", "population", "graded", "counted"),
    *("estimate", "low", "high", "total", "undefined"),
)


@dataclass(frozen=True)
class JudgedSamples:
    """The samples of a release by name, and the reason why others are not in it."""

    samples: tuple[JudgedSample, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
