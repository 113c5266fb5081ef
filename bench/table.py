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
    peak: int  # peak resident bytes of its process
    disk: int | None = None  # bytes
    note: str = ""
    cpu: float | None = None  # CPU seconds of the process, on all cores; without the database


@dataclass(frozen=True)
class Instead:
    """A measurement of another tool for the same step."""

    step: str
    what: str
    measured: Measurement


def table(measurements: Sequence[Measurement], instead: Iterable[Instead]) -> str:
    """Rows in the order of measuring, with other tools' figures beside ours of that step and size.

    `growth` is the time divided by that of the same step and database at the next smaller size.
    """
    others: dict[tuple[int, str], list[Instead | None]] = {}
    for other in instead:
        others.setdefault((other.measured.documents, other.step), []).append(other)
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
        earlier
        for earlier in all_of_them
        if (earlier.database, earlier.step) == (measured.database, measured.step)
        and earlier.documents < measured.documents
    ]
    before = max(smaller, key=lambda earlier: earlier.documents, default=None)
    if before is None or not before.seconds or measured.seconds is None:
        return ""
    return f"×{measured.seconds / before.seconds:.1f}"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "failed"
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:,.0f}"


def _mib(size: int | None) -> str:
    return "" if size is None else f"{size / MIB:,.0f}"
