"""Jobs as an owner-annotator is told of them: of some kinds all, of some the state, else nothing.

An owner-annotator sees no pools, runs or reports before judging has ended (ADR 56). A kind that
does not name `owners` in its registration does not exist for this role.
"""

from __future__ import annotations

from copy import copy

from accounts.models import Collection, Role, User
from jobs import registry
from jobs.models import Job, JobQuerySet, State

FIRST_ROWS = "first_rows"  # in the result of a check of a file
HIDDEN_ERROR = (
    "The reason can name retrievers, so you see it only after you have ended judging. Retry the "
    "job. If it fails again, ask the server's administrator to read the error of this job."
)


def is_owner_annotator(collection: Collection, person: User) -> bool:
    return collection.memberships.filter(user=person, role=Role.OWNER_ANNOTATOR).exists()


def visible_jobs(collection: Collection, person: User) -> JobQuerySet:
    """The jobs that the person may know of, for `told`."""
    jobs: JobQuerySet = collection.jobs.all()
    if not is_owner_annotator(collection, person):
        return jobs
    return jobs.filter(kind__in=_kinds(registry.WHOLE, registry.STATE)).with_state_only(
        _kinds(registry.STATE)
    )


def searchable(jobs: JobQuerySet) -> JobQuerySet:
    """Those of `visible_jobs` whose texts may be searched."""
    if "is_state_only" not in jobs.query.annotations:
        return jobs
    return jobs.exclude(kind__in=_kinds(registry.STATE))


def _kinds(*told: str) -> list[str]:
    return [name for name, kind in registry.kinds().items() if kind.owners in told]


def told(job: Job) -> Job:
    """The job as it is shown: without parameters, result and reason where only its state is.

    An owner-annotator does not get the first rows of a file that was checked, because they have
    metadata such as venues, which no judge gets.
    """
    is_state_only = getattr(job, "is_state_only", None)
    if is_state_only is None:
        return job
    shown = copy(job)
    shown.result = {key: value for key, value in (job.result or {}).items() if key != FIRST_ROWS}
    if is_state_only:
        shown.parameters, shown.result, shown.progress_note = {}, None, ""
        shown.error = HIDDEN_ERROR if job.state == State.FAILED else ""
    return shown
