"""The statement of the evaluations that a collection supports, as one paragraph. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.pool_bias.computation.support import SupportAnswer, pools_are_closed, signed
from web.words import count_noun

Facts = Mapping[str, Any]


def statement(payload: Mapping[str, Any]) -> str:
    """The paragraph of a report; see `report.py` for the payload."""
    facts = payload["statement"]
    return " ".join(
        [
            *_closed_pools(facts),
            *_samples(facts),
            *_retrieval(facts),
            *_new_systems(facts),
            *_differences(facts),
        ]
    )


def _closed_pools(facts: Facts) -> Iterable[str]:
    labelled, pairs = facts["labelled"], facts["pairs"]
    share = labelled / pairs if pairs else 0.0
    counts = f"{labelled:,} of {pairs:,} pooled pairs ({_percent(share)}) have a final label"
    if pools_are_closed(labelled, pairs):
        yield f"This collection supports re-ranking its closed pools: {counts}."
    else:
        yield (
            f"This collection does not support re-ranking its whole pools yet: {counts}. Re-rank "
            "only the pairs with a label."
        )


def _samples(facts: Facts) -> Iterable[str]:
    if facts["sampled"]:
        yield (
            f"{count_noun(facts['sampled'], 'pool')} "
            f"{'is' if facts['sampled'] == 1 else 'are'} a random sample, and the measures here do "
            "not correct for that."
        )


def _retrieval(facts: Facts) -> Iterable[str]:
    answer = facts["support"]["answer"]
    if answer == SupportAnswer.SUPPORTED:
        yield from _supported(facts)
        return
    if answer == SupportAnswer.NOT_SUPPORTED:
        yield (
            "It does not support comparing the sources of its pools with other systems that "
            f"retrieve from the whole corpus: {open_reason(facts)}."
        )
    else:
        yield (
            "Whether it supports comparing systems that retrieve from the whole corpus cannot be "
            f"said: {open_reason(facts)}."
        )
    yield "For such systems, report condensed values and upper bounds beside every score."


def open_reason(facts: Facts) -> str:
    """The reason why open lists can or cannot be compared, as a clause without a full stop."""
    support = facts["support"]
    if support["answer"] == SupportAnswer.NOT_SUPPORTED:
        worst = support["worst"]
        change = worst["fewest"]
        return (
            f"without the documents that only {worst['system']} found, its {facts['measure']} "
            f"changes by {signed(change['mean'])} percentage points (95 % interval "
            f"{signed(change['low'])} to {signed(change['high'])})"
        )
    if support["answer"] == SupportAnswer.SUPPORTED:
        return (
            f"their judged@{facts['depth']} must be at least {_rounded_up(support['judged'], 0)} "
            f"%, and leaving out each of {support['sources']} sources changed its "
            f"{facts['measure']} by less than {_rounded_up(support['largest'], 1)} percentage "
            "points (95 % intervals)"
        )
    return "; ".join(support["reasons"])


def _supported(facts: Facts) -> Iterable[str]:
    support, k = facts["support"], facts["depth"]
    sources = support["sources"]
    yield (
        f"It supports comparing systems that retrieve from the whole corpus if their judged@{k} is "
        f"at least {_rounded_up(support['judged'], 0)} %. {sources} sources of the pools are such "
        f"systems. When each of them was left out, its {facts['measure']} changed by less than "
        f"{_rounded_up(support['largest'], 1)} percentage points (95 % intervals), and τ between "
        f"the rankings of the systems was at least {_rounded_down(support['tau'])}. A new system "
        "that is like these sources changes more than all of them did with a probability of 1 in "
        f"{sources + 1}."
    )
    if support["largest"] > facts["detectable"]:
        yield (
            "The largest of these changes is more than the smallest detectable difference, so a "
            "smaller significant difference between a new system and a source can come from the "
            "pools."
        )
    yield (
        f"{facts['reaching']} of {count_noun(facts['whole_corpus'], 'scored system')} that "
        f"{'retrieves' if facts['whole_corpus'] == 1 else 'retrieve'} from the whole corpus "
        f"{'has' if facts['reaching'] == 1 else 'have'} this judged@{k}."
    )


def _new_systems(facts: Facts) -> Iterable[str]:
    """The prediction for a system that did not contribute."""
    k, measure = facts["depth"], facts["measure"]
    for name, (noun, plural) in {
        "by_source": ("source", "sources"),
        "by_family": ("family of sources", "families of sources"),
    }.items():
        if not (predicted := facts["reusability"][name]):
            continue
        judged, change = predicted["judged"], predicted["change"]
        left_out = count_noun(judged["groups"], noun, plural)
        yield (
            f"As new systems, left out one {noun} at a time ({left_out}), these sources would have "
            f"a judged@{k} of {100 * judged['value']:.0f} %{_between(judged, signs=False)}, and "
            f"their {measure} would change by {signed(change['value'])} percentage "
            f"points{_between(change, signs=True)}."
        )


def _between(prediction: Mapping[str, Any], *, signs: bool) -> str:
    low, high = prediction["low"], prediction["high"]
    if low is None:
        return " (too few queries for an interval)"
    ends = f"{signed(low)} to {signed(high)}" if signs else f"{100 * low:.0f}–{100 * high:.0f} %"
    return f" (95 % interval over queries {ends})"


def _differences(facts: Facts) -> Iterable[str]:
    queries = count_noun(facts["queries"], "query", "queries")
    if facts["detectable"] is None:
        if facts["systems"]:
            yield (
                f"Which differences are detectable with {queries} is undefined: "
                f"{facts['detectable_undefined']}."
            )
        return
    yield (
        f"With {queries}, a difference of {100 * facts['detectable']:.1f} percentage points in "
        f"mean {facts['measure']} is detectable (paired t test, α = .05, power .80, median over "
        "all pairs of systems); a smaller one that is not significant says little."
    )


def _percent(share: float) -> str:
    """Rounded down, so that 100 % means all."""
    return f"{int(share * 1000) / 10:.1f} %"


def _rounded_up(fraction: float, digits: int) -> str:
    """In percent."""
    unit = 10**digits
    return f"{math.ceil(round(100 * fraction * unit, 9)) / unit:.{digits}f}"


def _rounded_down(value: float) -> str:
    return f"{math.floor(round(value * 100, 9)) / 100:.2f}"
