"""A job in words: what people see instead of states, seconds and dictionaries. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from jobs import registry
from jobs.models import Job, State

LOOKS = {
    State.QUEUED: ("◌", ""),
    State.RUNNING: ("▶", "accent"),
    State.SUCCEEDED: ("✓", "good"),
    State.FAILED: ("✕", "bad"),
    State.CANCELLED: ("■", "warn"),
}
PATIENCE = timedelta(seconds=30)
LONGEST = 120
LISTED = 8
PROBLEMS = "problems"  # of a result: sentences, which a card lists below its figures
_HEX = re.compile(r"[0-9a-f]{32,}")


class Figure(NamedTuple):
    """One line of a result: "without text", "3"."""

    name: str
    value: str


class Shown(NamedTuple):
    """A job as its card shows it. `tone` is the chip's class; `advice` says what to do now."""

    title: str
    icon: str
    tone: str
    state: str
    elapsed: str
    progress: str
    figures: list[Figure]
    advice: str


def shown(job: Job, now: datetime) -> Shown:
    state = State(job.state)
    icon, tone = LOOKS[state]
    elapsed = job.elapsed
    return Shown(
        title=registry.title(job.kind),
        icon=icon,
        tone=tone,
        state="Stopping" if job.is_live and job.cancel_requested else state.label,
        elapsed="" if elapsed is None else duration(elapsed),
        progress=progress(job),
        figures=figures(job.result or {}),
        advice=advice(job, now),
    )


def advice(job: Job, now: datetime) -> str:
    match job.state:
        case State.QUEUED if job.waits_until:
            return "It waits for other jobs, holds up no worker meanwhile, and goes on by itself."
        case State.QUEUED if now - job.created_at > PATIENCE:
            return (
                "It has waited for a while. Other jobs may be before it; if none runs, ask whoever "
                "keeps the server to see that a worker runs. Nothing is lost meanwhile."
            )
        case State.RUNNING if job.cancel_requested:
            return "It stops at the next point where nothing is left half done."
        case State.FAILED if registry.reads(job.kind):
            return (
                "Nothing is left half done: what was there before is there still. If the file is "
                "at fault, mend it and upload it again; trying again reads the same file, which is "
                "kept for a day."
            )
        case State.FAILED:
            return (
                "Nothing is left half done: what was there before is there still. Mend what the "
                "message names, then try again; nothing is done twice."
            )
        case State.CANCELLED:
            return "Nothing is left half done. You can try again; nothing is done twice."
    return ""


def progress(job: Job) -> str:
    """How far the work is: "1,200 of 4,000", or "" before the first report."""
    if job.progress_total:
        return f"{job.progress_done:,} of {job.progress_total:,}"
    return f"{job.progress_done:,}" if job.progress_done else ""


def duration(span: timedelta) -> str:
    """ "In words: 8 s, 3 min 20 s, 2 h 5 min."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def figures(result: Mapping[str, Any]) -> list[Figure]:
    """A result's plain values, in its order; what is nested deeper is for programs."""
    plain = ((key, value) for key, value in result.items() if key != PROBLEMS)
    named = ((key.replace("_", " "), in_words(value)) for key, value in plain)
    return [Figure(name, value) for name, value in named if value]


def in_words(value: object) -> str:
    """A plain value for people, "" for one that has no short form."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.2f}"
        case str() if _HEX.fullmatch(value):
            return f"{value[:12]}…"
        case str() if len(value) <= LONGEST:
            return value
        case str():
            return f"{value[:LONGEST]}…"
        case list() | tuple() if value and all(isinstance(item, str | int) for item in value):
            more = f" and {len(value) - LISTED:,} more" if len(value) > LISTED else ""
            return ", ".join(str(item) for item in value[:LISTED]) + more
    return ""
