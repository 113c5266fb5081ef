"""The rows of the page of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count

from accounts.models import Collection
from retrieval.models import Run
from retrieval.retrievers import BUILT_IN
from retrieval.services import available_retrievers

# The labels of the counts in a run's report.
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
    """A run and its number of lists."""

    run: Run
    lists: int

    @property
    def origin(self) -> str:
        """In a few words: "bm25 over the abstract", "the file best.run", "the vectors v.npy"."""
        parameters = self.run.parameters
        if self.run.kind == "file":
            noun = "judgments" if parameters.get("qrels") else "file"
            return f"the {noun} {parameters['file']}" if parameters.get("file") else "a file"
        if self.run.kind == "embeddings":
            return f"the vectors {parameters['vectors']}"
        return (
            f"{self.run.kind} over the {parameters['field']}"
            if parameters.get("field")
            else self.run.kind
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The other parameters of the ranking; the corpus digest is only in the manifest."""
        shown_elsewhere = {"corpus", "field", "file", "qrels", "vectors"}
        return {
            key: value for key, value in self.run.parameters.items() if key not in shown_elsewhere
        }

    @property
    def skipped(self) -> list[Skipped]:
        return _counts(self.run.report, SKIPPED)

    @property
    def topics(self) -> list[Skipped]:
        return _counts(self.run.report, TOPICS)


def _counts(report: Mapping[str, Any], words: Mapping[str, str]) -> list[Skipped]:
    return [Skipped(report[key], reason) for key, reason in words.items() if report.get(key)]


def run_rows(collection: Collection) -> list[RunRow]:
    return [RunRow(run, run.lists) for run in collection.runs.annotate(lists=Count("rankings"))]


def unused_built_in(runs: Iterable[Run]) -> list[str]:
    """The names of the built-in retrievers that have not run yet."""
    names = {run.name for run in runs}
    return [name for name in BUILT_IN if name not in names]


def unused_catalogue(runs: Iterable[Run]) -> list[tuple[str, str]]:
    """The retrievers that have not run yet: (name, description)."""
    names = {run.name for run in runs}
    return [(name, does) for name, does in available_retrievers().items() if name not in names]
