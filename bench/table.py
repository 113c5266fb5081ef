"""Measurements as a Markdown table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COLUMNS = (
    "documents", "database", "step", "seconds", "CPU seconds", "peak MiB", "disk MiB", "growth",
    "instead", "its seconds", "its peak MiB", "times as fast", "note",
)  # fmt: skip
MIB = 1024 * 1024


@dataclass(frozen=True)
class Measurement:
    """One step at one size. `seconds` is None for one that failed; the note says how."""

    documents: int
    database: str
    step: str
    seconds: float | None
    peak: int  # bytes resident at most, of its process
    disk: int | None = None  # bytes
    note: str = ""
    cpu: float | None = None  # seconds that the process computed, on all cores; not a database's


@dataclass(frozen=True)
class Instead:
    """What somebody would otherwise use for a step: a measurement of that."""

    step: str
    what: str
    measured: Measurement


def table(measurements: Sequence[Measurement], instead: Iterable[Instead]) -> str:
    """Rows in order of measuring; other tools' figures beside ours of that step and size.

    `growth` is the time through that of the same step on the same database at the size before.
    """
    others: dict[tuple[int, str], list[Instead | None]] = {}
    for one in instead:
        others.setdefault((one.measured.documents, one.step), []).append(one)
    rows = [COLUMNS, tuple("---" for _ in COLUMNS)]
    for measured in measurements:
        beside: Sequence[Instead | None] = others.get((measured.documents, measured.step), [None])
        rows += [_row(measured, measurements, other) for other in beside]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _row(
    measured: Measurement, all_of_them: Sequence[Measurement], other: Instead | None
) -> tuple[str, ...]:
    return (
        f"{measured.documents:,}",
        measured.database,
        measured.step,
        _seconds(measured.seconds),
        "" if measured.cpu is None else _seconds(measured.cpu),
        _mib(measured.peak),
        _mib(measured.disk),
        _growth(measured, all_of_them),
        *_beside(measured, other),
        "; ".join(filter(None, (measured.note, other.measured.note if other else ""))),
    )


def _beside(measured: Measurement, other: Instead | None) -> tuple[str, str, str, str]:
    if other is None:
        return ("", "", "", "")
    theirs = other.measured.seconds
    ratio = f"{theirs / measured.seconds:.1f}" if theirs and measured.seconds else ""
    return (other.what, _seconds(theirs), _mib(other.measured.peak), ratio)


def _growth(measured: Measurement, all_of_them: Sequence[Measurement]) -> str:
    smaller = [
        one
        for one in all_of_them
        if (one.database, one.step) == (measured.database, measured.step)
        and one.documents < measured.documents
    ]
    before = max(smaller, key=lambda one: one.documents, default=None)
    if before is None or not before.seconds or measured.seconds is None:
        return ""
    return f"×{measured.seconds / before.seconds:.1f}"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "failed"
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:,.0f}"


def _mib(size: int | None) -> str:
    return "" if size is None else f"{size / MIB:,.0f}"
