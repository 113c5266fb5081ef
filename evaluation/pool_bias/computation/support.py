"""The support for retrieval from the whole corpus, as leaving sources out shows it. Pure.

A source that is also a system is left out and scored with the labels that remain, as a system is
that did not help to build the pools. A system whose lists hold no document outside the pools does
not count: all of it is judged by construction, so it shows nothing about other documents.

The change of its score is a mean over queries with Student's 95 % interval. It is compared with a
limit that does not depend on the number of queries. So with fewer queries, the interval is wider,
and an answer can only become "cannot be said":

- `SUPPORTED`: with at least `FEWEST_SOURCES` such sources and `FEWEST_QUERIES` queries, each whole
  interval is within the limit in the way that drops most labels, and each ranking of the systems
  keeps τ >= `LEAST_TAU`.
- `NOT_SUPPORTED`: the whole interval of a source is outside the limit even in the way that drops
  fewest labels.
- `UNKNOWN`: everything else, with the reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from agreement.coefficients import Result
from evaluation.pool_bias.computation.leave_out import UNIQUE
from evaluation.pool_bias.computation.report_measures import MAIN
from scoring.measures.judged_ranks import Floats
from scoring.statistics.paired import smallest_difference
from web.words import count_noun

FEWEST_SOURCES = 4  # a fifth of like sources changes more than the largest of four changes
FEWEST_QUERIES = 25  # Buckley & Voorhees 2000: comparisons over fewer queries are unreliable
LEAST_TAU = 0.9  # Voorhees 2000: rankings with a lower τ differ noticeably
LARGEST_CHANGE = 0.05
LARGEST_SHARE = 0.1  # of the system's score, so that low scores do not hide a change
CLOSED = 0.99  # the share of labels from which the pools count as completely judged


class SupportAnswer(StrEnum):
    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    UNKNOWN = "cannot be said"


class Change(NamedTuple):
    """The change of a source that is left out: its mean score with an interval, and τ.

    `low` and `high` are None with one query, and `tau` if it is undefined.
    """

    mean: float
    low: float | None
    high: float | None
    tau: float | None

    def is_within(self, limit: float) -> bool:
        return self.low is not None and self.high is not None and self.largest < limit

    def is_outside(self, limit: float) -> bool:
        return (self.low is not None and self.low >= limit) or (
            self.high is not None and self.high <= -limit
        )

    @property
    def largest(self) -> float:
        """The end of the interval that is farthest from 0; without an interval, the mean."""
        ends = [end for end in (self.low, self.high) if end is not None] or [self.mean]
        return max(map(abs, ends))


class LeftOut(NamedTuple):
    """A source that is a system: its score with all labels, and what leaving it out changes.

    `judged` is its judged@k afterwards. `fewest` and `most` are of the ways that drop the fewest
    and the most labels.
    """

    system: str
    score: float
    judged: float
    fewest: Change
    most: Change

    @property
    def limit(self) -> float:
        return min(LARGEST_CHANGE, LARGEST_SHARE * self.score)

    @property
    def fails(self) -> bool:
        return self.fewest.is_outside(self.limit)


class Support(NamedTuple):
    """The answer, and the figures it rests on.

    `judged` is the least judged@k of the sources, `largest` the largest end of an interval, and
    `tau` the least τ. `worst` is the source that changed most: of those that fail, if one does.
    """

    answer: SupportAnswer
    reasons: tuple[str, ...]
    sources: int
    judged: float | None = None
    largest: float | None = None
    tau: float | None = None
    worst: LeftOut | None = None


def pools_are_closed(labelled: int, pairs: int) -> bool:
    """Return whether the pools count as completely judged."""
    return bool(pairs) and labelled >= CLOSED * pairs


def sources_as_systems(
    rows: Iterable[Mapping[str, Any]], systems: Collection[str], most: str
) -> Iterator[LeftOut]:
    """Each source that is one of these systems, with what leaving it out alone changes.

    `rows` are those of the report, and `most` is the way that drops the most labels.
    """
    for row in rows:
        (name, *others) = row["sources"]
        if others or name not in systems or name not in row[UNIQUE]["own"]:
            continue
        own = row[UNIQUE]["own"][name]
        changes = [_change_in(row[way], name) for way in (UNIQUE, most)]
        yield LeftOut(name, own["score"], own["judged"], *changes)


def _change_in(way: Mapping[str, Any], system: str) -> Change:
    own = way["own"][system]
    tau = way["measures"][MAIN]["tau"]
    return Change(own["change"], own["low"], own["high"], tau)


def detectable_difference(values: Mapping[str, Floats]) -> Result:
    """The median of the smallest detectable differences over all pairs of systems."""
    results = [
        smallest_difference([float(value) for value in both[~np.isnan(both)]])
        for first, second in combinations(sorted(values), 2)
        for both in [values[first] - values[second]]
        if (~np.isnan(both)).any()
    ]
    defined = [result.value for result in results if result.value is not None]
    if defined:
        return Result(float(median(defined)))
    return Result(None, results[0].undefined if results else "there are fewer than two systems")


def support_of(
    rows: Sequence[LeftOut], *, queries: int, detectable: Result, closed: bool
) -> Support:
    """`rows`: the sources that are systems and retrieve from the whole corpus."""
    failing = [row for row in rows if row.fails]
    if failing:
        worst = max(failing, key=lambda row: (abs(row.fewest.mean), row.system))
        return Support(SupportAnswer.NOT_SUPPORTED, (), len(rows), worst=worst)
    reasons = tuple(_reasons(rows, queries, detectable, closed))
    if reasons:
        return Support(SupportAnswer.UNKNOWN, reasons, len(rows))
    return Support(
        SupportAnswer.SUPPORTED,
        (),
        len(rows),
        judged=min(row.judged for row in rows),
        largest=max(row.most.largest for row in rows),
        tau=min(row.most.tau for row in rows if row.most.tau is not None),
    )


def _reasons(
    rows: Sequence[LeftOut], queries: int, detectable: Result, closed: bool
) -> Iterator[str]:
    """The reasons why the collection is not shown to support it; none if it is."""
    if not closed:
        yield "the pools are not judged completely"
    if len(rows) < FEWEST_SOURCES:
        yield f"{_few_sources(len(rows))}, and at least {FEWEST_SOURCES} are needed"
    if queries < FEWEST_QUERIES:
        yield (
            f"{count_noun(queries, 'query', 'queries')} with a relevant document "
            f"{'is' if queries == 1 else 'are'} too few, and at least {FEWEST_QUERIES} are needed"
        )
    if detectable.value is None:
        yield f"the smallest detectable difference is undefined ({detectable.undefined})"
    if changed := [row for row in rows if not row.most.is_within(row.limit)]:
        yield _changed(max(changed, key=lambda row: (row.most.largest, row.system)))
    if reordered := [row for row in rows if row.most.tau is None or row.most.tau < LEAST_TAU]:
        yield _reordered(min(reordered, key=lambda row: (_tau(row), row.system)))


def _few_sources(number: int) -> str:
    if number > 1:
        systems = "are scored systems that retrieve"
    else:
        systems = "is a scored system that retrieves"
    sources = count_noun(number, "source") if number else "no source"
    return f"{sources} of the pools {systems} from the whole corpus"


def _changed(row: LeftOut) -> str:
    change = row.most
    if change.low is None or change.high is None:
        return f"without {row.system}, the change of its own score is known for one query only"
    return (
        f"without {row.system}, its own score changes by {signed(change.mean)} percentage points "
        f"(95 % interval {signed(change.low)} to {signed(change.high)}), which does not exclude a "
        f"change of {100 * row.limit:.1f} points"
    )


def _reordered(row: LeftOut) -> str:
    if row.most.tau is None:
        return f"without {row.system}, τ of the rankings of the systems is undefined"
    return (
        f"without {row.system}, the ranking of the systems changes: τ is {row.most.tau:.2f}, below "
        f"{LEAST_TAU:.2f}"
    )


def _tau(row: LeftOut) -> float:
    return -2.0 if row.most.tau is None else row.most.tau


def reaching(shares: Iterable[float | None], least: float | None) -> int:
    """The number of `shares` that are at least `least`; 0 if `least` is None."""
    return sum(share is not None and least is not None and share >= least for share in shares)


def signed(value: float) -> str:
    """A change of a fraction, in percentage points."""
    return f"{100 * value:+.1f}".replace("-", "−")
