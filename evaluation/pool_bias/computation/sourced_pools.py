"""Pools with the sources that found each document, and labels without some sources. Pure.

A source found a document if it drew it, or has it no deeper than the deepest rank it drew from in
that pool. This is the definition of `adjudication.retriever_yield`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from adjudication.retriever_yield import SourceCandidate

Qrels = Mapping[str, Mapping[str, int]]  # query, docno, grade


class SourcedDocument(NamedTuple):
    """`drawer` is the source that drew it, `finders` all that found it, `has` all that list it."""

    docno: str
    drawer: str
    finders: frozenset[str]
    has: frozenset[str]
    is_forced: bool


class SourcedPool(NamedTuple):
    """The pool of a query paper, in the order drawn, and the names of its queries."""

    paper: str
    queries: tuple[str, ...]
    documents: tuple[SourcedDocument, ...]

    @property
    def sources(self) -> set[str]:
        return {source for document in self.documents for source in document.has}

    @property
    def docnos(self) -> list[str]:
        return [document.docno for document in self.documents]

    def only_found_by(self, group: Collection[str]) -> set[str]:
        """The documents that no source outside the group found."""
        names = frozenset(group)
        return {
            document.docno
            for document in self.documents
            if document.finders and document.finders <= names
        }

    def drawn_by(self, group: Collection[str]) -> set[str]:
        """The documents that a source of the group drew, also if other sources found them."""
        return {document.docno for document in self.documents if document.drawer in group}


def sources_of(pools: Iterable[SourcedPool]) -> list[str]:
    return sorted({source for pool in pools for source in pool.sources})


def source_candidates(pools: Iterable[SourcedPool]) -> Iterable[SourceCandidate]:
    """The pools as `adjudication.retriever_yield.yields` reads them."""
    for pool in pools:
        for document in pool.documents:
            for source in document.has:
                yield SourceCandidate(
                    source,
                    (pool.paper, document.docno),
                    drawn=source == document.drawer,
                    found=source in document.finders,
                )


def grades_by_pair(pools: Iterable[SourcedPool], qrels: Qrels) -> dict[tuple[str, str], list[int]]:
    """The final grades of each query paper's documents, one for each of its queries."""
    grades: dict[tuple[str, str], list[int]] = {}
    for pool in pools:
        for query in pool.queries:
            for docno, grade in qrels.get(query, {}).items():
                grades.setdefault((pool.paper, docno), []).append(grade)
    return grades
