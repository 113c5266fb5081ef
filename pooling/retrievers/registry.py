"""Every retriever by its name.

A name is `kind_field` (`bm25_text`), `encoder:model`, or the plain name of one that reads no text;
`name@facet` is a word-based retriever asked with a facet's sentences only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pooling.retrievers.bm25 import Bm25
from pooling.retrievers.cbow import Cbow
from pooling.retrievers.encoder import PREFIX, Encoder
from pooling.retrievers.interface import Field, IndexedText, Progress, Ranker, Retriever
from pooling.retrievers.linked import LINKED, linked
from pooling.retrievers.tfidf import Tfidf

BUILT_IN: dict[str, Retriever] = {
    one.name: one for one in (Bm25("title"), Bm25("abstract"), Tfidf("title"), Tfidf("abstract"))
}

_FIELDS: dict[Field, str] = {
    "title": "titles",
    "abstract": "abstracts",
    "text": "titles and abstracts together",
}
# A kind of retriever that compares words: how it is made for a field, the fields, what it does.
_KINDS: dict[str, tuple[Callable[[Field], Retriever], tuple[Field, ...], str]] = {
    "bm25": (Bm25, ("title", "abstract", "text"), "BM25 over the words of {}"),
    "tfidf": (Tfidf, ("title", "abstract"), "TF-IDF vectors of {}, compared by cosine"),
    "cbow": (
        Cbow,
        ("title", "abstract"),
        "Mean word2vec (CBOW) vectors of {}, trained on this corpus, compared by cosine",
    ),
    "tfidf_cbow": (
        lambda field: Cbow(field, weighted=True),
        ("title", "abstract"),
        "Mean word2vec (CBOW) vectors of {}, words weighted by TF-IDF, compared by cosine",
    ),
}
_BY_FIELD: dict[str, tuple[Retriever, str]] = {
    f"{kind}_{field}": (make(field), does.format(_FIELDS[field]))
    for kind, (make, fields, does) in _KINDS.items()
    for field in fields
}
# Those that read no field of the text: a name, the retriever, one line on what it does.
_PLAIN: dict[str, tuple[Retriever, str]] = {**LINKED}

CATALOGUE: Mapping[str, str] = {name: does for name, (_, does) in (_BY_FIELD | _PLAIN).items()}
"""What there is to choose from, in the order of a form: name to one line. Encoders come by name."""


class NoSuchRetriever(ValueError):
    """A name is no retriever's; the message says what there is."""

    is_for_people = True


@dataclass(frozen=True)
class Faceted:
    """A retriever asked with the sentences of one facet; its index is that of `base`.

    Whoever ranks gives the facet's sentences as `QueryText.abstract`, and no title.
    """

    base: Retriever
    facet: str

    @property
    def name(self) -> str:
        return f"{self.base.name}@{self.facet}"

    @property
    def kind(self) -> str:
        return self.base.kind

    @property
    def version(self) -> str:
        return self.base.version

    @property
    def parameters(self) -> dict[str, object]:
        return {**self.base.parameters, "facet": self.facet}

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """See Retriever.build; writes the index of `base`."""
        self.base.build(documents, folder, progress)

    def open(self, folder: Path) -> Ranker:
        """See Retriever.open; opens an index of `base`."""
        return self.base.open(folder)


def retriever(name: str) -> Retriever:
    """The retriever of that name; nothing is loaded yet.

    Raises NoSuchRetriever: unknown, or a facet where it makes no sense.
    """
    if name.startswith(PREFIX):
        return _encoder(name)
    base, at, facet = name.partition("@")
    found = _BY_FIELD.get(base) or _plain(base)
    if found is None:
        raise NoSuchRetriever(
            f"No retriever {base!r}; there are {', '.join(CATALOGUE)}, and {PREFIX}MODEL."
        )
    return _faceted(found[0], facet) if at else found[0]


def is_retriever(name: str) -> bool:
    """Whether `retriever(name)` gives one."""
    try:
        retriever(name)
    except NoSuchRetriever:
        return False
    return True


def _plain(name: str) -> tuple[Retriever, str] | None:
    """One that reads no text, with what it requires of documents: `graph.same_field.not_later`."""
    try:
        found = linked(name)
    except ValueError as error:
        raise NoSuchRetriever(f"{name}: {error}") from error
    return None if found is None else (found, _PLAIN[found.kind][1])


def _faceted(base: Retriever, facet: str) -> Faceted:
    if base.name not in _BY_FIELD:
        raise NoSuchRetriever(
            f"{base.name} compares no words, so it cannot be asked with a facet’s sentences; "
            f"use {base.name} without @."
        )
    if base.parameters["field"] == "title":
        raise NoSuchRetriever(
            f"{base.name} compares titles, and a title has no facets; use an abstract's "
            f"retriever, such as {base.name.removesuffix('title')}abstract@{facet or 'FACET'}."
        )
    if not facet:
        raise NoSuchRetriever(f"{base.name}@ lacks the facet; write {base.name}@FACET.")
    return Faceted(base, facet)


def _encoder(name: str) -> Encoder:
    try:
        return Encoder.named(name)
    except ValueError as error:
        raise NoSuchRetriever(str(error)) from error
