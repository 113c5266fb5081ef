"""Divide documents into strata, and draw a random sample of each stratum. Pure.

CSFCube drew 20 papers from each of five periods (Mysore et al., 2021, section 3). MDCR drew 200
papers of 2019 from each field (Medić & Šnajder, 2022, section 3.2).
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpus.ordering import order_key
from web.errors import UserFacingError
from web.words import count_noun, listed

PERIOD, FIELD, TYPE = "period", "field", "type"
STRATA = (PERIOD, FIELD, TYPE)
MOST_PERIODS = 100
MOST_STRATA = 1_000
MOST_PAPERS = 10_000
NAMED_STRATA = 5  # in an error

NO_TEXT = "without text"
NO_YEAR = "without a year"
OTHER_YEAR = "from other years"
NO_FIELD = "without a field"
OTHER_FIELD = "in other fields"
NO_TYPE = "not screened for their type"
OTHER_TYPE = "of an excluded type"

Values = tuple[str, ...]  # those of a stratum, in the order of the plan's `strata`
_YEARS = re.compile(r"(\d{4})(?:\s*[-–]\s*(\d{4}))?")


class SampleError(UserFacingError):
    """A sample that cannot be drawn. The message is shown to the person."""


class Period(NamedTuple):
    """Years from `first` to `last`, both included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}–{self.last}" if self.first < self.last else str(self.first)

    def __contains__(self, year: object) -> bool:
        return isinstance(year, int) and self.first <= year <= self.last


def parse_years(text: str) -> Period:
    """The years of a text such as "1995-1999" or "2019". Raises SampleError."""
    match = _YEARS.fullmatch(text.strip())
    if match is None:
        raise SampleError(f'Invalid years "{text.strip()}". Write them as 1995-1999.')
    first = int(match[1])
    last = int(match[2] or first)
    if last < first:
        raise SampleError(f'Invalid years "{text.strip()}": {first} is after {last}.')
    return Period(first, last)


def parse_periods(text: str) -> int | tuple[Period, ...]:
    """A number of periods, such as "5", or periods such as "1995-1999,2000-2004", by year.

    A number of four digits is a year.

    Raises:
        SampleError: the text is neither, or periods overlap.
    """
    text = text.strip()
    if re.fullmatch(r"\d{1,3}", text):
        if not 1 <= int(text) <= MOST_PERIODS:
            raise SampleError(f"The number of periods must be 1 to {MOST_PERIODS}, got {text}.")
        return int(text)
    periods = sorted(parse_years(part) for part in text.split(","))
    for earlier, later in itertools.pairwise(periods):
        if later.first <= earlier.last:
            raise SampleError(f"The periods {earlier} and {later} overlap. Choose other years.")
    return tuple(periods)


def cut_evenly(years: Period, number: int) -> tuple[Period, ...]:
    """Periods of equal length. If the years cannot be divided, the first are one year longer.

    Raises:
        SampleError: there are fewer years than periods.
    """
    length, longer = divmod(years.last - years.first + 1, number)
    if not length:
        raise SampleError(
            f"{years} cannot be cut into {number} periods. Choose more years or fewer periods."
        )
    starts = [years.first + length * i + min(i, longer) for i in range(number + 1)]
    return tuple(Period(first, after - 1) for first, after in itertools.pairwise(starts))


class SampledDocument(NamedTuple):
    """The facts that decide to which stratum a document belongs.

    `paper_type` is the name of its type by earlier screenings, "" if that type is excluded, and
    None if it was not screened.
    """

    docno: str
    has_text: bool
    year: int | None
    fields: Sequence[str]
    paper_type: str | None = None


@dataclass(frozen=True)
class Stratification:
    """A division of documents into strata: `by` some of STRATA.

    Documents outside of `years` are left out. Without `fields` or `types`, those of the documents
    are used. A document belongs to the first of its fields, as in a list by relevance.
    """

    by: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    years: Period | None = None
    fields: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    def values_of(self, document: SampledDocument) -> Values | str:
        """The values of the document's stratum, or the reason why it is left out."""
        if not document.has_text:
            return NO_TEXT
        if (self.years or PERIOD in self.by) and document.year is None:
            return NO_YEAR
        if self.years and document.year not in self.years:
            return OTHER_YEAR
        values = []
        for kind in self.by:
            value, reason = self._value(kind, document)
            if value is None:
                return reason
            values.append(value)
        return tuple(values)

    def _value(self, kind: str, document: SampledDocument) -> tuple[str | None, str]:
        """The document's value of this kind, or None and the reason."""
        if kind == PERIOD:
            period = next((each for each in self.periods if document.year in each), None)
            return (None if period is None else str(period)), OTHER_YEAR
        if kind == FIELD:
            first = document.fields[0] if document.fields else None
            if first is None:
                return None, NO_FIELD
            return (first if not self.fields or first in self.fields else None), OTHER_FIELD
        return document.paper_type or None, NO_TYPE if document.paper_type is None else OTHER_TYPE

    def expected(self, seen: Iterable[Values]) -> list[Values]:
        """Every stratum that must have documents, in order: all combinations of the values."""
        seen = list(seen)
        given = {
            PERIOD: [str(period) for period in self.periods],
            FIELD: list(self.fields),
            TYPE: list(self.types),
        }
        choices = [
            given[kind] or sorted({values[i] for values in seen}) for i, kind in enumerate(self.by)
        ]
        return list(itertools.product(*choices))


class StratumCount(NamedTuple):
    """`documents` can be sampled; `excluded` ones were removed by the list of exclusions."""

    values: Values
    documents: int
    excluded: int
    sampled: int


@dataclass
class StratifiedDraw:
    """Takes documents one by one, in any order, and keeps the sample of each stratum.

    In each stratum these are the documents with the smallest `order_key`. So the same seed gives
    the same sample on every machine, and at most `per_stratum` documents of each are in memory.
    """

    stratification: Stratification
    per_stratum: int
    seed: str
    left_out: Counter[str] = field(default_factory=Counter)
    seen: Counter[Values] = field(default_factory=Counter)
    excluded: Counter[Values] = field(default_factory=Counter)
    _heaps: dict[Values, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, document: SampledDocument, *, is_excluded: bool) -> None:
        values = self.stratification.values_of(document)
        if isinstance(values, str):
            self.left_out[values] += 1
            return
        if values not in self._heaps:
            if len(self._heaps) == MOST_STRATA:
                raise SampleError(
                    f"The documents have more than {MOST_STRATA:,} strata. Choose fewer fields."
                )
            self._heaps[values] = []
        if is_excluded:
            self.excluded[values] += 1
            return
        self.seen[values] += 1
        key = int(order_key(self.seed, "sample", "|".join(values), document.docno), 16)
        heap = self._heaps[values]
        if len(heap) < self.per_stratum:
            heapq.heappush(heap, (-key, document.docno))
        elif -key > heap[0][0]:
            heapq.heapreplace(heap, (-key, document.docno))

    def counts(self) -> list[StratumCount]:
        """The counts of every expected stratum, in order. Some may have no document."""
        return [
            StratumCount(
                values, self.seen[values], self.excluded[values], len(self._heaps.get(values, []))
            )
            for values in self.stratification.expected(self._heaps)
        ]

    def check(self) -> None:
        """Raise SampleError if a stratum has no document, or if the sample is too large."""
        counts = self.counts()
        empty = [count for count in counts if not count.documents]
        if empty or not counts:
            raise SampleError(_no_documents(empty, self.left_out))
        if (papers := sum(count.sampled for count in counts)) > MOST_PAPERS:
            raise SampleError(
                f"The sample would have {papers:,} papers, and {MOST_PAPERS:,} is the most. Choose "
                "fewer papers for each stratum."
            )

    def papers(self) -> Iterator[tuple[str, Values]]:
        """Docno and stratum of the sampled papers in the order of screening.

        The order takes one paper of each stratum in turn, so that those screened first are
        balanced over the strata. Each round has the strata in a random order.
        """
        lists = {
            count.values: [docno for _, docno in sorted(self._heaps[count.values], reverse=True)]
            for count in self.counts()
            if count.sampled
        }
        for place in range(self.per_stratum):
            values_left = [values for values, docnos in lists.items() if place < len(docnos)]
            keys = {
                values: order_key(self.seed, "screening", str(place), "|".join(values))
                for values in values_left
            }
            for values in sorted(values_left, key=keys.__getitem__):
                yield lists[values][place], values


def _no_documents(empty: Sequence[StratumCount], left_out: Mapping[str, int]) -> str:
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items()))
    also = f" Documents left out: {reasons}." if reasons else ""
    if not empty or empty[0].values == ():
        return f"No document can be sampled, so nothing was drawn.{also}"
    names = [
        " · ".join(count.values) + (f" ({count.excluded:,} excluded)" if count.excluded else "")
        for count in empty
    ]
    verb = "has" if len(empty) == 1 else "have"
    return (
        f"{count_noun(len(empty), 'stratum', 'strata')} {verb} no document, so nothing was drawn: "
        f"{listed(names, NAMED_STRATA)}. Choose other years, periods or fields.{also}"
    )


def stratum_of(by: Sequence[str], values: Values) -> dict[str, str]:
    """The stratum as it is stored: {"period": "1995–1999"}."""
    return dict(zip(by, values, strict=True))
