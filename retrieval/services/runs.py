"""Creates, imports and removes runs."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.documents.clashes import Clash, clash_message
from corpus.documents.first_rows import FirstRows, first_rows
from corpus.documents.import_meter import meter_for
from corpus.formats.file_kinds import FileKind, check_kind
from corpus.formats.sources import check_prefix
from corpus.models import QueryPaper
from corpus.state import (
    ROWS,
    check_unchanged,
    corpus_digest,
    corpus_docnos,
    papers_with_queries,
)
from jobs.context import JobContext
from jobs.models import Job
from jobs.services import enqueue
from retrieval.errors import RetrievalError
from retrieval.formats import (
    RankedList,
    RunFormatError,
    Scored,
    docnos_of,
    first_line_of,
    ranked,
    read_qrels,
    read_run,
)
from retrieval.models import Ranking, Run
from retrieval.retrievers import (
    EncoderMissing,
    Faceted,
    IndexCorrupt,
    IndexedText,
    NothingToIndex,
    Ranker,
    Retriever,
    index_key,
    is_retriever,
    with_seed,
)
from retrieval.run_names import RESERVED_NAMES
from retrieval.services.query_texts import LONGEST_NAME, check_allowed, query_texts, retriever_named
from retrieval.services.run_files import RankedLists, lists_digest
from web.disk import DiskFull
from web.words import count_noun

DEFAULT_DEPTH = 500
INSERTED_TOGETHER = 100  # lists
EXAMPLES = 20  # unknown ids that a report names
_PREFIX_HELP = "If its ids lack only the start of the ids here, give them a prefix"

logger = logging.getLogger(__name__)


@dataclass
class RunReport:
    """The counts of a run: what it has, and what was left out."""

    lists: int = 0
    documents: int = 0
    duplicates: int = 0
    outside_corpus: int = 0
    query_papers_themselves: int = 0
    unknown_topics: int = 0
    unknown_topic_examples: list[str] = field(default_factory=list)
    unknown_documents: list[str] = field(default_factory=list)  # the first EXAMPLES, in order
    query_papers_without_list: int = 0


def request_run(
    *, collection: Collection, name: str, depth: int = DEFAULT_DEPTH, requested_by: User | None
) -> Job:
    """Queue a job in which a retriever ranks every query paper.

    Raises:
        RetrievalError: unknown retriever or facet, or an encoder that is not in ENCODERS.
    """
    check_allowed(name)
    retriever_named(collection, name)
    return enqueue(
        kind="retrieve",
        collection=collection,
        parameters={"name": name, "depth": depth},
        requested_by=requested_by,
        key=f"run:{name}",
    )


def retrieve(
    *, collection: Collection, name: str, depth: int, work: JobContext, digest: str = ""
) -> Run:
    """Rank every query paper that has text, to the given depth, and store the run.

    `name@facet` ranks the query papers that have a query with the facet, by its sentences only.
    The index is built once per state of the corpus and kept in the artefact folder. `digest` is
    the digest of the corpus, if the caller has just computed it.

    Raises:
        CorpusChanged: documents were added, removed or changed while the index was being built.
        RetrievalError: unknown retriever, nothing to index, no query papers.
    """
    retriever = with_seed(retriever_named(collection, name), collection.seed)
    digest = digest or corpus_digest(collection)
    papers = papers_with_queries(collection)
    ranked_papers = rank_papers(
        collection, retriever, papers, depth=depth, digest=digest, work=work
    )
    lists = {docno: RankedList.of(ranking) for docno, ranking in ranked_papers}
    run = Run(
        collection=collection,
        name=name,
        kind=retriever.kind,
        parameters={**retriever.parameters, "version": retriever.version, "corpus": digest},
        depth=depth,
    )
    report = RunReport(lists=len(lists), documents=sum(map(len, lists.values())))
    return store_run(run, lists, report, work)


def rank_papers(
    collection: Collection,
    retriever: Retriever,
    papers: Iterable[QueryPaper],
    *,
    depth: int,
    digest: str,
    work: JobContext,
) -> Iterator[tuple[str, list[Scored]]]:
    """Yield (docno, ranked list) for every paper with a query text for the retriever.

    Only the index is stored. Raises like `retrieve`.
    """
    queries = list(query_texts(collection, retriever, papers).values())
    if not queries:
        raise RetrievalError(
            f"There is no query paper with text for {retriever.name} yet. Add a query first."
        )
    ranker = _open_index(collection, retriever, digest, work)
    try:
        lists = ranker.rank(queries, depth, lambda _: None)
        for done, (docno, ranking) in enumerate(lists, start=1):
            yield docno, ranking
            work.progress(done, len(queries), f"{retriever.name}: query papers ranked")
    except EncoderMissing as error:  # its index may be from another installation
        raise RetrievalError(str(error)) from error


def open_index(*, collection: Collection, name: str, work: JobContext) -> Ranker:
    """Open the index of a retriever over the current corpus; build it if it is missing.

    Raises:
        RetrievalError: unknown retriever, nothing to index, or the documents changed meanwhile.
    """
    retriever = with_seed(retriever_named(collection, name), collection.seed)
    return _open_index(collection, retriever, corpus_digest(collection), work)


def _open_index(
    collection: Collection, retriever: Retriever, digest: str, work: JobContext
) -> Ranker:
    # A facet changes the queries, not the index.
    retriever = retriever.base if isinstance(retriever, Faceted) else retriever
    # An encoder's name may be a path, and a folder's name must not have slashes.
    name = re.sub(r"[^\w.-]+", "-", retriever.name)
    key = index_key(digest, retriever)
    folder = settings.ARTEFACT_DIR / collection.slug / "indexes" / f"{name}-{key}"
    if folder.exists():
        try:
            return retriever.open(folder)
        except IndexCorrupt as error:
            logger.warning("%s", error)  # building replaces it
    total = collection.documents.with_text().count()
    try:
        retriever.build(
            indexed_texts(collection, digest, f"{retriever.name} was being built"),
            folder,
            lambda done: work.progress(done, total, f"{retriever.name}: documents indexed"),
        )
    except NothingToIndex as error:
        raise RetrievalError(
            f"{retriever.name} cannot be built: {error}. Import documents first."
        ) from error
    except (EncoderMissing, DiskFull) as error:
        raise RetrievalError(str(error)) from error
    return retriever.open(folder)


def indexed_texts(collection: Collection, digest: str, activity: str) -> Iterator[IndexedText]:
    """Yield the documents with text. At the end, raises CorpusChanged if their digest changed."""
    documents = collection.documents.with_text().order_by("pk")
    # Model instances would take twice as long.
    rows = documents.values_list("docno", "title", "sentences", "year", "references", "fields")
    for docno, title, sentences, year, references, fields in rows.iterator(chunk_size=ROWS):
        metadata = (year, tuple(references), tuple(fields))
        yield IndexedText(docno, title, " ".join(sentences), *metadata)
    # Checked before the index appears, because other jobs use it as soon as it does.
    check_unchanged(collection, digest, activity)


def import_run(
    *,
    collection: Collection,
    path: Path,
    filename: str,
    name: str,
    work: JobContext,
    qrels: bool = False,
    prefix: str = "",
    topic_prefix: str = "",
) -> Run:
    """Import a TREC run file, plain or gzip; a topic is a query paper's docno or a query's id.

    With `qrels` the file has judgments, and the run ranks the relevant documents by grade.
    `prefix` is put before every docno of the file, and `topic_prefix` before every topic.

    The query paper itself, duplicates and documents outside the corpus are left out and counted.

    Raises:
        RetrievalError: the name is reserved or invalid, a line is invalid (with file and line), two
            topics belong to the same query paper, or no topic or document is in the collection.
        SourceError: a prefix has white space.
    """
    file = RunFile(path, filename, name)
    options = RunOptions(qrels, prefix, topic_prefix)
    return store_run(*_read_run(collection, file, options, work), work)


def check_run(
    *, collection: Collection, file: RunFile, options: RunOptions, work: JobContext
) -> tuple[FirstRows, RunReport]:
    """The first rows of the file, and the report of its import. Raises like `import_run`."""
    _, lists, report = _read_run(collection, file, options, work)
    rows = (
        (paper, docno, rank, score)
        for paper, ranking in lists.items()
        for rank, (docno, score) in enumerate(ranking, start=1)
    )
    return first_rows(("query", "docno", "rank", "score"), rows), report


class RunFile(NamedTuple):
    """A file to import: its path, its name in messages, and the name of its run."""

    path: Path
    filename: str
    name: str


class RunOptions(NamedTuple):
    """Options for reading run files; see `import_run`."""

    qrels: bool = False
    prefix: str = ""
    topic_prefix: str = ""


def import_runs(
    *, collection: Collection, files: Sequence[RunFile], options: RunOptions, work: JobContext
) -> list[Run]:
    """Import every file as a run of its own, or none of them. Raises like `import_run`."""
    check_names(collection, [file.name for file in files])
    read_runs = [_read_run(collection, file, options, work) for file in files]
    with transaction.atomic():
        lock_collection(collection)
        return [store_run(*read, work) for read in read_runs]


class _TopicsClash(Exception):
    """Topics of a run are of a query paper that another topic has. `topic` is the first."""

    def __init__(self, topic: str, reason: str, number: int) -> None:
        self.topic, self.reason, self.number = topic, reason, number
        super().__init__(topic)

    def message(self, filename: str, line: int | None) -> str:
        return clash_message(
            filename,
            summary=f"{count_noun(self.number, 'topic')} {'is' if self.number == 1 else 'are'} of "
            "a query paper that another topic has already.",
            first=Clash(filename, line, "topic", self.topic, f"which is {self.reason}"),
            advice="A pool is shared by all facets. Import a run per facet, each under its own "
            "name. Where a paper has queries by sentences, too, import a run for each name.",
        )


def _read_run(
    collection: Collection, file: RunFile, options: RunOptions, work: JobContext
) -> tuple[Run, RankedLists, RunReport]:
    """The run of the file, its lists and its report. Nothing is written."""
    path, filename, name = file
    qrels, prefix, topic_prefix = options
    check_free(collection, name)
    check_prefix(prefix)
    check_prefix(topic_prefix)
    work.progress(0, None, "reading the run file")
    check_kind(path, name=filename, wanted=FileKind.QRELS if qrels else FileKind.RUN)
    try:
        meter = meter_for(work, size=path.stat().st_size, note="bytes of the file read")
        run_file = ranked((read_qrels if qrels else read_run)(path, name=filename, meter=meter))
    except RunFormatError as error:
        raise RetrievalError(str(error)) from error
    report = RunReport(duplicates=run_file.duplicates)
    by_topic = _prefixed(run_file.lists, prefix, topic_prefix)
    try:
        by_paper = _lists_by_paper(collection, by_topic, filename, report)
    except _TopicsClash as clash:
        line = first_line_of(path, clash.topic.removeprefix(topic_prefix), name=filename)
        raise RetrievalError(clash.message(filename, line)) from clash
    lists = _without_unknown_documents(collection, by_paper, report)
    if not any(lists.values()):
        raise RetrievalError(
            f"{filename}: none of its documents is in {collection.slug}. "
            f"Is this a run over another corpus? {_PREFIX_HELP} (--prefix)."
        )
    report.lists, report.documents = len(lists), sum(map(len, lists.values()))
    report.query_papers_without_list = len(papers_with_queries(collection)) - len(lists)
    run = Run(
        collection=collection,
        name=name,
        kind="file",
        parameters={
            "file": filename,
            **({"qrels": True} if qrels else {}),
            **({"prefix": prefix} if prefix else {}),
            **({"topic_prefix": topic_prefix} if topic_prefix else {}),
        },
        depth=max(map(len, lists.values())),
    )
    return run, lists, report


def check_names(collection: Collection, names: Sequence[str]) -> None:
    """Raises RetrievalError for a name that an imported run cannot have, or that occurs twice."""
    for name in names:
        check_free(collection, name)
        if names.count(name) > 1:
            raise RetrievalError(f"Two files would become the run {name}. Rename one of them.")


def check_free(collection: Collection, name: str) -> None:
    """Raises RetrievalError for a name that an imported run cannot have."""
    if is_retriever(name) or name in RESERVED_NAMES:
        raise RetrievalError(f"{name!r} is the name of a built-in source; choose another name.")
    if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise RetrievalError(
            f"{name!r} is not a valid name. Use letters, digits, '-', '_' and '.'."
        )
    if len(name) > LONGEST_NAME:
        raise RetrievalError(
            f"{name!r} is too long: a run's name has at most {LONGEST_NAME} characters."
        )


def _prefixed(
    lists: Mapping[str, RankedList], prefix: str, topic_prefix: str
) -> dict[str, RankedList]:
    docnos: dict[str, str] = {}  # each is held once

    def prefixed(docno: str) -> str:
        return docnos.setdefault(docno, prefix + docno)

    return {
        topic_prefix + topic: RankedList(list(map(prefixed, ranking.docnos)), ranking.scores)
        if prefix
        else ranking
        for topic, ranking in lists.items()
    }


def _lists_by_paper(
    collection: Collection,
    by_topic: Mapping[str, RankedList],
    filename: str,
    report: RunReport,
) -> dict[str, RankedList]:
    if not by_topic:
        raise RetrievalError(
            f"{filename}: no line has a grade above 0, so there is nothing to import. Known "
            "positives need a positive grade."
        )
    paper_of = dict(collection.queries.values_list("name", "query_paper__name"))
    paper_of |= {docno: docno for docno in set(paper_of.values())}
    topic_of: dict[str, str] = {}
    clashes: list[tuple[str, str]] = []
    for topic in by_topic:
        paper = paper_of.get(topic)
        if paper is None:
            report.unknown_topics += 1
            report.unknown_topic_examples = [*report.unknown_topic_examples, topic][:EXAMPLES]
        elif paper in topic_of:
            clashes.append((topic, f"of the query paper {paper}, as is topic {topic_of[paper]}"))
        else:
            topic_of[paper] = topic
    if clashes:
        raise _TopicsClash(*clashes[0], len(clashes))
    if not topic_of:
        raise RetrievalError(
            f"{filename}: none of its topics is a query paper or a query of {collection.slug} "
            f"(the first is {next(iter(by_topic))!r}). {_PREFIX_HELP} (--topic-prefix)."
        )
    return {paper: by_topic[topic] for paper, topic in topic_of.items()}


def _without_unknown_documents(
    collection: Collection, lists: Mapping[str, RankedList], report: RunReport
) -> dict[str, RankedList]:
    named = {docno for ranking in lists.values() for docno in ranking.docnos}
    corpus = corpus_docnos(collection, named)
    topics = set(collection.query_papers.filter(topic__isnull=False).values_list("name", flat=True))
    lists_in_corpus: dict[str, RankedList] = {}
    for paper, ranking in lists.items():
        own = None if paper in topics else paper
        themselves = sum(docno == own for docno in ranking.docnos)
        report.query_papers_themselves += themselves
        unknown = [docno for docno in ranking.docnos if docno not in corpus]
        report.outside_corpus += len(unknown)
        report.unknown_documents = list(
            dict.fromkeys([*report.unknown_documents, *unknown[:EXAMPLES]])
        )[:EXAMPLES]
        if unknown or themselves:
            ranking = RankedList.of(
                scored for scored in ranking if scored.docno in corpus and scored.docno != own
            )
        lists_in_corpus[paper] = ranking
    return lists_in_corpus


def store_run(run: Run, lists: RankedLists, report: RunReport, work: JobContext) -> Run:
    """Store the run in a transaction; it replaces the previous run with its name.

    Raises:
        RetrievalError: a frozen pool was built from the previous run, or a ranked query paper was
            removed.
    """
    run.sha256 = lists_digest(lists)
    run.report = asdict(report)
    with work.fenced():
        collection = lock_collection(run.collection)
        previous = collection.runs.filter(name=run.name).first()
        if previous is not None and previous.sha256 == run.sha256:
            Run.objects.filter(pk=previous.pk).update(
                parameters=run.parameters, depth=run.depth, report=run.report
            )
            run = Run.objects.get(pk=previous.pk)
        else:
            if previous is not None:
                _free_name(previous)
            _insert_run(run, lists)
        work.complete({"run": run.name, **run.report})
    return run


def _free_name(run: Run) -> None:
    """Free the run's name for a new run.

    A retriever has a single name, so its previous run is retired if pools were built from it.
    Otherwise no pool could be built for queries that are added after the first freezing.

    Raises:
        RetrievalError: frozen pools were built from it, and it was imported. An import can use
            another name, and two files under the same name would hide which of them was pooled.
    """
    if run.is_imported or not run.is_referred_to():
        remove_run(run=run)
    else:
        Run.objects.filter(pk=run.pk).update(retired_at=timezone.now())


def _insert_run(run: Run, lists: RankedLists) -> None:
    papers = {paper.name: paper for paper in papers_with_queries(run.collection)}
    if removed_papers := sorted(set(lists) - set(papers)):
        raise RetrievalError(
            f"The query paper {removed_papers[0]} was removed while {run.name} was being "
            "ranked, so nothing was saved. Start it again."
        )
    run.save()
    rows = (
        Ranking(
            run=run,
            query_paper=papers[docno],
            docnos=list(docnos_of(ranking)),
            scores=[scored.score for scored in ranking],
        )
        for docno, ranking in sorted(lists.items())
    )
    # `bulk_create` would hold all rows.
    while batch := list(islice(rows, INSERTED_TOGETHER)):
        Ranking.objects.bulk_create(batch)


def remove_run(*, run: Run) -> None:
    """Delete a run and its lists. Draft pools that were built from it can no longer be frozen.

    Raises:
        RetrievalError: a frozen pool was built from it.
    """
    with transaction.atomic():
        lock_collection(run.collection)
        try:
            run.delete()
        except ProtectedError as error:
            raise RetrievalError(
                f"Frozen pools were drawn from {run.name}, so it cannot be replaced or "
                "removed. Import the new run under another name."
            ) from error
