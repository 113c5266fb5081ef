"""Print how far the judges of a collection agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import CommandParser

from agreement.coefficients import COEFFICIENTS, Missing
from agreement.services import AgreementReport
from agreement.summary import ReportStage
from reports.commands import ReportCommand

COLUMNS = [coefficient.key for coefficient in COEFFICIENTS]


class Command(ReportCommand):
    help = "Compute the agreement of a collection's judges, before and after adjudication."
    stage = "Judging"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--missing",
            choices=[policy.value for policy in Missing],
            default=Missing.EXCLUDE.value,
            help="Leave pairs with a missing judgment out (default), or count it as grade 0.",
        )

    def report(self, **options: Any) -> AgreementReport:
        return AgreementReport(options["missing"])

    def lines(self, payload: Mapping[str, Any]) -> Iterator[str]:
        return table(payload)


def table(payload: Mapping[str, Any]) -> Iterator[str]:
    """The report as lines to read: medians per facet, then every query."""
    yield f"Agreement in {payload['collection']}; missing judgments: {payload['missing']}"
    yield ""
    yield _line("facet (medians)", "stage", "queries", "pairs", *COLUMNS)
    for row in payload["facets"]:
        medians = [_number(row["median"][column]) for column in COLUMNS]
        yield _line(
            row["facet"] or "all queries", row["stage"], row["queries"], row["pairs"], *medians
        )
        if any(row["interval"].values()):
            for place, end in enumerate(("from", "to")):
                ends = [row["interval"][column] for column in COLUMNS]
                cells = [_number(each[place]) if each else "" for each in ends]
                yield _line("", "", "95 %", end, *cells)
    yield ""
    yield _line("overruled (share of labels)", "", "mean", "pooled")
    for row in payload["facets"]:
        if row["stage"] == ReportStage.POST:
            shares = (row["overruled_mean"], row["overruled"])
            yield _line(
                row["facet"] or "all queries", "", *(_number(share, ".2%") for share in shares)
            )
    if advised := payload.get("advised"):
        yield ""
        yield (
            "Without pairs on which a judge got an answer of an admin before judging "
            f"({advised['left_out']:,} left out)"
        )
        yield _line("facet (medians)", "stage", "pairs", "left out", *COLUMNS)
        for row in advised["facets"]:
            medians = [_number(row["median"][column]) for column in COLUMNS]
            facet = row["facet"] or "all queries"
            yield _line(facet, row["stage"], row["pairs"], row["left_out"], *medians)
    yield ""
    yield _line("query", "stage", "n", "missing", *COLUMNS)
    for row in payload["queries"]:
        numbers = [_number(row[column]) for column in COLUMNS]
        yield _line(row["query"], row["stage"], row["n"], row["missing"], *numbers)
        for key, reason in row["undefined"].items():
            yield f"    {key} undefined: {reason}"


def _number(value: float | None, layout: str = ".4f") -> str:
    return "undefined" if value is None else format(value, layout)


def _line(name: str, stage: str, *cells: object) -> str:
    return f"{name:<32} {stage:<5}" + "".join(f"{cell:>10}" for cell in cells)
