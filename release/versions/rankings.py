"""The rankings of systems under the labels of two published versions."""

from __future__ import annotations

from typing import Any

from accounts.models import Collection, User
from evaluation.label_effects.before_after import RankingChange, change_between
from evaluation.label_effects.rankings import measure_named, rankings_over_time, usual_measure
from jobs.context import DirectRun, JobContext
from jobs.models import Job, State
from jobs.services import enqueue
from release.models import Release
from release.versions.released_labels import released_qrels

JOB_KIND = "compare_release_rankings"


def request_rankings(
    *, before: Release, after: Release, measure: str = "", requested_by: User | None = None
) -> Job:
    """Queue a job that ranks the systems under both versions, or return the one in progress.

    `measure` is that of the leaderboard by default. Raises BadMeasure.
    """
    chosen = measure or usual_measure(after.collection)
    name = measure_named(chosen, after.collection.relevant_from).name
    return enqueue(
        kind=JOB_KIND,
        collection=after.collection,
        parameters={"version": after.version, "since": before.version, "measure": name},
        requested_by=requested_by,
        key=_key(before.version, after.version),
    )


def _key(since: str, version: str) -> str:
    return f"{JOB_KIND}:{since}:{version}"


def newest_rankings(before: Release, after: Release) -> Job | None:
    """The newest job that has compared them."""
    jobs = after.collection.jobs.filter(kind=JOB_KIND, state=State.SUCCEEDED)
    key = _key(before.version, after.version)
    return jobs.filter(key=key).order_by("-created_at").first()


def ranking_change(before: Release, after: Release) -> tuple[Job, RankingChange] | None:
    """The newest comparison with its job; None if there is none of this kind."""
    job = newest_rankings(before, after)
    result = (job and job.result) or {}
    if job is None or "rankings" not in result:
        return None
    change = change_between(result, before.version)
    return None if change is None else (job, change)


def compare_rankings(
    *,
    collection: Collection,
    since: str,
    version: str,
    measure: str,
    work: JobContext | None = None,
) -> dict[str, Any]:
    """Score every system under both versions and rank them, as `rankings_over_time`.

    Raises:
        BadMeasure
        UnknownVersion: a version does not exist, or its file cannot be read.
    """
    work = work or DirectRun()
    qrels = {name: released_qrels(collection, name) for name in (since, version)}
    result = {
        "version": version,
        "since": since,
        **rankings_over_time(collection, qrels, measure, work),
    }
    with work.fenced():
        work.complete(result)
    return result
