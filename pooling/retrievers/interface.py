"""What a retriever is. A new kind fits these protocols and gets a line in the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from pooling.formats import Scored

Field = Literal["title", "abstract", "text"]  # text: the title, a line break, the abstract
Progress = Callable[[int], None]


class IndexedText(NamedTuple):
    """A document as retrievers see it."""

    docno: str
    title: str
    abstract: str
    year: int | None = None
    references: tuple[str, ...] = ()  # docnos it cites, in the corpus or not
    fields: tuple[str, ...] = ()  # fields of study


class QueryText(NamedTuple):
    """A query paper as retrievers see it."""

    docno: str
    title: str
    abstract: str
    year: int | None = None
    references: tuple[str, ...] = ()  # docnos it cites, in the corpus or not
    fields: tuple[str, ...] = ()  # fields of study


class NothingToIndex(ValueError):
    """No document has a word in the field that is to be indexed."""


class DuplicateDocument(ValueError):
    """A docno came twice."""


class Ranker(Protocol):
    """An opened index."""

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """(query docno, ranked list) of every query, in the order of the queries.

        A list is in `trec_order`, has at most `depth` documents and never the query paper; where
        words are compared, documents that share none with it are left out. `progress` is told the
        number of queries done. Raises ValueError for a depth below 1.
        """


class Described(Protocol):
    """Something that is kept in a folder and known by what made it."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes whenever the same documents could be ranked differently."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """All that decides the ranking, as JSON values."""


class Retriever(Described, Protocol):
    """How documents are indexed and ranked. Says the same on every machine and in any order."""

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """Write an index of the documents into a new folder; in any order, each docno once.

        The folder appears only when it is complete. `progress` is told the number of documents
        indexed, and 0 now and then while they are being prepared. Raises DuplicateDocument and
        NothingToIndex.
        """

    def open(self, folder: Path) -> Ranker:
        """Open what `build` wrote. Raises IndexCorrupt when the folder is not exactly that."""


def field_of(document: IndexedText | QueryText, field: Field) -> str:
    """A field's text. In "text" the first line is the title, so that both can be had back."""
    if field == "text":
        return f"{' '.join(document.title.split())}\n{document.abstract}"
    return document.title if field == "title" else document.abstract


def check_depth(depth: int) -> None:
    """Raises ValueError for a depth below 1."""
    if depth < 1:
        raise ValueError(f"depth is {depth}; a list has room for at least 1 document")
