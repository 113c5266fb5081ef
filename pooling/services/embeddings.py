"""Runs from vectors that somebody computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accounts.models import Collection
from jobs.work import Work
from pooling.formats import Scored
from pooling.models import Run
from pooling.retrievers import METRICS, Metric, VectorsWrong
from pooling.retrievers.dense import Vectors, checked, rank_rows
from pooling.services.corpus import known_docnos, papers_of
from pooling.services.errors import PoolingError
from pooling.services.runs import DEFAULT_DEPTH, RunReport, check_free, keep_run

LOOKUP = 10_000  # docnos
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
    text file of N docnos, one a line, in the order of the rows. Both are read a part at a time.
    Documents outside the corpus are never ranked, nor, by cosine, vectors of zeros; both are
    counted. The names are what errors call the files, where those on disk are not to be told.

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
        names = read_docnos(docnos, docnos_name)
        if len(names) != rows.rows:
            raise VectorsWrong(
                docnos_name,
                None,
                f"{len(names):,} docnos for the {rows.rows:,} rows of {rows.name}",
            )
        zeros = _zeros(rows, work)
    except VectorsWrong as error:
        raise PoolingError(f"{error}. Nothing was imported.") from error
    allowed = _in_corpus(collection, names, work)
    report = EmbeddingsReport(
        vectors=rows.rows,
        vectors_outside_corpus=int((~allowed).sum()),
        vectors_of_zeros=int(zeros.sum()),
    )
    if metric == "cosine":
        allowed &= ~zeros
    lists = _ranked(collection, rows, names, allowed, metric, depth, report, work)
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


def read_docnos(path: Path, name: str) -> list[str]:
    """One docno a line; white space around it does not count.

    Raises VectorsWrong, with the line, for an empty one, one that came before, or not UTF-8.
    """
    line_of: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                docno = line.strip()
                if not docno:
                    raise VectorsWrong(name, number, "no docno; there must be one for every vector")
                if docno in line_of:
                    raise VectorsWrong(
                        name, number, f"{docno} came before, in row {line_of[docno]:,}"
                    )
                line_of[docno] = number
    except UnicodeDecodeError as error:
        raise VectorsWrong(name, None, f"not UTF-8 ({error.reason})") from error
    except OSError as error:
        raise VectorsWrong(name, None, f"cannot be read ({error.strerror})") from error
    return list(line_of)


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


def _ranked(
    collection: Collection,
    rows: Vectors,
    names: Sequence[str],
    allowed: NDArray[np.bool_],
    metric: Metric,
    depth: int,
    report: EmbeddingsReport,
    work: Work,
) -> Mapping[str, list[Scored]]:
    papers = [paper.document.docno for paper in papers_of(collection)]
    row_of = {docno: row for row, docno in enumerate(names) if allowed[row]}
    asked = [docno for docno in papers if docno in row_of]
    without = [docno for docno in papers if docno not in row_of]
    report.query_papers_without_vector = len(without)
    report.query_papers_without_vector_examples = without[:EXAMPLES]
    report.query_papers_without_list = len(without)
    if not asked:
        raise PoolingError(_nobody_asked(collection, rows.name, papers))
    queries = zip(asked, rows.take([row_of[docno] for docno in asked]), strict=True)
    lists: dict[str, list[Scored]] = {}
    for docno, ranking in rank_rows(
        rows, names, queries, depth, metric, allowed=allowed, places=_docno_places(names)
    ):
        lists[docno] = ranking
        work.progress(len(lists), len(asked), "query papers ranked")
    report.lists, report.documents = len(lists), sum(map(len, lists.values()))
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
