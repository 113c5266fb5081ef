"""The kinds of jobs. Apps register their handlers in `tasks.py`; `jobs` imports none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jobs.lease import Lease

Handler = Callable[["Lease"], dict[str, Any]]
DueCheck = Callable[[], None]

_handlers: dict[str, Handler] = {}
_titles: dict[str, str] = {}
_pages: dict[str, str] = {}
_reads: dict[str, tuple[str, ...]] = {}
_kinds_in_steps: set[str] = set()
_kinds_for_archived: set[str] = set()
_due_checks: list[DueCheck] = []


class UnknownKind(LookupError):
    def __init__(self, kind: str) -> None:
        kinds = ", ".join(sorted(_handlers))
        super().__init__(f"Unknown job kind {kind!r}. Known kinds: {kinds}.")


def handles(
    kind: str,
    *,
    title: str,
    page: str,
    reads: tuple[str, ...] = (),
    in_steps: bool = False,
    archived_too: bool = False,
) -> Callable[[Handler], Handler]:
    """Register the handler for jobs of this kind. It must be safe to run twice.

    `page` names the address of the collection's page that shows the result. `reads` are the
    parameters that hold paths of uploaded files, or lists of paths; see `jobs.uploaded_files`.
    A job `in_steps` keeps the steps that are done when it ends early, and a retry does the others.
    Only a kind with `archived_too` is queued in an archived collection.
    """

    def register(handler: Handler) -> Handler:
        _handlers[kind] = handler
        _titles[kind] = title
        _pages[kind] = page
        _reads[kind] = reads
        if in_steps:
            _kinds_in_steps.add(kind)
        if archived_too:
            _kinds_for_archived.add(kind)
        return handler

    return register


def due_check(check: DueCheck) -> DueCheck:
    """Register a function that the reconciler calls at each tick to find work that is due."""
    _due_checks.append(check)
    return check


def handler(kind: str) -> Handler:
    try:
        return _handlers[kind]
    except KeyError:
        raise UnknownKind(kind) from None


def title(kind: str) -> str:
    return _titles.get(kind, kind)


def page(kind: str) -> str:
    """The name of the page that shows the result; that of all jobs for an unknown kind."""
    return _pages.get(kind, "jobs")


def reads(kind: str) -> tuple[str, ...]:
    return _reads.get(kind, ())


def is_in_steps(kind: str) -> bool:
    return kind in _kinds_in_steps


def is_for_archived(kind: str) -> bool:
    return kind in _kinds_for_archived


def reading_kinds() -> list[str]:
    return [kind for kind, names in _reads.items() if names]


def due_checks() -> tuple[DueCheck, ...]:
    return tuple(_due_checks)
