"""Runs: what the built-in retrievers and other people's engines rank for the query papers."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.metering import meter_for
from corpus.models import QueryPaper
from jobs.models import Job
from jobs.services import enqueue
from jobs.space import DiskFull
from jobs.work import Work
from pooling.formats import (
    RankedList,
    RunFormatError,
    Scored,
    docnos_of,
    ranked,
    read_qrels,
    read_run,
)
from pooling.models import BuildRun, Ranking, Run
from pooling.retrievers import (
    EncoderMissing,
    Faceted,
    IndexCorrupt,
    IndexedText,
    NothingToIndex,
    Ranker,
    Retriever,
    index_key,
    is_retriever,
    seeded,
)
from pooling.services.asking import LONGEST_NAME, check_allowed, questions, retriever_named
from pooling.services.corpus import (
    ROWS,
    check_unchanged,
    corpus_digest,
    known_docnos,
    papers_of,
)
from pooling.services.errors import PoolingError
from pooling.services.run_files import Lists, lists_digest
from pooling.strategies import BUDGET

DEFAULT_DEPTH = 500
CITED = "cited"

logger = logging.getLogger(__name__)


@dataclass
class RunReport:
    """What was left out of a run on its way in."""

    lists: int = 0
    documents: int = 0
    duplicates: int = 0
    outside_corpus: int = 0
    query_papers_themselves: int = 0
    unknown_topics: int = 0
    unknown_topic_examples: list[str] = field(default_factory=list)
    query_papers_without_list: int = 0


def request_run(
    *, collection: Collection, name: str, depth: int = DEFAULT_DEPTH, requested_by: User | None
) -> Job:
    """Queue a retriever to rank every query paper.

    Raises:
        PoolingError: there is no such retriever or no such facet, or it is an encoder that may not
            be named here.
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


def retrieve(*, collection: Collection, name: str, depth: int, work: Work, digest: str = "") -> Run:
    """Let a retriever rank every query paper that has text, to the given depth.

    `name@facet` ranks the query papers that have a query under the facet, by its sentences alone.
    The index is built once per state of the corpus and kept in the artefact folder. `digest` is
    the corpus's, where the caller has just taken it.

    Raises:
        CorpusChanged: documents came, went or changed while the index was being built.
        PoolingError: no such retriever, nothing to index, no query papers.
    """
    chosen = seeded(retriever_named(collection, name), collection.seed)
    digest = digest or corpus_digest(collection)
    papers = papers_of(collection)
    ranked_papers = rank_papers(collection, chosen, papers, depth=depth, digest=digest, work=work)
    lists = {docno: RankedList.of(ranking) for docno, ranking in ranked_papers}
    made = Run(
        collection=collection,
        name=name,
        kind=chosen.kind,
        parameters={**chosen.parameters, "version": chosen.version, "corpus": digest},
        depth=depth,
    )
    report = RunReport(lists=len(lists), documents=sum(map(len, lists.values())))
    return keep_run(made, lists, report, work)


def rank_papers(
    collection: Collection,
    chosen: Retriever,
    papers: Iterable[QueryPaper],
    *,
    depth: int,
    digest: str,
    work: Work,
) -> Iterator[tuple[str, list[Scored]]]:
    """The docno and ranked list of every paper that the retriever can be asked about.

    Nothing is kept but the index. Raises what `retrieve` raises.
    """
    queries = list(questions(collection, chosen, papers).values())
    if not queries:
        raise PoolingError(
            f"There is no query paper with text for {chosen.name} yet; add a query first."
        )
    ranker = _opened_index(collection, chosen, digest, work)
    try:
        lists = ranker.rank(queries, depth, lambda _: None)
        for done, (docno, ranking) in enumerate(lists, start=1):
            yield docno, ranking
            work.progress(done, len(queries), f"{chosen.name}: query papers ranked")
    except EncoderMissing as error:  # its index may be older than this installation
        raise PoolingError(str(error)) from error


def open_index(*, collection: Collection, name: str, work: Work) -> Ranker:
    """The index of a retriever over the corpus as it is now; it is built when there is none.

    Raises:
        PoolingError: no such retriever, nothing to index, or the documents changed meanwhile.
    """
    chosen = seeded(retriever_named(collection, name), collection.seed)
    return _opened_index(collection, chosen, corpus_digest(collection), work)


def _opened_index(collection: Collection, chosen: Retriever, digest: str, work: Work) -> Ranker:
    # A facet changes what is asked, not what is indexed.
    chosen = chosen.base if isinstance(chosen, Faceted) else chosen
    # An encoder's name may be a path; a folder's name must not be one.
    name = re.sub(r"[^\w.-]+", "-", chosen.name)
    key = index_key(digest, chosen)
    folder = settings.ARTEFACT_DIR / collection.slug / "indexes" / f"{name}-{key}"
    if folder.exists():
        try:
            return chosen.open(folder)
        except IndexCorrupt as error:
            logger.warning("%s", error)  # building puts a good one in its place
    total = collection.documents.with_text().count()
    try:
        chosen.build(
            _indexed_texts(collection, digest, f"{chosen.name} was being built"),
            folder,
            lambda done: work.progress(done, total, f"{chosen.name}: documents indexed"),
        )
    except NothingToIndex as error:
        raise PoolingError(
            f"{chosen.name} cannot be built: {error}. Import documents first."
        ) from error
    except (EncoderMissing, DiskFull) as error:
        raise PoolingError(str(error)) from error
    return chosen.open(folder)


def _indexed_texts(collection: Collection, digest: str, what: str) -> Iterator[IndexedText]:
    """The documents with text. Raises CorpusChanged at their end if they are not `digest`'s."""
    documents = collection.documents.with_text().order_by("pk")
    # Instances of the model would take twice as long, for every index of every corpus.
    rows = documents.values_list("docno", "title", "sentences", "year", "references", "fields")
    for docno, title, sentences, year, references, fields in rows.iterator(chunk_size=ROWS):
        facts = (year, tuple(references), tuple(fields))
        yield IndexedText(docno, title, " ".join(sentences), *facts)
    # Here, and not when the index is built, because an index that is built is there for all to use.
    check_unchanged(collection, digest, what)


def import_run(
    *,
    collection: Collection,
    path: Path,
    filename: str,
    name: str,
    work: Work,
    qrels: bool = False,
) -> Run:
    """Read a TREC run file, plain or gzip; topics are query papers' docnos or query ids.

    With `qrels` the file holds judgments, and the run ranks what was judged relevant by its grade.

    The query paper itself, duplicates and documents outside the corpus are left out and counted.

    Raises:
        PoolingError: the name is a built-in retriever's; two topics are of one query paper; or
            nothing in the file fits the collection.
        RunFormatError: a malformed line, with file and line.
    """
    check_free(collection, name)
    work.progress(0, None, "reading the run file")
    try:
        meter = meter_for(work, size=path.stat().st_size, note="bytes of the file read")
        read = ranked((read_qrels if qrels else read_run)(path, name=filename, meter=meter))
    except RunFormatError as error:
        raise PoolingError(str(error)) from error
    report = RunReport(duplicates=read.duplicates)
    by_paper = _lists_by_paper(collection, read.lists, filename, report)
    lists = _without_strangers(collection, by_paper, report)
    if not any(lists.values()):
        raise PoolingError(
            f"{filename}: none of its documents is in {collection.slug}. "
            "Is this a run over another corpus?"
        )
    report.lists, report.documents = len(lists), sum(map(len, lists.values()))
    report.query_papers_without_list = len(papers_of(collection)) - len(lists)
    made = Run(
        collection=collection,
        name=name,
        kind="file",
        parameters={"file": filename, **({"qrels": True} if qrels else {})},
        depth=max(map(len, lists.values())),
    )
    return keep_run(made, lists, report, work)


def check_free(collection: Collection, name: str) -> None:
    """Raises PoolingError for a name that no imported run can have."""
    if is_retriever(name) or name in (CITED, BUDGET):
        raise PoolingError(f"{name!r} is the name of a built-in source; choose another.")
    if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise PoolingError(f"{name!r} cannot name a run: use letters, digits, '-', '_' and '.'.")
    if len(name) > LONGEST_NAME:
        raise PoolingError(
            f"{name!r} is too long: a run's name has at most {LONGEST_NAME} characters."
        )


def _lists_by_paper(
    collection: Collection,
    by_topic: Mapping[str, list[Scored]],
    filename: str,
    report: RunReport,
) -> dict[str, list[Scored]]:
    paper_of = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    paper_of |= {docno: docno for docno in set(paper_of.values())}
    topic_of: dict[str, str] = {}
    for topic in by_topic:
        paper = paper_of.get(topic)
        if paper is None:
            report.unknown_topics += 1
            report.unknown_topic_examples = [*report.unknown_topic_examples, topic][:3]
        elif paper in topic_of:
            raise PoolingError(
                f"{filename}: topics {topic_of[paper]} and {topic} are both of query paper "
                f"{paper}. A pool is shared by all facets; import one run per facet under a name "
                "of its own."
            )
        else:
            topic_of[paper] = topic
    if not topic_of:
        raise PoolingError(
            f"{filename}: none of its topics is a query paper or a query of {collection.slug} "
            f"(the first is {next(iter(by_topic))!r})."
        )
    return {paper: by_topic[topic] for paper, topic in topic_of.items()}


def _without_strangers(
    collection: Collection, lists: Mapping[str, list[Scored]], report: RunReport
) -> dict[str, list[Scored]]:
    known = known_docnos(collection, {one.docno for ranking in lists.values() for one in ranking})
    kept: dict[str, list[Scored]] = {}
    for paper, ranking in lists.items():
        report.query_papers_themselves += sum(one.docno == paper for one in ranking)
        report.outside_corpus += sum(one.docno not in known for one in ranking)
        kept[paper] = [one for one in ranking if one.docno in known and one.docno != paper]
    return kept


def keep_run(made: Run, lists: Lists, report: RunReport, work: Work) -> Run:
    """Store the run in one transaction, in place of an earlier one of its name.

    Raises:
        PoolingError: a frozen pool was drawn from the earlier one, or a query paper that was
            ranked is gone.
    """
    made.sha256 = lists_digest(lists)
    made.report = asdict(report)
    with work.fenced():
        collection = lock_collection(made.collection)
        earlier = collection.runs.filter(name=made.name).first()
        if earlier is not None and earlier.sha256 == made.sha256:
            Run.objects.filter(pk=earlier.pk).update(
                parameters=made.parameters, depth=made.depth, report=made.report
            )
            made = Run.objects.get(pk=earlier.pk)
        else:
            if earlier is not None:
                _make_way(earlier)
            _keep_new(made, lists)
        work.complete({"run": made.name, **made.report})
    return made


def _make_way(run: Run) -> None:
    """Free the run's name for a new run.

    A retriever has one name only, so its earlier run is retired where pools were drawn from it.
    Without that, no pool could be drawn for queries that are added after the first freezing.

    Raises:
        PoolingError: frozen pools were drawn from it, and it was imported. Its file can have
            another name, and two files under one name would hide which of them was pooled.
    """
    if run.is_imported or not run.build_runs.exists():
        remove_run(run=run)
    else:
        Run.objects.filter(pk=run.pk).update(retired_at=timezone.now())


def _keep_new(run: Run, lists: Lists) -> None:
    papers = {paper.document.docno: paper for paper in papers_of(run.collection)}
    if gone := sorted(set(lists) - set(papers)):
        raise PoolingError(
            f"The query paper {gone[0]} was removed while {run.name} was being made, so nothing of "
            "it was kept. Start it again."
        )
    run.save()
    Ranking.objects.bulk_create(
        (
            Ranking(
                run=run,
                query_paper=papers[docno],
                docnos=list(docnos_of(ranking)),
                scores=[one.score for one in ranking],
            )
            for docno, ranking in sorted(lists.items())
        ),
        batch_size=100,
    )


def remove_run(*, run: Run) -> None:
    """Delete a run and its lists. Draft pools that were drawn from it can no longer be frozen.

    Raises:
        PoolingError: a frozen pool was drawn from it.
    """
    with transaction.atomic():
        lock_collection(run.collection)
        uses = BuildRun.objects.filter(run=run)
        if uses.filter(build__pools__frozen_at__isnull=False).exists():
            raise PoolingError(
                f"Frozen pools were drawn from {run.name}, so it stays as it is. "
                "Import the new one under another name."
            )
        uses.update(run=None)
        run.delete()
