"""What a collection supports, as one paragraph of sentences. Pure.

The least judged@k comes from leaving sources out. A source that is also a system is scored with the
labels that remain without it, as a system is that did not help to build the pools. Its judged@k
falls, and its score changes. The limit is the smallest judged@k from which on every such change
is below the smallest detectable difference. With fewer than `FEWEST` such sources, the limit is
1 - d for the smallest detectable difference d in precision: each unjudged document among the first
k can change P@k by 1/k.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from web.words import count_noun

FEWEST = 3  # sources that are systems; fewer say too little about a limit
CLOSED = 0.99  # the share of labels from which the pools count as completely judged


class LeftOut(NamedTuple):
    """A source that is a system, scored without what it brought: judged@k and score change."""

    system: str
    judged: float
    change: float


class Limit(NamedTuple):
    """The least judged@k, or None with the reason. `by_leaving_out`: of how many sources."""

    value: float | None
    reason: str
    by_leaving_out: int = 0


def is_closed(labelled: int, pairs: int) -> bool:
    """Whether the pools count as completely judged."""
    return bool(pairs) and labelled >= CLOSED * pairs


def judged_limit(
    rows: Sequence[LeftOut], detectable: float | None, precision: float | None
) -> Limit:
    """The least judged@k at which scores can be compared.

    `detectable` is the smallest detectable difference in the measure, and `precision` that in P@k.
    """
    if detectable is None:
        return Limit(None, "the smallest detectable difference is undefined")
    if len(rows) >= FEWEST:
        too_large = [row.judged for row in rows if abs(row.change) >= detectable]
        floor = max(too_large, default=-1.0)
        supported = [row.judged for row in rows if row.judged > floor]
        if not supported:
            return Limit(
                None, "the best judged source changed as much as can be detected", len(rows)
            )
        return Limit(min(supported), "", len(rows))
    if precision is None:
        return Limit(None, "the smallest detectable difference in precision is undefined")
    return Limit(max(0.0, 1 - precision), "")


def statement(payload: Mapping[str, Any]) -> str:
    """The paragraph of a report; see `report.py` for the payload."""
    facts = payload["statement"]
    return " ".join(
        [
            *_closed_pools(facts),
            *_samples(facts),
            *_retrieval(facts),
            *_differences(facts),
        ]
    )


def _closed_pools(facts: Mapping[str, Any]) -> Iterable[str]:
    labelled, pairs = facts["labelled"], facts["pairs"]
    share = labelled / pairs if pairs else 0.0
    counts = f"{labelled:,} of {pairs:,} pooled pairs ({_percent(share)}) have a final label"
    if is_closed(labelled, pairs):
        yield f"This collection supports re-ranking its closed pools: {counts}."
    else:
        yield (
            f"This collection does not support re-ranking its whole pools yet: {counts}. Re-rank "
            "only the pairs with a label."
        )


def _samples(facts: Mapping[str, Any]) -> Iterable[str]:
    if facts["sampled"]:
        yield (
            f"{count_noun(facts['sampled'], 'pool')} "
            f"{'is' if facts['sampled'] == 1 else 'are'} a random sample, and the measures here do "
            "not correct for that."
        )


def _retrieval(facts: Mapping[str, Any]) -> Iterable[str]:
    if not facts["systems"]:
        yield "No system is scored yet, so nothing is known about retrieval from the whole corpus."
        return
    k, measure = facts["depth"], facts["measure"]
    limit = facts["limit"]
    if limit["value"] is None:
        yield (
            f"It is not shown to support retrieval from the whole corpus: {limit['reason']}. "
            "Report condensed values and upper bounds beside every score."
        )
        return
    yield (
        f"It supports comparing systems that retrieve from the whole corpus if their judged@{k} is "
        f"at least {_rounded_up(limit['value'])}."
    )
    if limit["by_leaving_out"]:
        yield (
            f"{limit['by_leaving_out']} sources of the pools are also systems. When one of them "
            f"was left out and kept at least this share, its {measure} changed by less than the "
            "smallest detectable difference."
        )
    else:
        yield (
            f"Fewer than {FEWEST} scored systems are sources of the pools, so this limit is the "
            f"strict one: below it, unjudged documents alone can change mean P@{k} by a detectable "
            "difference."
        )
    yield f"{facts['reaching']} of {count_noun(facts['systems'], 'scored system')} reach it."


def _differences(facts: Mapping[str, Any]) -> Iterable[str]:
    queries = count_noun(facts["queries"], "query", "queries")
    if facts["detectable"] is None:
        if facts["systems"]:
            yield (
                f"Which differences are detectable with {queries} is undefined: "
                f"{facts['detectable_undefined']}."
            )
        return
    yield (
        f"With {queries}, a difference of {facts['detectable']:.3f} in mean {facts['measure']} is "
        "detectable (paired t test, α = .05, power .80, median over all pairs of systems); a "
        "smaller one that is not significant says little."
    )


def _percent(share: float) -> str:
    """Rounded down, so that 100 % means all."""
    return f"{int(share * 1000) / 10:.1f} %"


def _rounded_up(value: float) -> str:
    return f"{math.ceil(round(value * 100, 9)) / 100:.2f}"
