"""Every retriever by its name.

A name is `kind_field` (`bm25_text`), `encoder:model`, or a name without a field (`graph`).
`bm25_text.english` compares words by the analysis `english` (see analysis.py). For `name@facet` a
word-based retriever gets only the facet's sentences of the query paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.interface import Field, IndexedText, Progress, Ranker, Retriever
from retrieval.retrievers.analysis import PLAIN, Analysis, NoSuchAnalysis, analysis_named
from retrieval.retrievers.bm25 import Bm25
from retrieval.retrievers.cbow import Cbow
from retrieval.retrievers.citations import METADATA_RETRIEVERS, metadata_retriever
from retrieval.retrievers.encoder import PREFIX, Encoder
from retrieval.retrievers.tfidf import Tfidf
from web.errors import UserFacingError

BUILT_IN: dict[str, Retriever] = {
    built_in.name: built_in
    for built_in in (Bm25("title"), Bm25("abstract"), Tfidf("title"), Tfidf("abstract"))
}

_FIELDS: dict[Field, str] = {
    "title": "titles",
    "abstract": "abstracts",
    "text": "titles and abstracts together",
}
# Kinds of retrievers that compare words: constructor, fields, description.
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
# The names of retrievers that can use another analysis than `plain`.
ANALYSED = tuple(name for name, (kind, _) in _BY_FIELD.items() if isinstance(kind, Bm25 | Tfidf))

CATALOGUE: Mapping[str, str] = {
    name: does for name, (_, does) in {**_BY_FIELD, **METADATA_RETRIEVERS}.items()
}
"""Descriptions of all retrievers but encoders, by name, in the order of the form."""


class NoSuchRetriever(UserFacingError, ValueError):
    """No retriever has this name; the message lists the names."""


@dataclass(frozen=True)
class Faceted:
    """A retriever whose queries are the sentences of a facet; it uses the index of `base`.

    The caller passes the facet's sentences as `QueryText.abstract`, and no title.
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
    """The retriever with this name; nothing is loaded yet.

    Raises NoSuchRetriever for an unknown name, and for a facet that the retriever cannot use.
    """
    if name.startswith(PREFIX):
        return _encoder(name)
    base, at, facet = name.partition("@")
    named_retriever = _by_words(base) or _plain(base)
    if named_retriever is None:
        raise NoSuchRetriever(
            f"Unknown retriever {base!r}; use {', '.join(CATALOGUE)}, or {PREFIX}MODEL."
        )
    return _facet_retriever(named_retriever, facet) if at else named_retriever


def is_retriever(name: str) -> bool:
    """Return whether a retriever has this name."""
    try:
        retriever(name)
    except NoSuchRetriever:
        return False
    return True


def with_analysis(name: str, analysis: str) -> str:
    """The name of the retriever with that analysis: `bm25_text.english`.

    A retriever that uses no analysis, and one whose name has one, keep their names.
    Raises NoSuchRetriever for an unknown analysis.
    """
    base, at, facet = name.partition("@")
    return f"{base}{_analysis(analysis).suffix}{at}{facet}" if base in ANALYSED else name


def catalogue(analysis: str) -> dict[str, str]:
    """CATALOGUE with the names that the retrievers have with that analysis."""
    return {with_analysis(name, analysis): does for name, does in CATALOGUE.items()}


def _by_words(name: str) -> Retriever | None:
    """A retriever that compares words, perhaps with an analysis: `bm25_text.english`."""
    base, dot, analysis = name.partition(".")
    if base not in _BY_FIELD or not dot:
        return _BY_FIELD[name][0] if name in _BY_FIELD else None
    plain_retriever = _BY_FIELD[base][0]
    if not isinstance(plain_retriever, Bm25 | Tfidf):
        raise NoSuchRetriever(
            f"{base} has no analysis; write {base} without .{analysis}. "
            f"An analysis is for {', '.join(ANALYSED)}."
        )
    if analysis == PLAIN.name:
        raise NoSuchRetriever(f"The retriever with the analysis {analysis} is called {base}.")
    return replace(plain_retriever, analysis=_analysis(analysis))


def _analysis(name: str) -> Analysis:
    try:
        return analysis_named(name)
    except NoSuchAnalysis as error:
        raise NoSuchRetriever(str(error)) from error


def _plain(name: str) -> Retriever | None:
    """A retriever that reads no text, with its requirements: `graph.same_field.not_later`."""
    try:
        return metadata_retriever(name)
    except ValueError as error:
        raise NoSuchRetriever(f"{name}: {error}") from error


def _facet_retriever(base: Retriever, facet: str) -> Faceted:
    if not isinstance(base, Bm25 | Tfidf | Cbow):
        raise NoSuchRetriever(
            f"{base.name} compares no words, so it cannot use a facet; write {base.name} without @."
        )
    if base.parameters["field"] == "title":
        raise NoSuchRetriever(
            f"{base.name} compares titles, and a title has no facets; use an abstract's "
            f"retriever, such as {base.name.replace('title', 'abstract')}@{facet or 'FACET'}."
        )
    if not facet:
        raise NoSuchRetriever(f"{base.name}@ has no facet; write {base.name}@FACET.")
    return Faceted(base, facet)


def _encoder(name: str) -> Encoder:
    try:
        return Encoder.from_name(name)
    except ValueError as error:
        raise NoSuchRetriever(str(error)) from error
