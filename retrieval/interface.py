"""The protocols of a retriever. A new kind implements them and gets a line in the registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from retrieval.formats import Scored

Field = Literal["title", "abstract", "text"]  # text: the title, a line break, the abstract
Progress = Callable[[int], None]


class IndexedText(NamedTuple):
    """A document, as retrievers receive it."""

    docno: str
    title: str
    abstract: str
    year: int | None = None
    references: tuple[str, ...] = ()  # docnos it cites, in the corpus or not
    fields: tuple[str, ...] = ()  # fields of study


class QueryText(NamedTuple):
    """A query paper, as retrievers receive it: a document, or a topic.

    `docno` is the id of its list. The id of a topic may be the docno of a document that has nothing
    to do with it.
    """

    docno: str
    title: str
    abstract: str
    year: int | None = None
    references: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    is_topic: bool = False

    def is_own(self, docno: str) -> bool:
        """Return whether this is the query paper's own document, which its list never has."""
        return docno == self.docno and not self.is_topic


class NothingToIndex(ValueError):
    """No document has a word in the indexed field."""


class DuplicateDocument(ValueError):
    """Two documents have the same docno."""


class Ranker(Protocol):
    """An opened index."""

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """Yield (query docno, ranked list) for every query, in the order of the queries.

        A list is in `trec_order`, has at most `depth` documents and never the query paper.
        Retrievers that compare words leave out documents that share no word with it. `progress`
        gets the number of finished queries. Raises ValueError for a depth below 1.
        """


class PaperRanker(ABC):
    """An opened index that ranks for each query paper by itself."""

    @abstractmethod
    def best(self, query: QueryText, depth: int) -> list[Scored]:
        """The ranked list of a query paper, without its own document, or longer."""

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """See Ranker.rank."""
        check_depth(depth)
        for done, query in enumerate(queries, start=1):
            yield query.docno, self.best(query, depth)[:depth]
            progress(done)


class Described(Protocol):
    """An object that is stored in a folder and identified by its parameters."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes whenever the same documents may be ranked differently."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """Everything that the ranking depends on, as JSON values."""


class Retriever(Described, Protocol):
    """Indexes and ranks documents, with the same result on every machine and in any order."""

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """Write an index of the documents, which come in any order, into a new folder.

        The folder appears only when it is complete. `progress` gets the number of indexed
        documents after every `BEAT` of them and at the end, and 0 while they are being prepared.
        Raises DuplicateDocument and NothingToIndex.
        """

    def open(self, folder: Path) -> Ranker:
        """Open the index that `build` wrote. Raises IndexCorrupt for any other folder."""


def field_of(document: IndexedText | QueryText, field: Field) -> str:
    """A field's text. The first line of "text" is the title, so that it can be split again."""
    if field == "text":
        return f"{' '.join(document.title.split())}\n{document.abstract}"
    return document.title if field == "title" else document.abstract


def check_depth(depth: int) -> None:
    """Raises ValueError for a depth below 1."""
    if depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth}")
