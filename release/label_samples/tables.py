"""The rates of a judged sample as lines of a page and as text for a terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bundle.label_errors.rates import (
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    FIELD,
    OVERALL,
    PRECISION,
    RECALL,
    STRATUM,
    TYPE,
    WRONG,
    Rate,
)
from bundle.label_errors.records import RATE_COLUMNS, JudgedSample
from web.tables.csv_cells import csv_text

CAPTIONS = {
    FALSE_POSITIVE: "Label 1, not relevant",
    FALSE_NEGATIVE: "Label 0, relevant",
    WRONG: "Wrong labels",
    PRECISION: "Precision of label 1",
    RECALL: "Recall of label 1",
}


class RateTable(NamedTuple):
    """A table of a page: a line for each field, type or stratum with its rates."""

    key: str
    caption: str
    head: tuple[str, ...]
    measures: tuple[str, ...]
    lines: list[tuple[tuple[str, ...], list[Rate]]]


def overall_rates(rates: Iterable[Rate]) -> list[tuple[str, Rate]]:
    return [(CAPTIONS[rate.measure], rate) for rate in rates if rate.scope == OVERALL]


def rate_tables(rates: Iterable[Rate]) -> list[RateTable]:
    rates = list(rates)
    by_field: dict[str, list[Rate]] = {}
    for rate in rates:
        if rate.scope == FIELD:
            by_field.setdefault(rate.field, []).append(rate)
    return [
        RateTable(
            "fields",
            "By field of the query paper",
            ("Field",),
            tuple(CAPTIONS.values()),
            [((field,), rows) for field, rows in by_field.items()],
        ),
        RateTable("types", "By type of candidate", ("Type",), SHARE, _lines(rates, TYPE)),
        RateTable("strata", "By field and type", ("Field", "Type"), SHARE, _lines(rates, STRATUM)),
    ]


SHARE = ("Wrong labels",)


def _lines(rates: Iterable[Rate], scope: str) -> list[tuple[tuple[str, ...], list[Rate]]]:
    return [
        (tuple(filter(None, (rate.field, rate.type))), [rate])
        for rate in rates
        if rate.scope == scope
    ]


def undefined_values(rates: Iterable[Rate]) -> list[str]:
    """Each value without an estimate, with the reason."""
    return [
        f"{_place(rate)}: {CAPTIONS[rate.measure]}, because {rate.undefined}"
        for rate in rates
        if rate.undefined
    ]


def _place(rate: Rate) -> str:
    return ", ".join(filter(None, (rate.field, rate.type))) or "All labels"


def as_csv(sample: JudgedSample) -> str:
    """The file of rates of a release."""
    return csv_text(RATE_COLUMNS, *sample.rate_rows())


def as_text(sample: JudgedSample) -> Iterator[str]:
    for rate in sample.rates:
        yield f"{_place(rate)}: {CAPTIONS[rate.measure].lower()} {_share(rate)}"


def _share(rate: Rate) -> str:
    if rate.estimate is None or rate.low is None or rate.high is None:
        return f"undefined, because {rate.undefined}"
    shares = (f"{100 * share:.1f}" for share in (rate.estimate, rate.low, rate.high))
    estimate, low, high = shares
    return f"{estimate} % ({low} to {high} %), from {rate.graded:,} graded"
