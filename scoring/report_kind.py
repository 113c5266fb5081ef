"""The base of the kinds of stored reports on all systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accounts.locking import lock_collection
from accounts.models import Collection
from agreement.revision import revision_of
from jobs.context import JobContext
from reports.kinds import ReportKind
from reports.states import LISTS
from scoring.services import unscored_runs
from scoring.systems.lists import systems_with_digests
from scoring.systems.services import sync_runs


@dataclass(frozen=True)
class SystemsReport(ReportKind):
    """A report on all systems and the labels. New runs are made systems before it is computed."""

    def prepare(self, collection: Collection, work: JobContext) -> None:
        with work.fenced():
            sync_runs(lock_collection(collection))

    def inputs(self, collection: Collection) -> dict[str, Any]:
        return {
            "the labels": str(revision_of(collection)),
            "the lowest relevant grade": collection.relevant_from,
            LISTS: lists_state(collection),
        }


def lists_state(collection: Collection) -> list[list[str]]:
    """The systems with digests of their lists.

    Runs without a system are among them, because they get one when a report is computed.
    """
    systems = [[system.name, digest] for system, digest in systems_with_digests(collection)]
    return [*systems, *([name, ""] for name in unscored_runs(collection))]
