"""The text of a job's card: state, duration, progress, result, advice and where to go from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.urls import reverse

from jobs import registry
from jobs.models import Job, State
from jobs.uploaded_files import DRY_RUN

LOOKS = {
    State.QUEUED: ("◌", ""),
    State.RUNNING: ("▶", "accent"),
    State.SUCCEEDED: ("✓", "good"),
    State.FAILED: ("✕", "bad"),
    State.CANCELLED: ("■", "warn"),
}
PATIENCE = timedelta(seconds=30)
SPEED_KNOWN_AFTER = timedelta(seconds=3)
LONGEST = 120
LISTED = 8
PROBLEMS = "problems"  # a key of results: sentences that the card lists below the figures
_HEX = re.compile(r"[0-9a-f]{32,}")


class ResultLine(NamedTuple):
    """A line of a result: "without text", "3"."""

    name: str
    value: str


class JobCard(NamedTuple):
    """A job as its card shows it. `tone` is the chip's class; `advice` says what to do now.

    `result_url` is the page of what the job made, "" until it is done. `form_url` is the form that
    uploads another file, if the job could not read the one that it was given.
    """

    title: str
    result_url: str
    form_url: str
    icon: str
    tone: str
    state: str
    elapsed: str
    outcome: str
    progress: str
    left: str
    figures: list[ResultLine]
    advice: str


def job_card(job: Job, now: datetime) -> JobCard:
    state = State(job.state)
    icon, tone = LOOKS[state]
    elapsed = "" if job.elapsed is None else duration(job.elapsed)
    return JobCard(
        title=registry.kind(job.kind).title,
        result_url=result_url(job) if state is State.SUCCEEDED else "",
        form_url=form_url(job) if state is State.FAILED else "",
        icon=icon,
        tone=tone,
        state="Stopping" if job.is_live and job.cancel_requested else state.label,
        elapsed=elapsed,
        outcome=f"{state.label.lower()} after {elapsed}" if elapsed else state.label.lower(),
        progress=progress(job),
        left=time_left(job),
        figures=figures(job.result or {}),
        advice=advice(job, now),
    )


def advice(job: Job, now: datetime) -> str:
    match job.state:
        case State.QUEUED if job.waits_until:
            return "This job waits for other jobs and then continues automatically."
        case State.QUEUED if now - job.created_at > PATIENCE:
            return (
                "This job has waited for a while. Other jobs may be ahead of it. If none is "
                "running, ask the server's administrator to start a worker. The job is not lost."
            )
        case State.RUNNING if job.cancel_requested:
            return "This job stops at its next safe point."
        case State.FAILED | State.CANCELLED if registry.kind(job.kind).in_steps:
            return "The steps that were done are saved. Retry the job to do the others."
        case State.FAILED if registry.kind(job.kind).reads:
            return (
                "No partial result was saved, and earlier data is unchanged. Fix the file, or "
                "choose another, and upload it."
            )
        case State.FAILED:
            return (
                "No partial result was saved, and earlier data is unchanged. Fix the problem, then "
                "retry. Nothing is done twice."
            )
        case State.CANCELLED:
            return "No partial result was saved. You can retry. Nothing is done twice."
    return ""


def result_url(job: Job) -> str:
    """The page of what the job made, or the page that lists it. A dry run has made nothing."""
    kind = registry.kind(job.kind)
    values = {**job.parameters, **(job.result or {})}
    url_name, *names = kind.result or (kind.page,)
    if job.parameters.get(DRY_RUN) or not all(values.get(name) for name in names):
        url_name, names = kind.page, []
    return reverse(url_name, args=[job.collection.slug, *(values[name] for name in names)])


def form_url(job: Job) -> str:
    form = registry.kind(job.kind).form
    return reverse(form, args=[job.collection.slug]) if form else ""


def parameters(job: Job) -> list[ResultLine]:
    """The parameters in words: plain values, also those of a plan, without paths of files."""
    hidden = {*registry.kind(job.kind).reads, DRY_RUN, "filename", "filenames"}
    plain: dict[str, Any] = {}
    for name, value in job.parameters.items():
        if name not in hidden:
            plain.update(value if isinstance(value, dict) else {name: value})
    return figures({name: value for name, value in plain.items() if value is not False})


def progress(job: Job) -> str:
    """The progress in words: "1,200 of 4,000", or "" before the first report."""
    if job.progress_total:
        return f"{job.progress_done:,} of {job.progress_total:,}"
    return f"{job.progress_done:,}" if job.progress_done else ""


def time_left(job: Job) -> str:
    """The rest at the speed so far: "about 2 min 5 s left"; "" too early to say."""
    elapsed = job.elapsed
    if job.state != State.RUNNING or not job.progress_total or elapsed is None:
        return ""
    share = job.progress_done / job.progress_total
    if elapsed < SPEED_KNOWN_AFTER or not 0.02 <= share < 1:
        return ""
    return f"about {duration(elapsed * ((1 - share) / share))} left"


def duration(span: timedelta) -> str:
    """A duration as text: "8 s", "3 min 20 s" or "2 h 5 min"."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def figures(result: Mapping[str, Any]) -> list[ResultLine]:
    """The plain values of a result, in its order. Nested values are for programs only."""
    plain = ((key, value) for key, value in result.items() if key != PROBLEMS)
    named_values = ((key.replace("_", " "), in_words(value)) for key, value in plain)
    return [ResultLine(name, value) for name, value in named_values if value]


def in_words(value: object) -> str:
    """A plain value as text; "" for a value without a short form."""
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
