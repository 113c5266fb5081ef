"""The figure of a shadow judge's agreement with people, made from a report's payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agreement.coefficients import COEFFICIENTS, Coefficient
from agreement.tables import signed_number
from web.figure_panels import BeforeAfter, gutter_for, moves
from web.figures import Figure, Key, Panel
from web.words import count_noun

Payload = Mapping[str, Any]

SHORT_NAMES = {
    "judges": "both annotators",
    "model-first": "model, annotator 1",
    "model-second": "model, annotator 2",
    "model-final": "model, final label",
    "first-final": "annotator 1, final",
    "second-final": "annotator 2, final",
}
STAGES = ("all pairs together", "median over the queries")


def of_all_queries(agreement: Payload) -> Payload | None:
    """The row of all queries, which is the last one; None without a compared pair."""
    return agreement["facets"][-1] if agreement["facets"] else None


def agreement_finding(agreement: Payload) -> str:
    """The agreement of the model with each annotator, beside that of both: medians of α."""
    row = of_all_queries(agreement)
    if row is None:
        return ""

    def alpha(comparison: str) -> str:
        values = row["comparisons"][comparison]["coefficients"]["alpha"]
        if values["median"] is None:
            return "undefined"
        ends = " to ".join(signed_number(end, 2) for end in values["interval"] or ())
        return f"{signed_number(values['median'], 2)}{f' ({ends})' if ends else ''}"

    return (
        f"Over {count_noun(row['pairs'], 'pair')} of "
        f"{count_noun(row['queries'], 'query', 'queries')}, the median α of the model is "
        f"{alpha('model-first')} with annotator 1 and {alpha('model-second')} with annotator 2. "
        f"That of both annotators is {alpha('judges')}."
    )


def agreement_figures(agreement: Payload) -> list[Figure]:
    """A panel for each coefficient with a row for each comparison; nothing without a pair."""
    row = of_all_queries(agreement)
    if row is None:
        return []
    return [
        Figure(
            name="model-agreement",
            title="Agreement over all queries",
            note="A row is a comparison of two raters on the same pairs.",
            panels=[_panel(coefficient, row, agreement) for coefficient in COEFFICIENTS],
            head=("compared", "coefficient", *STAGES, "median, from", "median, to"),
            rows=[
                (
                    *(name, coefficient.symbol, *_values(row, key, coefficient)),
                    *_interval(row, key, coefficient),
                )
                for coefficient in COEFFICIENTS
                for key, name in SHORT_NAMES.items()
            ],
            keys=(
                Key("dot-before", STAGES[0], is_dot=True),
                Key("dot-after", STAGES[1], is_dot=True),
            ),
        )
    ]


def _panel(coefficient: Coefficient, row: Payload, agreement: Payload) -> Panel:
    rows = [BeforeAfter(name, *_values(row, key, coefficient)) for key, name in SHORT_NAMES.items()]
    known = [value for each in rows for value in (each.before, each.after) if value is not None]
    return moves(
        coefficient.name,
        agreement_finding(agreement) if coefficient.key == "alpha" else f"{coefficient.name}.",
        rows,
        min([0.0, *known]),
        max([coefficient.highest, *known]),
        stages=STAGES,
        gutter=gutter_for(SHORT_NAMES.values()),
    )


def _values(
    row: Payload, comparison: str, coefficient: Coefficient
) -> tuple[float | None, float | None]:
    values = row["comparisons"][comparison]["coefficients"][coefficient.key]
    return values["pooled"], values["median"]


def _interval(
    row: Payload, comparison: str, coefficient: Coefficient
) -> tuple[float | None, float | None]:
    """Of the median."""
    ends = row["comparisons"][comparison]["coefficients"][coefficient.key]["interval"]
    return (None, None) if ends is None else (ends[0], ends[1])
