"""The agreement page's tables and plots, made from a report's payload. Nothing here computes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from agreement.coefficients import (
    ALL_IDENTICAL,
    COEFFICIENTS,
    CONSTANT_RATER,
    NO_PAIRS,
    ONE_PAIR,
    REGISTRY,
    Coefficient,
    Missing,
)
from database.natural_order import natural_key
from pooling.tables import heat
from web.tables.columns import Column, Table
from web.tables.csv_cells import csv_text
from web.tables.filters import Filter, FilterChoice, Test

Payload = Mapping[str, Any]


BY_KEY = {coefficient.key: coefficient for coefficient in REGISTRY}
OVERRULED = ("overruled_mean", "overruled")  # of a facet, in the order of the columns
STAGES = {
    "pre": "before adjudication",
    "asked": "after asking the judges",
    "post": "after adjudication",
}

# The reasons of the coefficients, in a sentence's words.
REASONS = {
    NO_PAIRS: "no pair has both judgments",
    ONE_PAIR: "only one pair has both judgments",
    CONSTANT_RATER: "one judge gave every pair the same grade",
    ALL_IDENTICAL: "both judges gave every pair the same grade",
}


class Value(NamedTuple):
    """A number of a table, or the reason why it is undefined. Medians can have an `interval`."""

    coefficient: Coefficient
    value: float | None
    reason: str = ""
    undefined: int = 0
    interval: Sequence[float] | None = None

    @property
    def shown(self) -> str:
        return (
            "undefined"
            if self.value is None
            else signed_number(self.value, self.coefficient.decimals)
        )

    @property
    def exact(self) -> str:
        return self.reason if self.value is None else repr(self.value)

    @property
    def interval_text(self) -> str:
        """ "0.35 to 0.51", or "" without an interval."""
        return " to ".join(
            signed_number(end, self.coefficient.decimals) for end in self.interval or ()
        )


def signed_number(value: float, decimals: int) -> str:
    """The number with a real minus sign, which is as wide as a digit."""
    return f"{value:.{decimals}f}".replace("-", "−")


@dataclass(frozen=True)
class FacetAgreementLine:
    """A line of the paper's table: a facet at a stage."""

    facet: str
    stage: str
    queries: int
    pairs: int
    values: list[Value]
    overruled: float | None
    overruled_mean: float | None
    facet_name: str

    @property
    def any_undefined(self) -> bool:
        return any(value.undefined for value in self.values)

    @property
    def stage_name(self) -> str:
        return STAGES[self.stage]

    @property
    def overruled_percent(self) -> float | None:
        return None if self.overruled is None else 100 * self.overruled

    @property
    def overruled_mean_percent(self) -> float | None:
        return None if self.overruled_mean is None else 100 * self.overruled_mean


def shown_coefficients(columns: Container[str]) -> list[Coefficient]:
    """Those of the paper, and the others among the chosen columns."""
    return [each for each in REGISTRY if each.of_paper or each.key in columns]


def facet_lines(
    payload: Payload,
    names: Mapping[str, str],
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
) -> list[FacetAgreementLine]:
    """The paper's table; `names` are the facets' by their key."""
    return [
        FacetAgreementLine(
            facet=row["facet"],
            stage=row["stage"],
            queries=row["queries"],
            pairs=row["pairs"],
            values=[
                Value(
                    coefficient,
                    row["median"][coefficient.key],
                    "no query has a value" if row["queries"] else "no query is judged yet",
                    row["queries"] - row["defined"][coefficient.key],
                    row["interval"][coefficient.key],
                )
                for coefficient in coefficients
            ],
            overruled=row["overruled"],
            overruled_mean=row["overruled_mean"],
            facet_name=names.get(row["facet"], row["facet"]),
        )
        for row in payload["facets"]
    ]


class QuestionLine(NamedTuple):
    """The outcome of the questions to judges under a facet."""

    facet_name: str
    pairs: int
    changed: int
    agreed: int


def question_lines(payload: Payload, names: Mapping[str, str]) -> list[QuestionLine]:
    return [
        QuestionLine(
            names.get(row["facet"], row["facet"]), row["pairs"], row["changed"], row["agreed"]
        )
        for row in payload.get("questions", [])
    ]


class FacetSizeLine(NamedTuple):
    """A line of the first table of CSFCube's paper. Candidates are the judged pairs of a query."""

    facet_name: str
    queries: int
    pairs: int
    fewest: int
    mean: float
    most: int
    labels: list[int]


def facet_sizes(
    payload: Payload, confusion: Payload, names: Mapping[str, str]
) -> list[FacetSizeLine]:
    """The sizes of each facet with a judged pair; `labels` are its final labels by grade."""
    candidates: dict[str, list[int]] = defaultdict(list)
    counts_missing = payload["missing"] == Missing.EXCLUDE
    for row in payload["queries"]:
        if row["stage"] == "pre":
            candidates[row["facet"]].append(row["n"] + (row["missing"] if counts_missing else 0))
    return [
        FacetSizeLine(
            *(name, len(sizes), sum(sizes)),
            *(min(sizes), fmean(sizes), max(sizes)),
            confusion[key]["labels"],
        )
        for key, name in names.items()
        if key in confusion and (sizes := candidates[key])
    ]


def finding_of(payload: Payload, names: Mapping[str, str], coefficient: Coefficient) -> str:
    """The medians of a coefficient in a sentence, before and after adjudication."""
    medians: dict[str, list[str]] = defaultdict(list)
    for line in facet_lines(payload, names, [coefficient]):
        (value,) = line.values
        if value.value is not None:
            name = f" on {line.facet_name}" if line.facet_name else ""
            medians[line.stage].append(f"{value.shown}{name}")
    if not medians:
        return f"No query has a {coefficient.symbol} yet."
    sentence = f"The median {coefficient.symbol} of the two judges is {and_list(medians['pre'])}"
    if medians["post"]:
        sentence += f", and {and_list(medians['post'])} after adjudication"
    return f"{sentence}."


def and_list(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def judged_pairs(payload: Payload) -> int:
    return sum(row["pairs"] for row in payload["facets"] if row["stage"] == "pre")


NAMED = 50  # queries of one reason


class Undefined(NamedTuple):
    """Queries whose coefficients have no value, for one reason."""

    symbols: str
    stage: str
    reason: str
    queries: tuple[str, ...]

    @property
    def named(self) -> tuple[str, ...]:
        return self.queries[:NAMED]

    @property
    def not_named(self) -> int:
        return max(0, len(self.queries) - NAMED)


def undefined_values(
    payload: Payload, coefficients: Sequence[Coefficient] = COEFFICIENTS
) -> list[Undefined]:
    """Values that are undefined, by stage and reason, coefficients of the same queries together."""
    shown = {coefficient.key for coefficient in coefficients}
    queries_by_key: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in payload["queries"]:
        for key, reason in row["undefined"].items():
            if key not in shown:
                continue
            queries_by_key[row["stage"], kind_of(reason), key].append(row["query"])
    keys_by_queries: dict[tuple[str, str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (stage, reason, key), queries in queries_by_key.items():
        keys_by_queries[stage, reason, tuple(queries)].append(key)
    return [
        Undefined(
            ", ".join(
                coefficient.symbol for coefficient in coefficients if coefficient.key in keys
            ),
            STAGES[stage],
            reason,
            names,
        )
        for (stage, reason, names), keys in sorted(
            keys_by_queries.items(), key=lambda item: (list(STAGES).index(item[0][0]), item[0])
        )
    ]


def kind_of(reason: str) -> str:
    """The reason without what differs from query to query."""
    if reason.startswith("unfinished: "):
        return "some of the judged pairs have no final label yet"
    return in_words(reason)


def in_words(reason: str) -> str:
    """A coefficient's reason in the words of the page; one it does not know stays as it is."""
    for text, words in REASONS.items():
        if reason == text:
            return words
        if reason.endswith(f": {text}"):
            return f"{reason.removesuffix(text)}{words}"
    return reason


# Query by query


@dataclass(frozen=True)
class Plot:
    """A dot before and a dot after adjudication on one scale; x in the units of the view box."""

    caption: str
    zero: str | None
    before: str | None
    after: str | None

    @property
    def moved(self) -> bool:
        return self.before is not None and self.after is not None


PLOT_WIDTH = 160
PLOT_MARGIN = 8


@dataclass(frozen=True)
class AxisRange:
    """From the lowest value there is (or 0) to the most there can be."""

    low: float
    top: float

    @property
    def lowest(self) -> str:
        return signed_number(self.low, 2) if self.low else "0"

    def x(self, value: float | None) -> str | None:
        if value is None:
            return None
        share = (value - self.low) / (self.top - self.low)
        return f"{PLOT_MARGIN + share * (PLOT_WIDTH - 2 * PLOT_MARGIN):.1f}"


def coefficient_to_plot(key: str, sort: str) -> Coefficient:
    """The coefficient asked for, or else the one the table is sorted by, or else alpha."""
    sorted_by = sort.removeprefix("-").removesuffix("-after")
    return BY_KEY.get(key) or BY_KEY.get(sorted_by) or BY_KEY["alpha"]


def scale_of(payload: Payload, coefficient: Coefficient) -> AxisRange:
    values = [
        row[coefficient.key] for row in payload["queries"] if row[coefficient.key] is not None
    ]
    return AxisRange(min([0.0, *values]), coefficient.highest)


@dataclass(frozen=True)
class QueryAgreementLine:
    """A query at both stages. What only a shown line needs is made when it is asked for.

    `coefficient` is the one to plot, and `coefficients` are those in the table.
    """

    pre: Payload
    post: Payload
    coefficient: Coefficient
    scale: AxisRange
    coefficients: Sequence[Coefficient] = COEFFICIENTS

    @property
    def query(self) -> str:
        return str(self.pre["query"])

    @property
    def facet(self) -> str:
        return str(self.pre["facet"])

    @property
    def n(self) -> int:
        return int(self.pre["n"])

    @property
    def missing(self) -> int:
        return int(self.pre["missing"])

    @property
    def text(self) -> str:
        return f"{self.query} {self.facet}"

    @property
    def before(self) -> list[Value]:
        return [_value(self.pre, coefficient) for coefficient in self.coefficients]

    @property
    def after(self) -> list[Value]:
        return [_value(self.post, coefficient) for coefficient in self.coefficients]

    @property
    def plot(self) -> Plot:
        """The line's place in the dot plot."""
        before, after = (_value(row, self.coefficient) for row in (self.pre, self.post))
        return Plot(
            caption=f"{self.coefficient.name}: {before.shown} before, {after.shown} after",
            zero=self.scale.x(0.0) if self.scale.low < 0 else None,
            before=self.scale.x(before.value),
            after=self.scale.x(after.value),
        )


@dataclass(frozen=True)
class QueryLines:
    """All queries of a report, with the coefficient to plot and its scale.

    `medians` are the report's rows of facets.
    """

    coefficient: Coefficient
    scale: AxisRange
    lines: Sequence[QueryAgreementLine]
    medians: Sequence[Payload] = ()

    @classmethod
    def of(
        cls,
        payload: Payload,
        coefficient: Coefficient,
        coefficients: Sequence[Coefficient] = COEFFICIENTS,
    ) -> QueryLines:
        scale = scale_of(payload, coefficient)
        stages: dict[str, dict[str, Payload]] = defaultdict(dict)
        for row in payload["queries"]:
            stages[row["query"]][row["stage"]] = row
        lines = [
            QueryAgreementLine(rows["pre"], rows["post"], coefficient, scale, coefficients)
            for rows in stages.values()
        ]
        return cls(coefficient, scale, lines, payload["facets"])


def _value(row: Payload, coefficient: Coefficient) -> Value:
    key = coefficient.key
    return Value(coefficient, row[key], in_words(row["undefined"].get(key, "")))


def query_sorts() -> dict[str, Callable[[QueryAgreementLine], Any]]:
    """By which columns the queries can be sorted: "alpha" is before, "alpha-after" is after."""
    sorts: dict[str, Callable[[QueryAgreementLine], Any]] = {
        "query": lambda line: natural_key(line.query),
        "facet": lambda line: (line.facet, natural_key(line.query)),
        "n": lambda line: line.n,
        "missing": lambda line: line.missing,
    }
    for coefficient in REGISTRY:
        sorts[coefficient.key] = lambda line, key=coefficient.key: line.pre[key]  # type: ignore[misc]
        sorts[f"{coefficient.key}-after"] = lambda line, key=coefficient.key: line.post[key]  # type: ignore[misc]
    return sorts


def query_filters(names: Mapping[str, str]) -> list[Filter[Test[QueryAgreementLine]]]:
    """By facet; `names` are the facets' by their key. No choice if there is only one."""
    choices = [_of_facet(key, name) for key, name in names.items()]
    return [Filter("facet", "Facet", choices if len(choices) > 1 else [])]


def _of_facet(key: str, name: str) -> FilterChoice[Test[QueryAgreementLine]]:
    return FilterChoice(key, name, lambda line: line.facet == key)


def _coefficient_column(coefficient: Coefficient) -> Column[QueryAgreementLine]:
    key = coefficient.key
    return Column(
        key,
        coefficient.name,
        {
            f"{key}_before": lambda line: line.pre[key],
            f"{key}_after": lambda line: line.post[key],
        },
        on_request=not coefficient.of_paper,
    )


BY_QUERY: Table[QueryAgreementLine] = Table(
    "agreement",
    [
        Column(
            "query", "Query", {"query": lambda line: line.query, "facet": lambda line: line.facet}
        ),
        Column("n", "Pairs", {"pairs": lambda line: line.n}),
        Column("missing", "Missing", {"missing": lambda line: line.missing}),
        Column("plot", "Plot", {}),
        *map(_coefficient_column, REGISTRY),
    ],
)


class FlaggedLine(NamedTuple):
    """A query below the threshold. `pairs` are the docno and both grades of its worst pairs."""

    query: str
    value: Value
    low: Value
    pairs: Sequence[tuple[str, int, int]]


def flagged_lines(summary: Payload) -> list[FlaggedLine]:
    """The flagged queries of a report's summary, in its order."""
    return [
        FlaggedLine(
            row["query"],
            Value(coefficient, row["value"]),
            Value(coefficient, row["low"]),
            row["pairs"],
        )
        for row in summary["flagged"]
        for coefficient in [BY_KEY[summary["rule"]["coefficient"]]]
    ]


# Confusion matrices


class ConfusionCell(NamedTuple):
    pairs: int
    of: int
    heat: int

    @property
    def percent(self) -> float:
        return 100 * self.pairs / self.of


class ConfusionRow(NamedTuple):
    grade: int
    cells: list[ConfusionCell]
    total: int


@dataclass(frozen=True)
class ConfusionMatrix:
    """The grades of two raters for the same pairs: rows are one rater's, columns the other's."""

    rater: str
    other: str
    rows: list[ConfusionRow]
    left_out: int

    @property
    def pairs(self) -> int:
        return sum(row.total for row in self.rows)


class FacetMatrices(NamedTuple):
    facet_name: str
    matrices: list[ConfusionMatrix]


# The key in a report's `confusion`, who is in the rows, and who in the columns.
MATRICES = (
    ("judges", "slot 1", "slot 2"),
    ("first", "slot 1", "final label"),
    ("second", "slot 2", "final label"),
)


def facet_matrices(confusion: Payload, names: Mapping[str, str]) -> list[FacetMatrices]:
    """Three matrices per facet with judged pairs: the judges, and each judge with the label.

    `confusion` is a report's, and `names` are the facets' by their key.
    """
    return [
        FacetMatrices(
            name,
            [
                grade_matrix(rater, other, confusion[facet][key], confusion[facet]["pairs"])
                for key, rater, other in MATRICES
            ],
        )
        for facet, name in names.items()
        if facet in confusion
    ]


def grade_matrix(
    rater: str, other: str, counts: Sequence[Sequence[int]], pairs: int
) -> ConfusionMatrix:
    rows = [_matrix_row(grade, row) for grade, row in enumerate(counts)]
    return ConfusionMatrix(rater, other, rows, pairs - sum(row.total for row in rows))


def facet_pair_matrices(rows: Sequence[Payload], names: Mapping[str, str]) -> list[ConfusionMatrix]:
    """The labels of the same documents under each two facets; `of` of a cell counts all of them."""
    return [
        ConfusionMatrix(
            names.get(row["first"], row["first"]),
            names.get(row["second"], row["second"]),
            [
                ConfusionRow(grade, [cell._replace(of=total) for cell in line.cells], line.total)
                for grade, counts in enumerate(row["counts"])
                for line in [_matrix_row(grade, counts)]
            ],
            0,
        )
        for row in rows
        for total in [sum(map(sum, row["counts"]))]
    ]


def _matrix_row(grade: int, counts: Sequence[int]) -> ConfusionRow:
    total = sum(counts)
    cells = [ConfusionCell(count, total, heat(count / total if total else 0.0)) for count in counts]
    return ConfusionRow(grade, cells, total)


# Download


def as_csv(payload: Payload) -> str:
    """The whole report, one line per facet or query and stage, at full precision.

    `alpha_low` and `alpha_high` are the ends of the interval of a facet's median.
    """
    keys = list(BY_KEY)
    reasons = [f"{key}_undefined" for key in keys]
    ends = [f"{key}_{end}" for key in keys for end in ("low", "high")]
    counts = ["queries", "pairs", "missing"]
    rows = [["level", "facet", "query", "stage", *counts, *keys, *reasons, *OVERRULED, *ends]]
    for row in payload["facets"]:
        undefined_counts = [f"{row['queries'] - row['defined'][key]} queries" for key in keys]
        values = [_plain(row["median"][key]) for key in keys]
        rows.append(
            ["facet", row["facet"], "", row["stage"]]
            + [row["queries"], row["pairs"], "", *values]
            + [count if not count.startswith("0 ") else "" for count in undefined_counts]
            + [_plain(row[key]) for key in OVERRULED]
            + [_plain(end) for key in keys for end in row["interval"][key] or (None, None)]
        )
    for row in payload["queries"]:
        values = [_plain(row[key]) for key in keys]
        rows.append(
            ["query", row["facet"], row["query"], row["stage"]]
            + [1, row["n"], row["missing"]]
            + values
            + [row["undefined"].get(key, "") for key in keys]
            + ["" for _ in (*OVERRULED, *ends)]
        )
    return csv_text(*rows)


def _plain(value: float | None) -> str:
    return "" if value is None else repr(value)
