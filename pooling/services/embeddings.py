"""Runs from vectors that somebody computed elsewhere."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accounts.models import Collection
from corpus.metering import meter_for
from corpus.unpacking import Meter, TooLarge, unpacked
from jobs.work import Work
from pooling.formats import Scored
from pooling.models import Run
from pooling.retrievers import METRICS, Metric, VectorsWrong
from pooling.retrievers.dense import Vectors, checked, rank_rows
from pooling.services.corpus import known_docnos, papers_of
from pooling.services.errors import PoolingError
from pooling.services.runs import DEFAULT_DEPTH, RunReport, check_free, keep_run

LOOKUP = 10_000  # docnos
LONGEST_DOCNO, LONGEST_LINE = 200, 65_536
EXAMPLES = 3


@dataclass
class EmbeddingsReport(RunReport):
    """What was left out of a run by imported vectors."""

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
    work: Work,
    depth: int = DEFAULT_DEPTH,
    vectors_name: str = "",
    docnos_name: str = "",
) -> Run:
    """Rank every query paper that has a vector by its nearest neighbours, exactly.

    `vectors` is a .npy file of N × d floats (16, 32 or 64 bits, compared as 32), `docnos` a UTF-8
    text file of N docnos, plain or gzip, one a line, in the order of the rows. Both are read a part
    at a time. Documents outside the corpus are never ranked, nor are topics, nor, by cosine,
    vectors of zeros; the first and the last are counted. The names are what errors call the files,
    where those on disk are not to be told.

    Raises:
        PoolingError: the name is taken or impossible, a file is not as above (with its name and
            row or line), a docno comes twice, or no query paper has a vector.
    """
    check_free(collection, name)
    if metric not in METRICS:
        raise PoolingError(f"No metric {metric!r}; choose {' or '.join(METRICS)}.")
    if depth < 1:
        raise PoolingError(f"Depth {depth} leaves no room for a document; say 1 or more.")
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
                f"{len(names):,} docnos for the {rows.rows:,} rows of {rows.name}; write one a "
                "line, in the order of the rows",
            )
        zeros = _zeros(rows, work)
    except VectorsWrong as error:
        raise PoolingError(f"{error}. Nothing was imported.") from error
    usable = ~zeros if metric == "cosine" else np.ones_like(zeros)
    report = EmbeddingsReport(vectors=rows.rows, vectors_of_zeros=int(zeros.sum()))
    row_of = _rows_to_ask(collection, rows.name, names, usable, report)
    in_corpus = _in_corpus(collection, names, work)
    topics = sum(not in_corpus[row] for row in row_of.values())
    report.vectors_outside_corpus = int((~in_corpus).sum()) - topics
    lists = _ranked(rows, names, row_of, in_corpus & usable, metric, depth, work)
    report.lists, report.documents = len(lists), sum(map(len, lists.values()))
    made = Run(
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
    return keep_run(made, lists, report, work)


def _check_size(rows: Vectors, meter: Meter) -> None:
    try:
        meter.count(rows.path.stat().st_size, 0)
    except TooLarge as error:
        raise VectorsWrong(rows.name, None, str(error)) from error


def read_docnos(path: Path, name: str, meter: Meter | None = None) -> list[str]:
    """One docno a line; white space around it does not count.

    Raises VectorsWrong, with the line, for an empty one, one that came before, not UTF-8, or more
    than the meter allows.
    """
    line_of: dict[str, int] = {}
    try:
        for number, docno in enumerate(_lines(path, meter), start=1):
            if not docno:
                raise VectorsWrong(name, number, "no docno; there must be one for every vector")
            if len(docno) > LONGEST_DOCNO:
                problem = f"{docno[:40]!r}… is too long for a docno; write one a line"
                raise VectorsWrong(name, number, problem)
            if docno in line_of:
                problem = f"{docno} came before, in row {line_of[docno]:,}; keep one of the two"
                raise VectorsWrong(name, number, problem)
            line_of[docno] = number
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 ({error.reason}); save it as UTF-8 text"
        raise VectorsWrong(name, None, problem) from error
    except TooLarge as error:
        raise VectorsWrong(name, None, str(error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problem = f"the gzip data are damaged or cut short ({error}); pack it again"
        raise VectorsWrong(name, None, problem) from error
    except OSError as error:
        raise VectorsWrong(name, None, f"cannot be read ({error.strerror})") from error
    return list(line_of)


def _lines(path: Path, meter: Meter | None) -> Iterator[str]:
    with unpacked(path, meter) as stream:
        lines = io.TextIOWrapper(stream, encoding="utf-8-sig")
        # A binary file by mistake may be one line without an end.
        while line := lines.readline(LONGEST_LINE):
            yield line.strip()


def _zeros(rows: Vectors, work: Work) -> NDArray[np.bool_]:
    """(rows,) whether a vector is all zeros; raises VectorsWrong for numbers that are none."""
    zeros = np.zeros(rows.rows, dtype=bool)
    for first, some in checked(rows):
        zeros[first : first + len(some)] = some
        work.progress(first + len(some), rows.rows, "vectors checked")
    return zeros


def _in_corpus(collection: Collection, names: Sequence[str], work: Work) -> NDArray[np.bool_]:
    """(rows,) whether the corpus has the document."""
    known: list[bool] = []
    stream = iter(names)
    while some := list(islice(stream, LOOKUP)):
        there = known_docnos(collection, some)
        known += [docno in there for docno in some]
        work.progress(len(known), len(names), "docnos looked up")
    return np.array(known, dtype=bool)


def _rows_to_ask(
    collection: Collection,
    file: str,
    names: Sequence[str],
    usable: NDArray[np.bool_],
    report: EmbeddingsReport,
) -> dict[str, int]:
    """The row of each query paper that has a usable vector, by docno; the others are reported."""
    papers = [paper.document.docno for paper in papers_of(collection)]
    wanted = set(papers)
    row_of = {docno: row for row, docno in enumerate(names) if docno in wanted and usable[row]}
    without = [docno for docno in papers if docno not in row_of]
    report.query_papers_without_vector = report.query_papers_without_list = len(without)
    report.query_papers_without_vector_examples = without[:EXAMPLES]
    if not row_of:
        raise PoolingError(_nobody_asked(collection, file, papers))
    return {docno: row_of[docno] for docno in papers if docno in row_of}


def _ranked(
    rows: Vectors,
    names: Sequence[str],
    row_of: Mapping[str, int],
    allowed: NDArray[np.bool_],
    metric: Metric,
    depth: int,
    work: Work,
) -> Mapping[str, list[Scored]]:
    queries = zip(row_of, rows.take(list(row_of.values())), strict=True)
    lists: dict[str, list[Scored]] = {}
    for docno, ranking in rank_rows(
        rows, names, queries, depth, metric, allowed=allowed, places=_docno_places(names)
    ):
        lists[docno] = ranking
        work.progress(len(lists), len(row_of), "query papers ranked")
    return lists


def _nobody_asked(collection: Collection, file: str, papers: Sequence[str]) -> str:
    if not papers:
        return "There are no queries yet; add one first, so that there is something to rank."
    return (
        f"{file} has a usable vector for none of the query papers of {collection.slug} "
        f"(the first is {papers[0]}). Are these vectors of another corpus?"
    )


def _docno_places(names: Sequence[str]) -> NDArray[np.int64]:
    """(rows,) the place of each row's docno among all, docno descending: how ties are ranked."""
    places = np.empty(len(names), np.int64)
    order = sorted(range(len(names)), key=names.__getitem__, reverse=True)
    places[order] = np.arange(len(names))
    return places
