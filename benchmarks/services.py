"""Make a collection of a benchmark: documents, queries, frozen pools and published labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accounts.locking import lock_collection
from accounts.models import Collection, Role, User
from accounts.services import add_membership
from annotation.services import set_up_collection
from benchmarks.records import Benchmark, BenchmarkError, WithFields
from benchmarks.registry import BENCHMARKS
from corpus.digests import text_digest
from corpus.documents.import_options import DEFAULTS
from corpus.documents.importing import import_source
from corpus.facets import NO_FACETS
from corpus.formats.document_lines import Problem
from corpus.formats.topics import pasted_topic
from corpus.models import Document, Facet, Query, QueryPaper
from corpus.topics.importing import distinct_topics, write_topics
from jobs.context import DirectRun, JobContext
from pooling.services import freeze_pools
from pooling.services.imported import create_imported_pools
from scoring.models import PublishedLabels, PublishedLabelSet

BATCH = 500


@dataclass(frozen=True)
class BenchmarkReport:
    """The contents of the collection. `unchanged`: it had these files already.

    `without_text` documents are named by the benchmark, and no file has their text.
    """

    collection: str
    unchanged: bool
    documents: int
    without_text: int
    queries: int
    candidates: int
    labels: int
    notes: tuple[str, ...]


def import_benchmark(
    *,
    name: str,
    folder: Path,
    slug: str,
    admin: User | None = None,
    work: JobContext | None = None,
) -> BenchmarkReport:
    """Import the benchmark's files as a new collection. `admin` gets that role in it.

    The documents are written first. An import that is stopped after them goes on from there when
    it is started again. The same files again change nothing.

    Raises:
        BenchmarkError: the name is unknown, a file is not as published, or the collection has
            other contents.
        CorpusError, DocumentFormatError: a document is invalid.
    """
    if name not in BENCHMARKS:
        raise BenchmarkError(f"Unknown benchmark {name!r}. Use one of {', '.join(BENCHMARKS)}.")
    benchmark = BENCHMARKS[name](folder)
    collection = _collection(slug, benchmark)
    if admin is not None:
        add_membership(collection=collection, user=admin, role=Role.ADMIN)
    unchanged = _is_complete(collection, benchmark)
    if not unchanged:
        source = WithFields(benchmark.documents, benchmark.fields)
        with DirectRun() as reading:
            import_source(collection=collection, source=source, options=DEFAULTS, work=reading)
        _write(collection, benchmark, name, work or DirectRun())
    documents = collection.documents
    return BenchmarkReport(
        collection=slug,
        unchanged=unchanged,
        documents=documents.count(),
        without_text=documents.without_text().count(),
        queries=len(benchmark.pools),
        candidates=sum(map(len, benchmark.pools.values())),
        labels=sum(map(len, benchmark.grades.values())),
        notes=benchmark.notes,
    )


def _collection(slug: str, benchmark: Benchmark) -> Collection:
    """The new collection, or the one that a stopped import of the benchmark began."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        return set_up_collection(
            slug=slug,
            name=benchmark.title,
            description=benchmark.description,
            licence=benchmark.licence,
            corpus_licence=benchmark.licence,
            seed=slug,
            facets=NO_FACETS,
            highest_grade=benchmark.highest_grade,
            relevant_from=1,
        )
    began = collection.name == benchmark.title and not collection.pool_builds.exists()
    if not (began or _is_complete(collection, benchmark)):
        raise BenchmarkError(
            f"The collection {slug} exists and does not come from these files, so nothing was "
            "changed. Import them under another short name."
        )
    return collection


def _is_complete(collection: Collection, benchmark: Benchmark) -> bool:
    labels = PublishedLabelSet.objects.filter(collection=collection).first()
    return labels is not None and labels.files == benchmark.files


def _write(collection: Collection, benchmark: Benchmark, name: str, work: JobContext) -> None:
    """Queries, pools and labels in one transaction: all of them or none."""
    with work.fenced():
        collection = lock_collection(collection)
        (facet,) = collection.facets.all()
        documents = _documents(collection, benchmark)
        papers = _queries(collection, facet, benchmark, documents)
        without_text = collection.documents.without_text().values_list("pk", flat=True)
        create_imported_pools(
            collection=collection,
            documents={
                papers[query]: {documents[docno]: source for docno, source in pool.items()}
                for query, pool in benchmark.pools.items()
            },
            files=benchmark.files,
            built_by=None,
            origin=benchmark.title,
            forced=benchmark.forced,
            without_text=frozenset(without_text.order_by()),
        )
        freeze_pools(collection=collection)
        PublishedLabelSet.objects.create(
            collection=collection,
            benchmark=name,
            origin=benchmark.origin,
            files=dict(benchmark.files),
        )
        queries = dict(collection.queries.order_by().values_list("query_paper__name", "pk"))
        PublishedLabels.objects.bulk_create(
            (
                PublishedLabels(query_id=queries[query], grades=dict(grades))
                for query, grades in benchmark.grades.items()
            ),
            batch_size=BATCH,
        )
        work.complete({"queries": len(queries)})


def _documents(collection: Collection, benchmark: Benchmark) -> dict[str, int]:
    """The primary key of each document. Those that no file has become documents without a text."""
    stored = dict(collection.documents.order_by().values_list("docno", "pk"))
    named = {docno for pool in benchmark.pools.values() for docno in pool}
    if not benchmark.topics:
        named.update(benchmark.pools)
    missing = sorted(named - stored.keys())
    digest = text_digest("", [], [])
    Document.objects.bulk_create(
        (Document(collection=collection, docno=docno, digest=digest) for docno in missing),
        batch_size=BATCH,
    )
    if missing:
        stored = dict(collection.documents.order_by().values_list("docno", "pk"))
    return stored


def _queries(
    collection: Collection, facet: Facet, benchmark: Benchmark, documents: Mapping[str, int]
) -> dict[str, QueryPaper]:
    """The query paper of each query, which are topics or documents."""
    if benchmark.topics:
        try:
            topics = [pasted_topic(1, query, text) for query, text in benchmark.topics.items()]
        except Problem as problem:
            raise BenchmarkError(f"{benchmark.title} has an invalid query: {problem}") from problem
        filed = distinct_topics({benchmark.title: topics}, benchmark.title)
        write_topics(collection, facet, filed, benchmark.title)
    else:
        QueryPaper.objects.bulk_create(
            (
                QueryPaper(collection=collection, document_id=documents[name], name=name)
                for name in benchmark.pools
            ),
            batch_size=BATCH,
        )
    papers = {paper.name: paper for paper in collection.query_papers.order_by()}
    if not benchmark.topics:
        Query.objects.bulk_create(
            (
                Query(
                    collection=collection,
                    query_paper=papers[name],
                    facet=facet,
                    name=facet.query_name(name),
                )
                for name in benchmark.pools
            ),
            batch_size=BATCH,
        )
    return papers
