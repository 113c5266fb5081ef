"""The kinds of jobs. Apps register their handlers in `tasks.py`; `jobs` imports none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from jobs.context import JobResult
from jobs.queues import JobQueue

if TYPE_CHECKING:
    from jobs.lease import Lease

# Returns the result of the job, or None if its service has completed the job.
Handler = Callable[["Lease"], JobResult | None]
DueCheck = Callable[[], None]


class JobKind(NamedTuple):
    """A kind of jobs.

    `page` names the address of the collection's page that shows the result. `result` is the address
    of the one thing that the job makes: its URL name, and the names of the values in it, which
    are of the job's result or its parameters. `reads` are the parameters that hold paths of
    uploaded files, or lists of paths (see `jobs.uploaded_files`), and `form` names the address of
    the form that uploads them.
    A job `in_steps` keeps the steps that are done when it ends early, and a retry does the others.
    Only a kind with `archived_too` is queued in an archived collection.
    An owner-annotator is told of a kind with `owners`: WHOLE, or only the STATE of its jobs.
    Jobs that read uploaded files are in the queue MEMORY.
    """

    title: str
    page: str = "jobs"
    result: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    form: str = ""
    in_steps: bool = False
    archived_too: bool = False
    owners: str = ""
    queue: JobQueue = JobQueue.SHORT


WHOLE, STATE = "whole", "state"
_handlers: dict[str, Handler] = {}
_kinds: dict[str, JobKind] = {}
_due_checks: list[DueCheck] = []


class UnknownKind(LookupError):
    def __init__(self, name: str) -> None:
        names = ", ".join(sorted(_handlers))
        super().__init__(f"Unknown job kind {name!r}. Known kinds: {names}.")


def handles(
    name: str,
    *,
    title: str,
    page: str,
    result: tuple[str, ...] = (),
    reads: tuple[str, ...] = (),
    form: str = "",
    in_steps: bool = False,
    archived_too: bool = False,
    owners: str = "",
    queue: JobQueue = JobQueue.SHORT,
) -> Callable[[Handler], Handler]:
    """Register the handler for jobs of this kind, as JobKind describes it.

    The handler must be safe to run twice.
    """

    def register(handler: Handler) -> Handler:
        _handlers[name] = handler
        _kinds[name] = JobKind(
            title,
            page,
            result,
            reads,
            form,
            in_steps,
            archived_too,
            owners,
            JobQueue.MEMORY if reads else queue,
        )
        return handler

    return register


def due_check(check: DueCheck) -> DueCheck:
    """Register a function that the reconciler calls at each tick to find work that is due."""
    _due_checks.append(check)
    return check


def handler(name: str) -> Handler:
    try:
        return _handlers[name]
    except KeyError:
        raise UnknownKind(name) from None


def kind(name: str) -> JobKind:
    """The kind with this name. An unknown one has its name as title and the page of all jobs."""
    return _kinds.get(name) or JobKind(name)


def kinds() -> dict[str, JobKind]:
    return dict(_kinds)


def kinds_in(queues: Collection[JobQueue]) -> list[str]:
    return [name for name, kind in _kinds.items() if kind.queue in queues]


def reading_kinds() -> list[str]:
    return [name for name, kind in _kinds.items() if kind.reads]


def due_checks() -> tuple[DueCheck, ...]:
    return tuple(_due_checks)
