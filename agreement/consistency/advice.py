"""The figures on self-consistency and drift in words. Pure.

No sentence is stronger than its figures: an interval that contains 0 says nothing about a change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agreement.consistency.drift import QUICK
from agreement.consistency.estimates import EstimatedValue
from web.figures import number_text

MUCH_QUICK = 0.05  # a share of quick answers worth a question
LOW_KAPPA = 0.4  # an upper end below it says that the grades of a person hardly repeat


def advice_of(drift: dict[str, Any], consistency: dict[str, Any] | None = None) -> list[str]:
    """Sentences on one person, or on all together."""
    return [
        *_on_consistency(consistency or {}),
        *_on_change(drift),
        *_on_thirds(drift),
        *_on_agreement(drift),
        *_on_speed(drift),
    ]


def _on_consistency(consistency: dict[str, Any]) -> Iterator[str]:
    if not consistency.get("repeats"):
        yield "Self-consistency cannot be said: no repeat can be compared."
        return
    same = EstimatedValue.of(consistency["same"])
    kappa = EstimatedValue.of(consistency["kappa_quadratic"])
    yield (
        f"The same grade was given to {percent(same.value)} of {same.n:,} repeats "
        f"({percent_interval(same)})."
    )
    if kappa.interval is not None and kappa.interval[1] < LOW_KAPPA:
        yield (
            f"The weighted κ of the repeats is {between(kappa)}: the grades hardly repeat. Talk "
            "about the guideline."
        )
    direction = EstimatedValue.of(consistency["direction"])
    if direction.is_positive or direction.is_negative:
        side = "higher" if direction.is_positive else "lower"
        yield f"The second grade is {side} on average, by {size(direction)}."


def _on_change(drift: dict[str, Any]) -> Iterator[str]:
    change = EstimatedValue.of(drift["change"])
    answers = f"a sitting of {number_text(drift['sitting'])} answers"
    if change.interval is None:
        yield f"Whether grades change over a sitting cannot be said: {change.undefined}."
    elif change.is_positive or change.is_negative:
        side = "rise" if change.is_positive else "fall"
        yield (
            f"Grades {side} by {size(change)} over {answers}. Shorter sittings, and a look at the "
            "guideline between them, may help."
        )
    else:
        yield (
            f"Whether grades change over {answers} cannot be said: the interval "
            f"{between(change)} contains 0."
        )


def _on_thirds(drift: dict[str, Any]) -> Iterator[str]:
    thirds = EstimatedValue.of(drift["query_thirds"])
    if thirds.is_positive or thirds.is_negative:
        side = "higher" if thirds.is_positive else "lower"
        yield (
            f"In the last third of a query the grades are {side} than in the first, by "
            f"{size(thirds)}."
        )


def _on_agreement(drift: dict[str, Any]) -> Iterator[str]:
    agreement = EstimatedValue.of(drift["agreement"])
    if agreement.is_positive or agreement.is_negative:
        side = "more" if agreement.is_positive else "less"
        yield (
            f"In the last third of the work the grades equal the final labels {side} often than in "
            f"the first: {points(agreement)}."
        )


def _on_speed(drift: dict[str, Any]) -> Iterator[str]:
    speed, quick = EstimatedValue.of(drift["seconds_spearman"]), EstimatedValue.of(drift["quick"])
    if speed.is_positive or speed.is_negative:
        side = "more" if speed.is_positive else "less"
        rho = f"ρ {number(speed.value)}, {between(speed)}"
        yield f"Later answers of a sitting take {side} time ({rho})."
    if quick.value:
        text = (
            f"{percent(quick.value)} of {quick.n:,} answers took less than "
            f"{number_text(QUICK)} seconds ({percent_interval(quick)})"
        )
        if quick.interval is not None and quick.interval[0] > MUCH_QUICK:
            yield f"{text}. Ask how they were given."
        else:
            yield f"{text}."


# Numbers


def number(value: float | None) -> str:
    return "–" if value is None else number_text(round(value, 2) + 0.0)  # no "−0"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{number_text(round(100 * value) + 0.0)} %"


def between(estimate: EstimatedValue) -> str:
    """ "0.12 to 0.48"."""
    if estimate.interval is None:
        return ""
    return f"{number(estimate.interval[0])} to {number(estimate.interval[1])}"


def percent_interval(estimate: EstimatedValue) -> str:
    if estimate.interval is None:
        return ""
    low, high = (number_text(round(100 * end) + 0.0) for end in estimate.interval)
    return f"{low} to {high} %"


def size(estimate: EstimatedValue) -> str:
    """ "0.3 grades (0.12 to 0.48)", without a sign: the sentence says the direction."""
    if estimate.value is None or estimate.interval is None:
        return ""
    ends = sorted(abs(end) for end in estimate.interval)
    return f"{number(abs(estimate.value))} grades ({number(ends[0])} to {number(ends[1])})"


def points(estimate: EstimatedValue) -> str:
    """ "by 12 percentage points (3 to 21)"."""
    if estimate.value is None or estimate.interval is None:
        return ""
    low, high = sorted(100 * abs(end) for end in estimate.interval)
    return f"by {100 * abs(estimate.value):.0f} percentage points ({low:.0f} to {high:.0f})"
