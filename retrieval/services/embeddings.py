"""Imports vectors and ranks by them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accounts.models import Collection
from corpus.documents.import_meter import meter_for
from corpus.formats.decompression import DAMAGED, Meter, TooLarge, damage, open_unpacked
from corpus.state import corpus_docnos, papers_with_queries
from jobs.context import JobContext
from retrieval.errors import RetrievalError
from retrieval.formats import Scored
from retrieval.models import Run
from retrieval.retrievers import METRICS, Metric, VectorsWrong
from retrieval.retrievers.dense import Vectors, rank_rows, zero_rows
from retrieval.services.runs import DEFAULT_DEPTH, RunReport, check_free, store_run

LOOKUP = 10_000  # docnos
LONGEST_DOCNO, LONGEST_LINE = 200, 65_536
EXAMPLES = 3


@dataclass
class EmbeddingsReport(RunReport):
    """The counts of a run by imported vectors."""

    vectors: int = 0
    vectors_outside_corpus: int = 0
    vectors_of_zeros: int = 0
    query_papers_without_vector: int = 0
    query_papers_without_vector_examples: list[str] = field(default_factory=list)


def import_embeddings(
    *,
    collection: Collection,
    vectors: Path,
    docnos: Path,
    name: str,
    metric: Metric = "cosine",
    work: JobContext,
    depth: int = DEFAULT_DEPTH,
    vectors_name: str = "",
    docnos_name: str = "",
) -> Run:
    """Rank every query paper that has a vector by its nearest neighbours, exactly.

    `vectors` is a .npy file of N × d floats (16, 32 or 64 bits, compared as 32). `docnos` is a
    UTF-8 text file of N docnos, one per line, in the order of the rows; plain or gzip. Both are
    read in chunks. Topics, documents outside the corpus and, by cosine, vectors of zeros are never
    ranked; the last two are counted. Errors use `vectors_name` and `docnos_name` instead of the
    names on the disk.

    Raises:
        RetrievalError: the name is reserved or invalid, a file is invalid (with its name and row or
            line), a docno is repeated, or no query paper has a vector.
    """
    check_free(collection, name)
    if metric not in METRICS:
        raise RetrievalError(f"Unknown metric {metric!r}. Use {' or '.join(METRICS)}.")
    if depth < 1:
        raise RetrievalError(f"Depth must be at least 1, got {depth}.")
    docnos_name = docnos_name or docnos.name
    try:
        rows = Vectors.of(vectors, vectors_name or vectors.name)
        meter = meter_for(work, size=None, note="bytes of docnos read")
        _check_size(rows, meter)
        names = read_docnos(docnos, docnos_name, meter)
        if len(names) != rows.rows:
            raise VectorsWrong(
                docnos_name,
                None,
                f"{len(names):,} docnos for the {rows.rows:,} rows of {rows.name}; write one per "
                "line, in the order of the rows",
            )
        zeros = _zeros(rows, work)
    except VectorsWrong as error:
        raise RetrievalError(f"{error}. Nothing was imported.") from error
    usable = ~zeros if metric == "cosine" else np.ones_like(zeros)
    report = EmbeddingsReport(vectors=rows.rows, vectors_of_zeros=int(zeros.sum()))
    row_of = _query_rows(collection, rows.name, names, usable, report)
    in_corpus = _in_corpus(collection, names, work)
    topics = sum(not in_corpus[row] for row in row_of.values())
    report.vectors_outside_corpus = int((~in_corpus).sum()) - topics
    lists = _rank(rows, names, row_of, in_corpus & usable, metric, depth, work)
    report.lists, report.documents = len(lists), sum(map(len, lists.values()))
    run = Run(
        collection=collection,
        name=name,
        kind="embeddings",
        parameters={
            "vectors": rows.name,
            "docnos": docnos_name,
            "metric": metric,
            "dimensions": rows.width,
        },
        depth=depth,
    )
    return store_run(run, lists, report, work)


def _check_size(rows: Vectors, meter: Meter) -> None:
    try:
        meter.count(rows.path.stat().st_size, 0)
    except TooLarge as error:
        raise VectorsWrong(rows.name, None, str(error)) from error


def read_docnos(path: Path, name: str, meter: Meter | None = None) -> list[str]:
    """Read one docno per line, without white space around it.

    Raises VectorsWrong, with the line, for an empty or repeated docno, and for a file that is not
    UTF-8 or is larger than the meter allows.
    """
    line_of: dict[str, int] = {}
    try:
        for number, docno in enumerate(_lines(path, meter), start=1):
            if not docno:
                raise VectorsWrong(name, number, "no docno; write a docno for every vector")
            if len(docno) > LONGEST_DOCNO:
                problem = f"{docno[:40]!r}… is too long for a docno; write one per line"
                raise VectorsWrong(name, number, problem)
            if docno in line_of:
                problem = f"{docno} is already in row {line_of[docno]:,}; remove one of the two"
                raise VectorsWrong(name, number, problem)
            line_of[docno] = number
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 ({error.reason}); save it as UTF-8 text"
        raise VectorsWrong(name, None, problem) from error
    except TooLarge as error:
        raise VectorsWrong(name, None, str(error)) from error
    except DAMAGED as error:
        raise VectorsWrong(name, None, damage(error)) from error
    except OSError as error:
        raise VectorsWrong(name, None, f"cannot be read ({error.strerror})") from error
    return list(line_of)


def _lines(path: Path, meter: Meter | None) -> Iterator[str]:
    with open_unpacked(path, meter) as stream:
        lines = io.TextIOWrapper(stream, encoding="utf-8-sig")
        # A binary file may have no line ends.
        while line := lines.readline(LONGEST_LINE):
            yield line.strip()


def _zeros(rows: Vectors, work: JobContext) -> NDArray[np.bool_]:
    """(rows,) whether a vector is all zeros; raises VectorsWrong like `zero_rows`."""
    zeros = np.zeros(rows.rows, dtype=bool)
    for first, is_zero in zero_rows(rows):
        zeros[first : first + len(is_zero)] = is_zero
        work.progress(first + len(is_zero), rows.rows, "vectors checked")
    return zeros


def _in_corpus(collection: Collection, names: Sequence[str], work: JobContext) -> NDArray[np.bool_]:
    """(rows,) whether the corpus has the document."""
    in_corpus: list[bool] = []
    stream = iter(names)
    while batch := list(islice(stream, LOOKUP)):
        corpus = corpus_docnos(collection, batch)
        in_corpus += [docno in corpus for docno in batch]
        work.progress(len(in_corpus), len(names), "docnos looked up")
    return np.array(in_corpus, dtype=bool)


def _query_rows(
    collection: Collection,
    file: str,
    names: Sequence[str],
    usable: NDArray[np.bool_],
    report: EmbeddingsReport,
) -> dict[str, int]:
    """The rows of the query papers with a usable vector, by docno; reports the other papers."""
    query_papers = papers_with_queries(collection)
    papers = [paper.name for paper in query_papers]
    topics = {paper.name for paper in query_papers if paper.is_topic}
    # A row whose id is both a docno and a topic's is the document's.
    paper_docnos = set(papers) - corpus_docnos(collection, topics)
    row_of = {
        docno: row for row, docno in enumerate(names) if docno in paper_docnos and usable[row]
    }
    without = [docno for docno in papers if docno not in row_of]
    report.query_papers_without_vector = report.query_papers_without_list = len(without)
    report.query_papers_without_vector_examples = without[:EXAMPLES]
    if not row_of:
        raise RetrievalError(_no_query_vectors(collection, file, papers))
    return {docno: row_of[docno] for docno in papers if docno in row_of}


def _rank(
    rows: Vectors,
    names: Sequence[str],
    row_of: Mapping[str, int],
    allowed: NDArray[np.bool_],
    metric: Metric,
    depth: int,
    work: JobContext,
) -> Mapping[str, list[Scored]]:
    queries = zip(row_of, rows.read_rows(list(row_of.values())), strict=True)
    lists: dict[str, list[Scored]] = {}
    for docno, ranking in rank_rows(
        rows, names, queries, depth, metric, allowed=allowed, tie_order=_docno_positions(names)
    ):
        lists[docno] = ranking
        work.progress(len(lists), len(row_of), "query papers ranked")
    return lists


def _no_query_vectors(collection: Collection, file: str, papers: Sequence[str]) -> str:
    if not papers:
        return "There are no queries yet. Add a query first."
    return (
        f"{file} has no usable vector for any query paper of {collection.slug} "
        f"(the first is {papers[0]}). Check that the vectors belong to this corpus."
    )


def _docno_positions(names: Sequence[str]) -> NDArray[np.int64]:
    """(rows,) the position of each row's docno in descending order, which ranks ties."""
    positions = np.empty(len(names), np.int64)
    order = sorted(range(len(names)), key=names.__getitem__, reverse=True)
    positions[order] = np.arange(len(names))
    return positions
