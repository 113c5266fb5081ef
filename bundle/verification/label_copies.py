"""Comparisons of the files of a layout with the labels that they repeat. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from bundle.names import QRELS
from bundle.reading.opened import BundleError, OpenedBundle
from bundle.verification.data import ReleaseData
from bundle.verification.failures import CannotCheck, Failure

Row = tuple[int | None, str, str, int]  # line, query, docno, grade


def same_labels(
    data: ReleaseData, file: str, rows: Iterable[Row], queries: Container[str]
) -> Iterator[Failure]:
    """Rows of a file that differ from the qrels, and labels of these queries that it lacks."""
    found: dict[str, set[str]] = {}
    for query, of_query in groupby(rows, itemgetter(1)):
        labels = data.labels.get(query, {})
        docnos = found.setdefault(data.once(query), set())
        is_here = query in queries
        for line, _, docno, grade in of_query:
            expected = labels.get(docno)
            if not is_here:
                yield Failure(file, line, f"the labels of {query} are not for this file.")
            elif expected is None:
                yield Failure(file, line, f"{query} {docno} has no label in {QRELS}.")
            elif expected != grade:
                reason = f"{query} {docno} has the label {grade}, in {QRELS} {expected}."
                yield Failure(file, line, reason)
            if docno in docnos:
                yield Failure(file, line, f"{query} {docno} has a second label.")
            docnos.add(data.once(docno))
    for query, labels in data.labels.items():
        if query in queries:
            for docno in sorted(labels.keys() - found.get(query, set())):
                yield Failure(file, None, f"{query} {docno} is missing.")


def wrong_documents(data: ReleaseData, file: str, docnos: Iterable[str]) -> Iterator[Failure]:
    """Documents of a corpus that the release does not have, and labelled ones that it lacks."""
    labelled = {docno for labels in data.labels.values() for docno in labels}
    yield from _wrong_ids(file, docnos, data.docnos, labelled)


def wrong_queries(data: ReleaseData, file: str, queries: Iterable[str]) -> Iterator[Failure]:
    """Queries that the release does not have, and labelled ones with a text that it lacks.

    Without texts of documents, these are the queries of topics.
    """
    needed = set(data.labels)
    if not data.manifest.options.texts.included:
        topics = {name for name, paper in data.papers.items() if paper.topic is not None}
        needed = {query for query in needed if data.paper_of.get(query) in topics}
    yield from _wrong_ids(file, queries, data.queries, needed)


def _wrong_ids(
    file: str, ids: Iterable[str], known: Container[str], needed: set[str]
) -> Iterator[Failure]:
    found: set[str] = set()
    for identifier in ids:
        if identifier in found:
            yield Failure(file, None, f"{identifier!r} is there twice.")
        elif identifier not in known:
            yield Failure(file, None, f"{identifier!r} is unknown.")
        found.add(identifier)
    for identifier in sorted(needed - found):
        yield Failure(file, None, f"{identifier!r} is missing.")


def labelled_queries(data: ReleaseData, facet: str) -> set[str]:
    """The labelled queries of a facet; all of them without one."""
    return {query for query in data.labels if not facet or data.facet_of(query) == facet}


def require_folder(bundle: OpenedBundle, folder: str) -> None:
    """Raise CannotCheck if the release has no file in the folder."""
    if not any(name.startswith(folder) for name in bundle.names):
        raise CannotCheck(f"the release has no {folder}")


def varying_names(bundle: OpenedBundle, start: str, end: str) -> Iterator[tuple[str, str]]:
    """The files with names between `start` and `end`, and that part; none in a deeper folder."""
    for name in sorted(bundle.names):
        part = name.removeprefix(start).removesuffix(end)
        if name == f"{start}{part}{end}" and "/" not in part:
            yield name, part


def read_grade(text: str, name: str, line: int | None) -> int:
    """The grade in a cell. Raises BundleError."""
    if not (text.isascii() and text.isdigit()):
        raise BundleError(name, line, f"the grade must be a whole number, got {text[:60]!r}.")
    return int(text[:9])
