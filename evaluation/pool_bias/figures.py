"""The figures of the page about pool bias, made from a report. Nothing here computes a score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.pool_bias.tables import (
    BiasLine,
    GrowthLine,
    LeftOutLine,
    growth_lines,
    left_out_lines,
    system_lines,
)
from web.figure_panels import (
    BeforeAfter,
    PartOfNumber,
    Range,
    curve,
    gutter_for,
    moves,
    parts,
    ranges,
)
from web.figures import Figure, Key, percent_text
from web.words import count_noun

Payload = Mapping[str, Any]

MOST_ROWS = 20  # of a panel; the files have all
MOST_CHANGED = 10  # systems of a panel
MOST_PANELS = 4


def figures_of(payload: Payload, measure: str, way: str) -> list[Figure]:
    """The figures with something to show, for a measure and a way to leave sources out.

    A list that is restricted to the pool has no unjudged documents, and so no bounds.
    """
    closed = {row["name"] for row in payload["measures"] if row["closed"]}
    return [
        *_sources(payload),
        *_changes(left_out_lines(payload, measure, way), measure),
        *([] if measure in closed else _bounds(system_lines(payload, measure), measure)),
        *_growth(payload["growth"]),
        *_growth_by_query(growth_lines(payload)),
    ]


def _sources(payload: Payload) -> Iterator[Figure]:
    rows = payload["sources"]
    if not rows:
        return
    best = max(rows, key=lambda row: row["alone"])
    finding = (
        f"{best['source']} found most relevant documents that no other source found: "
        f"{best['alone']:,} of its {best['relevant']:,}."
    )
    yield Figure(
        name="sources",
        title="Relevant documents by source",
        note="Relevant documents that a source drew, and those that no other source found.",
        panels=[
            parts(
                "Relevant documents",
                finding,
                [
                    PartOfNumber(row["source"], row["relevant"], row["alone"])
                    for row in rows[:MOST_ROWS]
                ],
                ("relevant", "unique"),
            )
        ],
        head=("source", "drawn", "judged", "relevant", "unique"),
        rows=[
            tuple(row[key] for key in ("source", "drawn", "judged", "relevant", "alone"))
            for row in rows
        ],
        keys=(Key("g1", "relevant"), Key("done", "relevant and unique")),
        same_table="source-rows",
    )


def _changes(lines: Sequence[LeftOutLine], measure: str) -> Iterator[Figure]:
    lines = [line for line in lines if line.systems]
    if not lines:
        return
    drawn = sorted(lines, key=lambda line: -line.largest_change)[:MOST_PANELS]
    systems = {line.name: line.systems_by_change[:MOST_CHANGED] for line in drawn}
    shown = [system for each in systems.values() for system in each]
    high = 100 * max(max(system.score, system.reduced_score) for system in shown)
    yield Figure(
        name="left-out",
        title=f"{measure} without a source",
        note=(
            "A panel is a source or group that is left out, with the systems that change most. Its "
            f"τ compares the rankings of all systems. Values are in percent.{_panels(len(lines))}"
        ),
        panels=[
            moves(
                f"{line.name}: τ {line.tau_text}",
                _change_finding(line),
                [
                    BeforeAfter(
                        system.system, _percent(system.score), _percent(system.reduced_score)
                    )
                    for system in systems[line.name]
                ],
                0,
                high or 1,
                stages=("with all labels", "without the source"),
                gutter=gutter_for(system.system for system in shown),
            )
            for line in drawn
        ],
        head=("left out", "system", "all labels", "rank", "without", "rank without", "condensed"),
        rows=[
            (
                *(line.name, system.system, system.score, system.rank),
                *(system.reduced_score, system.reduced_rank, system.reduced_condensed),
            )
            for line in lines
            for system in line.systems
        ],
        keys=(
            Key("dot-before", "with all labels", is_dot=True),
            Key("dot-after", "without the source", is_dot=True),
        ),
        in_percent=("all labels", "without", "condensed"),
        same_table="left-out-rows",
    )


def _panels(count: int) -> str:
    more = count > MOST_PANELS
    return f" The {MOST_PANELS} of {count} that change most are drawn." if more else ""


def _percent(value: float) -> float:
    return round(100 * value, 2)


def _change_finding(line: LeftOutLine) -> str:
    system = line.most_changed.system if line.most_changed else "no system"
    return f"Without {line.name}, {system} changes most, by {line.change_text}; τ {line.tau_text}."


def _bounds(lines: Sequence[BiasLine], measure: str) -> Iterator[Figure]:
    bounded = [(line, line.upper) for line in lines if line.upper is not None]
    if not bounded:
        return
    widest, most = max(bounded, key=lambda pair: pair[1] - pair[0].standard)
    finding = (
        f"{widest.name} has the widest bounds: {percent_text(widest.standard)} to "
        f"{percent_text(most)} %."
    )
    yield Figure(
        name="bounds",
        title=f"{measure} with unjudged documents",
        note=(
            "A line goes from the standard value, for which unjudged documents are not relevant, "
            "to the upper bound, the largest value that any grades of them give. The condensed "
            f"value leaves them out. Values are in percent.{_first(len(bounded))}"
        ),
        panels=[
            ranges(
                count_noun(min(MOST_ROWS, len(bounded)), "system"),
                finding,
                [
                    Range(line.name, *map(_percent, (line.standard, line.condensed, upper)))
                    for line, upper in bounded[:MOST_ROWS]
                ],
                ("standard", "condensed", "upper bound"),
                gutter=gutter_for(line.name for line, _ in bounded[:MOST_ROWS]),
            )
        ],
        head=("system", "standard", "condensed", "upper bound"),
        rows=[(line.name, line.standard, line.condensed, upper) for line, upper in bounded],
        keys=(
            Key("dot-before", "standard", is_dot=True),
            Key("dot-after", "condensed", is_dot=True),
        ),
        same_table="system-rows",
    )


def _first(count: int) -> str:
    more = count > MOST_ROWS
    return (
        f" The {MOST_ROWS} of {count:,} systems with the highest value are drawn." if more else ""
    )


def _growth(growth: Payload) -> Iterator[Figure]:
    found: list[int] = growth["found"]
    if not found or not found[-1]:
        return
    half = found[(len(found) - 1) // 2]
    queries = count_noun(len(growth["queries"]), "query", "queries")
    finding = (
        f"The first {(len(found) + 1) // 2:,} documents of every pool hold {half:,} of "
        f"{found[-1]:,} relevant ones."
    )
    yield Figure(
        name="growth",
        title="Relevant documents by pool size",
        note=f"Over {queries}, in the order in which the documents were drawn.",
        panels=[curve("Relevant documents found", finding, found, "documents per pool")],
        head=("documents per pool", "relevant documents"),
        rows=list(enumerate(found, start=1)),
    )


def _growth_by_query(lines: Sequence[GrowthLine]) -> Iterator[Figure]:
    lines = [line for line in lines if line.relevant]
    if not lines:
        return
    more = "" if len(lines) <= MOST_PANELS else f" The first {MOST_PANELS} of {len(lines)} queries."
    yield Figure(
        name="growth-by-query",
        title="Relevant documents by pool size and query",
        note=(
            "In the order in which the documents were drawn. The query with the highest expected "
            f"number is first.{more}"
        ),
        panels=[
            curve(
                line.query,
                f"{line.query}: {line.relevant:,} relevant of {line.size:,}, the last at "
                f"{line.last:,}.",
                line.found,
                "documents",
            )
            for line in lines[:MOST_PANELS]
        ],
        head=("query", "relevant documents", "found at"),
        rows=[
            (line.query, number, place)
            for line in lines
            for number, place in enumerate(line.relevant_at, start=1)
        ],
        same_table="growth-rows",
    )
