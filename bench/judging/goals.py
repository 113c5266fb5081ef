"""What is measured at half a million judgments, with the figure before and the goal. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PAGE = "≤ 200 ms"


class Goal(NamedTuple):
    """One row: the work, what it took before it was made fast, and what it should take."""

    work: str
    before: str
    goal: str


class Figure(NamedTuple):
    """One measured value. The database is "-" where none takes part."""

    key: str
    database: str
    value: str
    note: str = ""


GOALS: dict[str, Goal] = {
    "judge": Goal(
        "judge and get the next, one client, p50 / p95",
        "11.8 / 24 ms SQLite, 23.5 / 38 ms PostgreSQL",
        "≤ 8 / 20 ms",
    ),
    "together": Goal(
        "8 annotators at full speed",
        "75/s, waits up to 2.6 s on SQLite",
        "≥ 250/s SQLite, ≥ 200/s PostgreSQL, no wait over 0.3 s, 0 over-annotated",
    ),
    "opening": Goal(
        "open a query beside 7 others, from the list to the first pair, p50 / p95", "", "≤ 150 ms"
    ),
    "paint": Goal(
        "key to the next pair painted, median / p95",
        "17.4 / 30 ms",
        "the same, also at 200 ms latency",
    ),
    "peer": Goal("Potato, 8 annotators at full speed", "32/s, 50 of 300 over-annotated", ""),
    "home": Goal("page: home", "1.1–2.2 s", PAGE),
    "collection-admin": Goal("page: collection, admin", "1.1–2.2 s", PAGE),
    "collection-annotator": Goal("page: collection, annotator", "1.1–2.2 s", PAGE),
    "collection-adjudicator": Goal("page: collection, adjudicator", "1.1–2.2 s", PAGE),
    "board": Goal("page: board", "7.5 s, 92,000 nodes", PAGE),
    "queries": Goal("page: queries", "", PAGE),
    "pools-page": Goal("page: pools", "7.0 s", PAGE),
    "releases": Goal("page: releases", "14.9 s, 690 MiB kept by the worker", PAGE),
    "agreement-page": Goal("page: agreement", "2.6 s", PAGE),
    "adjudicate": Goal("page: adjudicator's list", "1.4 s", PAGE),
    "document": Goal("page: one document", "10 to 17 queries", PAGE),
    "judge-list": Goal("page: judge list", "", PAGE),
    "all-pages": Goal("all pages: over 200 ms, and the slowest five", "", "none over 200 ms"),
    "downloads": Goal("downloads: first byte of the slowest five", "", PAGE),
    "api": Goal("the API: over 200 ms, and the slowest five", "", "none over 200 ms"),
    "page-paint": Goal("slowest page painted, and most elements of a page", "", "≤ 300 ms"),
    "agreement": Goal("agreement, 5,000 × 250", "30.5 s, 613 MiB", "≤ 15 s, ≤ 400 MiB"),
    "agreement-job": Goal("agreement of the collection", "", ""),
    "agreement-again": Goal("agreement when nothing changed", "3.6 s", "≤ 0.2 s"),
    "release": Goal("release of all judgments", "45 s, 875 MiB", "≤ 60 s, ≤ 300 MiB"),
    "gaps": Goal("what the gaps of late runs could change", "", ""),
    "pool-round": Goal("a pool round of late runs", "", "no transaction over 0.5 s"),
    "new-pairs": Goal("open the pairs of that round", "", "no transaction over 0.5 s"),
    "yields": Goal("yields and advice to stop", "", ""),
    "model-labels": Goal("import of a model's labels", "", ""),
    "worth": Goal("worth of a model's labels", "44 CPU s, 631 MiB", "≤ 300 MiB"),
    "judging-plans": Goal("plans with fewer second judges", "", ""),
    "estimates": Goal("scores estimated with a model's labels", "", ""),
    "asking": Goal("ask a model that answers at once", "", ""),
    "second-release": Goal("a second release, with the round", "", "≤ 60 s, ≤ 300 MiB"),
    "verification": Goal("all checks of that release", "", ""),
    "benchmark-import": Goal("import of a benchmark of MDCR's form", "", "≤ 120 s"),
    "import": Goal("import of that release", "426 s, one transaction", "≤ 120 s"),
    "import-judging": Goal(
        "the same while 8 annotators judge", "", "no wait over 0.3 s, 0 over-annotated"
    ),
    "due-check": Goal("due-check of a worker after a judgment", "all slots", "what changed"),
    "pools": Goal("longest transaction while pools are built", "12.7 s", "≤ 0.5 s"),
    "pools-again": Goal("longest transaction while drafts are replaced", "", "≤ 0.5 s"),
    "demo": Goal("web + worker idle in the demo", "223 MiB PSS, 386 RSS", "≤ 300 RSS"),
}


def table(figures: Sequence[Figure], databases: Sequence[str]) -> str:
    """A row for each piece of work that was measured, in the order of the goals."""
    heads = ["work", "before", "goal", *databases, "note"]
    rows = [heads, ["---"] * len(heads)]
    for key, goal in GOALS.items():
        measured = [figure for figure in figures if figure.key == key]
        if measured:
            rows.append([*goal, *_cells(measured, databases), _notes(measured)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cells(measured: Sequence[Figure], databases: Sequence[str]) -> list[str]:
    """A value for each database; one that needs no database comes first."""
    values = {figure.database: figure.value for figure in measured}
    cells = [values.get(database, "") for database in databases]
    if cells and "-" in values:
        cells[0] = values["-"]
    return cells


def _notes(measured: Sequence[Figure]) -> str:
    return "; ".join(
        f"{figure.database}: {figure.note}" if figure.database != "-" else figure.note
        for figure in measured
        if figure.note
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies; 0 without values."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def ms(seconds: float) -> str:
    return f"{1000 * seconds:,.1f}" if seconds < 0.1 else f"{1000 * seconds:,.0f}"


def p50_p95(seconds: Sequence[float]) -> str:
    return f"{ms(quantile(seconds, 0.5))} / {ms(quantile(seconds, 0.95))} ms"
