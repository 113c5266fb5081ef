"""The rows of the page of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count

from accounts.models import Collection
from database.natural_order import natural_key
from retrieval.models import Run
from retrieval.services import available_retrievers, usual_retrievers

# The labels of the counts in a run's report.
SKIPPED = {
    "query_papers_themselves": "the query itself",
    "duplicates": "listed twice",
    "outside_corpus": "not in the corpus",
}
TOPICS = {
    "unknown_topics": "topics that are no query here",
    "query_papers_without_list": "queries without a list",
}


class Skipped(NamedTuple):
    number: int
    why: str


class UnknownIds(NamedTuple):
    noun: str
    ids: list[str]


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
        analysis = f" ({parameters['analysis']})" if parameters.get("analysis") else ""
        return (
            f"{self.run.kind} over the {parameters['field']}{analysis}"
            if parameters.get("field")
            else self.run.kind
        )

    @property
    def parameters(self) -> Mapping[str, object]:
        """The other parameters of the ranking; the corpus digest is only in the manifest."""
        shown_elsewhere = {"analysis", "corpus", "field", "file", "qrels", "vectors"}
        return {
            key: value for key, value in self.run.parameters.items() if key not in shown_elsewhere
        }

    @property
    def skipped(self) -> list[Skipped]:
        return _counts(self.run.report, SKIPPED)

    @property
    def unknown_ids(self) -> list[UnknownIds]:
        """The first ids that are not in the collection, as the report names them."""
        report = self.run.report
        groups = (("documents", "unknown_documents"), ("topics", "unknown_topic_examples"))
        return [UnknownIds(noun, report[key]) for noun, key in groups if report.get(key)]

    @property
    def topics(self) -> list[Skipped]:
        return _counts(self.run.report, TOPICS)


def _counts(report: Mapping[str, Any], words: Mapping[str, str]) -> list[Skipped]:
    return [Skipped(report[key], reason) for key, reason in words.items() if report.get(key)]


def run_rows(collection: Collection) -> list[RunRow]:
    """The runs in the natural order of their names. A collection has tens of them."""
    runs = collection.runs.annotate(lists=Count("rankings"))
    return [RunRow(run, run.lists) for run in sorted(runs, key=lambda run: natural_key(run.name))]


def unused_usual(collection: Collection, runs: Iterable[Run]) -> list[str]:
    """The names of the usual retrievers that have not run yet."""
    names = {run.name for run in runs}
    return [name for name in usual_retrievers(collection) if name not in names]


def unused_catalogue(collection: Collection, analysis: str) -> list[tuple[str, str]]:
    """The retrievers that have not run yet with this analysis: (name, description)."""
    names = set(collection.runs.values_list("name", flat=True))
    return [
        (name, does) for name, does in available_retrievers(analysis).items() if name not in names
    ]
