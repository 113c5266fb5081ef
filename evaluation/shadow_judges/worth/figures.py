"""The figures of a model's worth, made from a report's payload. Nothing here computes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from agreement.coefficients import COEFFICIENTS
from agreement.consistency.estimates import EstimatedValue
from evaluation.shadow_judges.agreement import FINAL
from evaluation.shadow_judges.worth.finding import (
    DIMENSION_NAMES,
    estimate_of,
    part_name,
    parts_finding,
    preference_finding,
)
from evaluation.shadow_judges.worth.preference import EXCESS, STRATA
from evaluation.shadow_judges.worth.slices import DIFFERENCE, MODEL_PEOPLE
from web.figure_panels import Interval, PartOfNumber, gutter_for, intervals, parts
from web.figures import Figure, Key, Panel

Payload = Mapping[str, Any]
Cell = str | int | float | None

MOST_DRAWN = 10  # rows of a panel, those with the most pairs; the table has all
NAN = math.nan
RATERS = {"model": "model", "first": "annotator 1", "second": "annotator 2"}
GIVEN = {"final": "final label", "first": "annotator 1", "second": "annotator 2"}
COMPARED = {
    MODEL_PEOPLE: "model and annotators",
    "judges": "both annotators",
    DIFFERENCE: "difference",
    "model-final": "model and final label",
}
SURE = (
    Key("dot-after", "the interval excludes 0", is_dot=True),
    Key("dot-before", "it contains 0", is_dot=True),
)


def interval_row(name: str, estimate: EstimatedValue, *, is_sure: bool | None = None) -> Interval:
    low, high = estimate.interval or (NAN, NAN)
    value = NAN if estimate.value is None else estimate.value
    away = estimate.is_positive or estimate.is_negative
    return Interval(name, low, value, high, is_sure=away if is_sure is None else is_sure)


def cells(estimate: EstimatedValue) -> tuple[Cell, Cell, Cell]:
    low, high = estimate.interval or (None, None)
    return estimate.value, low, high


def interval_panel(title: str, finding: str, rows: Sequence[Interval], *bounds: float) -> Panel:
    """A panel with room for these rows; `bounds` are values that its axis has to have."""
    ends = [value for row in rows for value in row[1:4] if not math.isnan(value)]
    low, high = min([*bounds, *ends]), max([*bounds, *ends])
    gutter = gutter_for(row.name for row in rows)
    return intervals(title, finding, rows, low, high if high > low else low + 1, gutter)


def worth_figures(worth: Payload, facets: Mapping[str, str], family: str) -> list[Figure]:
    """The figures of all that is recorded; none without a compared pair."""
    if not worth["slices"]:
        return []
    made = [_parts(worth, facets), _recall(worth["recalls"])]
    if worth["preferences"]:
        made.append(_preference(worth, family))
    return made


def _parts(worth: Payload, facets: Mapping[str, str]) -> Figure:
    rows = worth["slices"]
    panels = []
    for dimension, group in groupby(rows[1:], key=lambda row: row["dimension"]):
        drawn = [
            interval_row(_short_name(row, facets), estimate_of(row, "numbers", DIFFERENCE, "alpha"))
            for row in _largest(list(group), "pairs")
        ]
        known = [row for row in drawn if not math.isnan(row.value)]
        if known:
            finding = "; ".join(row.text for row in known)
            panels.append(interval_panel(DIMENSION_NAMES[dimension], finding, known, -0.1, 0.1))
    return Figure(
        name="model-parts",
        title="α of the model with an annotator, minus α of both annotators",
        note="Left of 0, the model agrees with people less than people with each other. Lines are "
        "95 % intervals over queries. Of twenty, about one misses the true value by chance. "
        "Parts with too few pairs or queries are in the table only.",
        panels=panels or [interval_panel("All pairs", parts_finding(worth)[0], (), -1, 1)],
        head=(
            *("part", "of", "coefficient", "pairs", "queries"),
            *(f"{name}{end}" for name in COMPARED.values() for end in ("", ", from", ", to")),
            "cannot be said",
        ),
        rows=[
            (
                *(part_name(row, facets), DIMENSION_NAMES[row["dimension"]], coefficient.symbol),
                *(row["pairs"], row["queries"]),
                *(
                    cell
                    for key in COMPARED
                    for cell in cells(estimate_of(row, "numbers", key, coefficient.key))
                ),
                estimate_of(row, "numbers", DIFFERENCE, coefficient.key).undefined,
            )
            for coefficient in sorted(COEFFICIENTS, key=lambda each: each.key != "alpha")
            for row in rows
        ],
        keys=SURE,
    )


def _largest(rows: Sequence[Payload], size: str) -> list[Payload]:
    """The MOST_DRAWN largest rows, in the order given."""
    places = sorted(range(len(rows)), key=lambda place: -rows[place][size])[:MOST_DRAWN]
    return [rows[place] for place in sorted(places)]


def _short_name(row: Payload, facets: Mapping[str, str]) -> str:
    """Without the words of the panel's title."""
    name = part_name(row, facets)
    return name.removeprefix(f"{row['dimension']} by ").removesuffix(" words")


def _recall(rows: Sequence[Payload]) -> Figure:
    panels = []
    for given, group in groupby(rows, key=lambda row: str(row["given"])):
        if given == FINAL:  # made from the annotators' judgments, so the table has it only
            continue
        drawn = [
            interval_row(
                f"{row['grade']}: {RATERS[rater]}",
                estimate_of(row, "recall", rater),
                is_sure=rater == "model",
            )
            for row in group
            for rater in row["recall"]
        ]
        finding = "; ".join(row.text for row in drawn)
        panels.append(
            interval_panel(
                f"Grades by {GIVEN[given]}" if given != "final" else "Final labels",
                finding,
                drawn,
                0,
                1,
            )
        )
    return Figure(
        name="model-recall",
        title="Share of the pairs of a grade that others graded the same",
        note="A row is a grade and the rater whose share it is; lines are 95 % intervals. Shares "
        "of final labels are in the table only: for annotators they are not independent.",
        panels=panels,
        head=("grade of", "grade", "pairs", "queries", "rater", "share", "from", "to", "reason"),
        rows=[
            (
                *(GIVEN[row["given"]], row["grade"], row["pairs"], row["queries"], RATERS[rater]),
                *cells(estimate_of(row, "recall", rater)),
                estimate_of(row, "recall", rater).undefined,
            )
            for row in rows
            for rater in row["recall"]
        ],
        keys=(
            Key("dot-after", "the model", is_dot=True),
            Key("dot-before", "an annotator", is_dot=True),
        ),
    )


STRATA_NAMES = {"query": "of a query", "same_label": "of a query with the same final label"}


def _preference(worth: Payload, family: str) -> Figure:
    rows = sorted(worth["preferences"], key=lambda row: row["family"] != family)
    named = [row for row in rows if row["family"] == family]
    others = [row for row in rows if row["family"] != family]
    raters = {**RATERS, EXCESS: "model minus annotators"}
    drawn = [
        interval_row(row["family"], estimate_of(row, "raters", EXCESS, "same_label"))
        for row in [*named, *_largest(others, "found")]
    ]
    known = [row for row in drawn if not math.isnan(row.value)]
    finding = " ".join(preference_finding(worth, family))
    panel = interval_panel(raters[EXCESS].capitalize(), finding, known, -0.1, 0.1)
    return Figure(
        name="model-preference",
        title="Mean signed error on what a family found, minus that on other documents",
        note="In grades, among pairs of a query with the same final label. Right of 0, the model "
        "grades what the family found higher than annotators do. "
        f"{'The first row is the named family. ' if named else ''}"
        "Lines are 95 % intervals over queries.",
        panels=[panel],
        head=(
            *("family", "sources", "found", "others", "queries", "rater", "among pairs"),
            *("difference", "from", "to", "reason"),
        ),
        rows=[
            (
                *(row["family"], ", ".join(row["sources"]), row["found"], row["others"]),
                *(row["queries"], name, STRATA_NAMES[strata]),
                *cells(estimate_of(row, "raters", rater, strata)),
                estimate_of(row, "raters", rater, strata).undefined,
            )
            for row in rows
            for rater, name in raters.items()
            for strata in STRATA
        ],
        keys=SURE,
    )


def consistency_figures(payload: Payload | None, findings: Iterable[str]) -> list[Figure]:
    """The repeated answers of a model that was asked; nothing of an imported one."""
    if payload is None or "same_repeated" not in payload["model"]:
        return []
    model, people = payload["model"], payload["people"]
    shares = {
        "asked again": estimate_of(model, "same_repeated"),
        "other order": estimate_of(model, "same_swapped"),
        "annotators, repeats": estimate_of(people, "same"),
    }
    numbers = {
        ("same grade, asked again", "pairs"): estimate_of(model, "same_repeated"),
        ("α, asked again", "pairs"): estimate_of(model, "alpha_repeated"),
        ("same grade, other order", "answers"): estimate_of(model, "same_swapped"),
        ("α, other order", "answers"): estimate_of(model, "alpha_swapped"),
        ("grade in the other order minus the usual", "answers"): estimate_of(model, "shift"),
        ("same grade, hidden repeats of annotators", "answers"): estimate_of(people, "same"),
        ("α, hidden repeats of annotators", "answers"): estimate_of(people, "alpha"),
    }
    sizes = [
        *[model["pairs_repeated"]] * 2,
        *[model["answers_swapped"]] * 3,
        *[people["repeats"]] * 2,
    ]
    known = [
        interval_row(name, share, is_sure=not name.startswith("annotators"))
        for name, share in shares.items()
        if share.value is not None
    ]
    return [
        Figure(
            name="model-repeats",
            title="Share of the same grade when asked again",
            note="A line is a 95 % interval: of the model over queries, of people over repeats.",
            panels=[interval_panel("Same grade", " ".join(findings), known, 0, 1)],
            head=("figure", "of", "number", "value", "from", "to", "reason"),
            rows=[
                (name, unit, size, *cells(estimate), estimate.undefined)
                for ((name, unit), estimate), size in zip(numbers.items(), sizes, strict=True)
            ],
            keys=(
                Key("dot-after", "the model", is_dot=True),
                Key("dot-before", "annotators", is_dot=True),
            ),
        )
    ]


DECISIONS = {
    "significant": "significant",
    "right": "confirmed",
    "unfounded": "not significant under the final labels",
    "reversed": "opposite under the final labels",
    "wrong": "wrong",
    "missed": "missed",
}


def decision_figures(
    payload: Payload, names: Mapping[str, str], findings: Sequence[str]
) -> list[Figure]:
    """Decisions under the model's labels and each annotator's; nothing with one system."""
    rows = [row for row in payload["decisions"] if row["pairs"]]
    if not rows:
        return []
    correlations = {row["source"]: row["correlations"] for row in payload["rankings"]}
    drawn = [PartOfNumber(names[row["source"]], row["significant"], row["wrong"]) for row in rows]
    return [
        Figure(
            name="model-decisions",
            title="Pairs of systems that differ significantly, and those decided wrongly",
            note="By a paired t test over the queries, adjusted by Holm’s method over all pairs, "
            "as on the page Compare. Wrong: under the final labels the pair does not differ "
            "significantly, or the other system is better.",
            panels=[
                parts("Pairs of systems", " ".join(findings), drawn, ("significant pairs", "wrong"))
            ],
            head=("labels", "τ", "τ_AP", *DECISIONS.values(), "largest moves"),
            rows=[
                (
                    names[row["source"]],
                    *((correlations[row["source"]] or {}).get(key) for key in ("tau", "tau_ap")),
                    *(row[key] for key in DECISIONS),
                    "; ".join(
                        f"{move['system']} from rank {move['final']} to {move['rank']}"
                        for move in row["moves"]
                    ),
                )
                for row in rows
            ],
            keys=(Key("g1", "significant"), Key("done", "of them wrong")),
        )
    ]
