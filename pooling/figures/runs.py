"""What the page about runs says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef

from accounts.models import Collection
from pooling.models import BuildRun, Run
from pooling.retrievers import BUILT_IN
from pooling.services import offered

# The counts of a run's report, in the words of the page.
SKIPPED = {
    "query_papers_themselves": "the query paper itself",
    "duplicates": "listed twice",
    "outside_corpus": "not in the corpus",
}
TOPICS = {
    "unknown_topics": "topics that are no query here",
    "query_papers_without_list": "query papers without a list",
}


class Skipped(NamedTuple):
    number: int
    why: str


@dataclass(frozen=True)
class RunRow:
    """A run, how many lists it has, and whether a frozen pool holds it."""

    run: Run
    lists: int
    frozen: bool

    @property
    def made_by(self) -> str:
        """In a few words: "bm25 over the abstract", "the file best.run", "the vectors v.npy"."""
        said = self.run.parameters
        if self.run.kind == "file":
            what = "judgments" if said.get("qrels") else "file"
            return f"the {what} {said['file']}" if said.get("file") else "a file"
        if self.run.kind == "embeddings":
            return f"the vectors {said['vectors']}"
        return f"{self.run.kind} over the {said['field']}" if said.get("field") else self.run.kind

    @property
    def parameters(self) -> dict[str, Any]:
        """The rest of what decides the ranking; the corpus's digest is for the manifest."""
        told = {"corpus", "field", "file", "qrels", "vectors"}
        return {key: value for key, value in self.run.parameters.items() if key not in told}

    @property
    def skipped(self) -> list[Skipped]:
        return _counts(self.run.report, SKIPPED)

    @property
    def topics(self) -> list[Skipped]:
        return _counts(self.run.report, TOPICS)


def _counts(report: Mapping[str, Any], words: Mapping[str, str]) -> list[Skipped]:
    return [Skipped(report[key], why) for key, why in words.items() if report.get(key)]


def run_rows(collection: Collection) -> list[RunRow]:
    frozen = BuildRun.objects.filter(run=OuterRef("pk"), build__pools__frozen_at__isnull=False)
    runs = collection.runs.annotate(lists=Count("rankings"), stays=Exists(frozen))
    return [RunRow(run, run.lists, run.stays) for run in runs]


def built_in_left(runs: Iterable[Run]) -> list[str]:
    """The built-in retrievers that have not run yet."""
    names = {run.name for run in runs}
    return [name for name in BUILT_IN if name not in names]


def catalogue_left(runs: Iterable[Run]) -> list[tuple[str, str]]:
    """The retrievers that have not run yet, each with what it does."""
    names = {run.name for run in runs}
    return [(name, does) for name, does in offered().items() if name not in names]
