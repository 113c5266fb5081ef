"""The stored report on corpus sizes, computed by a job that continues where it was killed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from django.conf import settings
from django.db.models import Count, Max

from accounts.models import Collection
from corpus.digests import json_digest
from corpus.state import CorpusChanged
from evaluation.corpus_sizes.journal import Journal, Key
from evaluation.corpus_sizes.measuring import DEPTH, MEASURES, QUERIES, TEXTS, write_queries
from evaluation.corpus_sizes.processes import measure_retrievers
from evaluation.corpus_sizes.reading import CitationRows, read_citations, write_texts
from evaluation.corpus_sizes.sub_corpora import MeasuredCorpus, planned
from jobs.context import JobContext
from jobs.queues import JobQueue
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import register
from retrieval.indexes.cleanup import draft_folder, sweep
from retrieval.indexes.folders import description
from retrieval.retrievers import METADATA_RETRIEVERS, catalogue, with_analysis
from retrieval.retrievers.registry import retriever
from retrieval.services.query_texts import analysis_of
from web.disk import room_in
from web.errors import UserFacingError

FIELD_SIZE = 100_000
SIZES = (200_000, 500_000, 1_000_000, 2_000_000)
DRAWS = 3
MOST_DRAWS, MOST_SIZES, MOST_RETRIEVERS = 10, 12, 8
LARGEST = 100_000_000
USUAL = ("bm25_abstract", "tfidf_abstract")


class SizesError(UserFacingError):
    """The parameters are invalid, or nothing can be measured."""


def offered_retrievers(collection: Collection) -> dict[str, str]:
    """Descriptions of the retrievers that index text, by name, in the collection's analysis."""
    by_name = catalogue(analysis_of(collection))
    return {name: does for name, does in by_name.items() if name not in METADATA_RETRIEVERS}


def usual_retrievers(collection: Collection) -> list[str]:
    return [with_analysis(name, analysis_of(collection)) for name in USUAL]


@register
@dataclass(frozen=True)
class CorpusSizesReport(ReportKind):
    """Retrievers over sub-corpora of each field and of the whole. The last one replaces it.

    Empty `retrievers` stand for the usual ones. `field_size` is the size of the sub-corpora of
    fields, `sizes` are those of the whole; with 0 or none of them, they are not measured.
    """

    name = "corpus_sizes"
    title = "Measure retrievers over corpus sizes"
    page = "corpus-sizes"
    version = 1
    queue = JobQueue.MEMORY

    retrievers: list[str] = field(default_factory=list)
    field_size: int = FIELD_SIZE
    sizes: list[int] = field(default_factory=lambda: list(SIZES))
    draws: int = DRAWS

    @property
    def key(self) -> str:
        return ""

    def checked(self, collection: Collection) -> Self:
        offered = offered_retrievers(collection)
        names = list(dict.fromkeys(self.retrievers)) or usual_retrievers(collection)
        if unknown := [name for name in names if name not in offered]:
            raise SizesError(f"{unknown[0]!r} cannot be measured. Choose of {', '.join(offered)}.")
        _check_number("retrievers", len(names), 1, MOST_RETRIEVERS)
        _check_number("draws", self.draws, 1, MOST_DRAWS)
        _check_number("sizes", len(self.sizes), 0, MOST_SIZES)
        _check_number("documents of a field", self.field_size, 0, LARGEST)
        for size in self.sizes:
            _check_number("documents", size, 1, LARGEST)
        if not self.sizes and not self.field_size:
            raise SizesError("Give a size for the fields, or sizes for the whole collection.")
        return replace(self, retrievers=names, sizes=sorted(set(self.sizes)))

    def inputs(self, collection: Collection) -> dict[str, Any]:
        queries = collection.queries.aggregate(
            papers=Count("query_paper", distinct=True), number=Count("pk"), newest=Max("pk")
        )
        return {
            "the documents": collection.corpus_version,
            "the queries": [*queries.values()],
            "the settings": [collection.seed, *usual_retrievers(collection)],
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        study = _Study(self, collection, work)
        return ReportContent(study.payload())

    def result(self, report: StoredReport) -> dict[str, Any]:
        return {"sub-corpora": len(report.payload["corpora"])}


def _check_number(noun: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise SizesError(f"The number of {noun} must be from {least} to {most:,}, got {number:,}.")


def read_to_measure(
    kind: CorpusSizesReport, collection: Collection, work: JobContext
) -> tuple[CitationRows, list[MeasuredCorpus]]:
    """The documents as rows, and the sub-corpora to measure. Raises SizesError without any."""
    rows = read_citations(collection, work)
    if not rows.queries:
        raise SizesError(
            "No query paper cites a document of the corpus. Add query papers with references."
        )
    fields = rows.fields if kind.field_size else []
    plan = list(planned(fields, kind.field_size, kind.sizes, kind.draws))
    if not plan:
        raise SizesError("No query paper has a field. Give sizes for the whole collection.")
    return rows, plan


class _Study:
    """A computation of the report."""

    def __init__(self, kind: CorpusSizesReport, collection: Collection, work: JobContext) -> None:
        self.kind, self.collection, self.work = kind, collection, work
        self.corpus_version = collection.corpus_version
        self.rows, self.plan = read_to_measure(kind, collection, work)
        self.folder = settings.ARTEFACT_DIR / collection.slug / "corpus-sizes"

    def payload(self) -> dict[str, Any]:
        """Measure what is missing in the journal. Temporary files are removed, whatever happens."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder)  # what a killed job left
        journal = Journal.open(self.folder, self._digest())
        with room_in(self.folder):
            for done, sub_corpus in enumerate(self.plan):
                missing = [
                    name
                    for name in self.kind.retrievers
                    if self._key(sub_corpus, name) not in journal.values
                ]
                if missing:
                    self._measure(sub_corpus, missing, journal, done)
        return {
            "collection": self.collection.slug,
            "depth": DEPTH,
            "measures": [measure.name for measure in MEASURES],
            **asdict(self.kind),
            "queries": len(self.rows.queries),
            "left_out": self.rows.left_out._asdict(),
            "scopes": {scope: self._facts(scope) for scope in self._scopes()},
            "corpora": [
                {
                    **sub_corpus._asdict(),
                    "documents": self.rows.populations[sub_corpus.scope].documents(sub_corpus.size),
                    "means": {
                        name: journal.values[self._key(sub_corpus, name)]
                        for name in self.kind.retrievers
                    },
                }
                for sub_corpus in self.plan
            ],
        }

    def _scopes(self) -> Iterator[str]:
        return iter(dict.fromkeys(sub_corpus.scope for sub_corpus in self.plan))

    def _facts(self, scope: str) -> dict[str, int]:
        population = self.rows.populations[scope]
        return {
            "queries": len(self.rows.queries_of(scope)),
            "cited": len(population.cited),
            "population": len(population),
        }

    def _measure(
        self, sub_corpus: MeasuredCorpus, names: list[str], journal: Journal, done: int
    ) -> None:
        scope = sub_corpus.scope or "all fields"
        draw = f", draw {sub_corpus.draw}" if self.kind.draws > 1 else ""
        place = f"{scope}, {sub_corpus.size:,} documents{draw}"

        def report(note: str) -> None:
            self.work.progress(done, len(self.plan), f"{place}: {note}" if note else place)

        report("reading")
        # Hidden and locked, so that the next job removes it if this one is killed.
        with draft_folder(self.folder / "sub-corpus") as folder:
            self._write(sub_corpus, folder)
            measure_retrievers(
                folder,
                names,
                self.work,
                report=report,
                keep=lambda name, means: journal.add(self._key(sub_corpus, name), means),
            )

    def _write(self, sub_corpus: MeasuredCorpus, folder: Path) -> None:
        population = self.rows.populations[sub_corpus.scope]
        chosen = population.rows(sub_corpus, self.rows.docnos, self.collection.seed)
        write_texts(self.collection, self.rows.pks[chosen], folder / TEXTS, self.work)
        queries = self.rows.queries_of(sub_corpus.scope)
        write_queries(
            folder / QUERIES,
            ((each.docno, each.title, each.abstract, list(each.positives)) for each in queries),
        )
        self.collection.refresh_from_db(fields=["corpus_version"])
        if self.collection.corpus_version != self.corpus_version:
            raise CorpusChanged("sub-corpora were being measured")

    def _digest(self) -> str:
        """Of everything but the sub-corpus and the retriever that a measurement depends on."""
        collection = self.collection
        queries = [[query.docno, query.field, *query.positives] for query in self.rows.queries]
        made = [collection.pk, str(collection.created_at), self.corpus_version, collection.seed]
        return json_digest([self.kind.version, made, queries, DEPTH])[:16]

    def _key(self, sub_corpus: MeasuredCorpus, name: str) -> Key:
        population = self.rows.populations[sub_corpus.scope]
        return (
            sub_corpus.scope,
            population.documents(sub_corpus.size),
            population.draw_that_counts(sub_corpus),
            json_digest(description(retriever(name)))[:16],
        )
