"""Kinds of stored reports. Each room declares its own; `reports` imports none of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from accounts.models import Collection
from jobs.context import JobContext
from jobs.queues import JobQueue
from reports.states import state_of_inputs

if TYPE_CHECKING:
    from reports.models import StoredReport

VERSION_INPUT = "how Qrelsmith computes the report"


class ReportContent(NamedTuple):
    """A computed report. `summary` is what pages and releases read without the payload.

    `digest` is that of the rows that it was computed from, if the report of each is kept.
    """

    payload: Any
    summary: Mapping[str, Any] = {}
    digest: str = ""


@dataclass(frozen=True)
class ReportKind(ABC):
    """A kind of report; an instance has the parameters of one, which are also those of its job.

    `name` is the kind of the job, `title` and `page` are those of its card. Raise `version` with
    every change of a number or a key of the payload: reports of another version are not shown.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    page: ClassVar[str]
    version: ClassVar[int]
    queue: ClassVar[JobQueue] = JobQueue.SHORT

    @property
    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def key(self) -> str:
        """The part of the parameters that distinguishes reports that are stored side by side."""
        return ":".join(map(str, self.parameters.values()))

    def checked(self, collection: Collection) -> Self:
        """The same report, with parameters as they are stored. Raises for invalid ones."""
        return self

    def prepare(self, collection: Collection, work: JobContext) -> None:  # noqa: B027 (optional)
        """Write what the inputs depend on, such as the systems of new runs."""

    @abstractmethod
    def inputs(self, collection: Collection) -> dict[str, Any]:
        """The inputs as counts and digests, by the noun phrase that a page uses for each."""

    @abstractmethod
    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        """Compute the report. Writes nothing."""

    def result(self, report: StoredReport) -> dict[str, Any]:
        """The result of the job, as its card shows it."""
        return {}

    def released(self, report: StoredReport) -> Any:
        """The content of the report that a release has, if it has reports of this kind."""
        return report.payload

    def wait_after(self, report: StoredReport) -> timedelta:
        """The time after a job before workers request the next one by themselves."""
        return timedelta(0)

    def all_inputs(self, collection: Collection) -> dict[str, Any]:
        return {VERSION_INPUT: self.version, **self.inputs(collection)}

    def state(self, collection: Collection) -> str:
        return state_of_inputs(self.all_inputs(collection))
