"""The sentence of a release about how far annotators agree with themselves. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from bundle.records import ReleasedReports
from web.words import count_noun

REPORT = "self_consistency"
NAMES = {"kappa_quadratic": "Quadratic weighted κ", "alpha": "Krippendorff’s ordinal α"}


def consistency_sentence(report: Mapping[str, Any]) -> str:
    """The share of same grades and the coefficients of all annotators together, and any drift."""
    own = [_own_repeats(report)] if report["repeats"] else []
    return " ".join([*own, *map(_drift, report.get("pool_rounds", ()))])


def _drift(row: Mapping[str, Any]) -> str:
    """The grades of pairs of earlier pool rounds that came again among those of a later one."""
    every = row["all"]
    same, direction = every["same"], every["direction"]
    start = (
        f"{count_noun(every['repeats'], 'pair')} of earlier pool rounds came again among those of "
        f"round {row['round']} without a mark, and were never counted. {_percent(same['value'])} "
        f"got the grade of the judgment that stood{_interval(same, _percent)}."
    )
    ends = direction["interval"]
    if ends is None:
        return f"{start} Whether grades drifted between the rounds cannot be said."
    if ends[0] <= 0 <= ends[1]:
        return (
            f"{start} Whether grades drifted between the rounds cannot be said: the interval of "
            f"their mean difference, {_number(ends[0])} to {_number(ends[1])}, contains 0."
        )
    side = "higher" if direction["value"] > 0 else "lower"
    return (
        f"{start} The later grades are {side}, by {_number(abs(direction['value']))} on average "
        f"(95 % interval of the difference {_number(ends[0])} to {_number(ends[1])})."
    )


def _own_repeats(report: Mapping[str, Any]) -> str:
    same = report["same"]
    sentences = [
        f"{count_noun(report['repeats'], 'pair')} came to an annotator a second time without a "
        f"mark, and were never counted. {_percent(same['value'])} got the same grade"
        f"{_interval(same, _percent)}."
    ]
    for key, name in NAMES.items():
        estimate = report[key]
        if estimate["value"] is None:
            sentences.append(f"{name} is undefined: {estimate['undefined']}.")
        else:
            sentences.append(
                f"{name} is {_number(estimate['value'])}{_interval(estimate, _number)}."
            )
    return " ".join(sentences)


def consistency_paragraph(reports: ReleasedReports) -> Iterator[str]:
    """Lines of the README, in the section on agreement."""
    if report := reports.current.get(REPORT):
        yield fill(f"{consistency_sentence(report)} See `reports/{REPORT}.json`.", 100)
        yield ""


def _interval(estimate: Mapping[str, Any], text: Any) -> str:
    if estimate["interval"] is None:
        return ""
    low, high = map(text, estimate["interval"])
    return f" (95 % interval {low} to {high})"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _number(value: float) -> str:
    return f"{value:.4f}"
