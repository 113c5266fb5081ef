"""The retrievers of a collection by name, and the query texts for them."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from accounts.models import Collection
from corpus.models import Document, Facet, QueryPaper
from retrieval.errors import RetrievalError
from retrieval.retrievers import (
    CATALOGUE,
    ENCODER,
    Faceted,
    NoSuchRetriever,
    QueryText,
    Retriever,
    retriever,
)

LONGEST_NAME = 60  # of a run


def retriever_named(collection: Collection, name: str) -> Retriever:
    """The retriever with this name.

    Raises:
        RetrievalError: the name is unknown or too long for a run, or the collection does not have
            the facet in it.
    """
    if len(name) > LONGEST_NAME:
        raise RetrievalError(
            f"{name!r} is longer than the {LONGEST_NAME} characters of a run's name. "
            "For an encoder's folder, make a symbolic link with a shorter path."
        )
    try:
        named_retriever = retriever(name)
    except NoSuchRetriever as error:
        raise RetrievalError(str(error)) from error
    _facet(collection, named_retriever)
    return named_retriever


def available_retrievers() -> dict[str, str]:
    """Descriptions by name of the retrievers in the catalogue and of this server's encoders."""
    encoders = (encoder.removeprefix(ENCODER) for encoder in settings.ENCODERS)
    return {**CATALOGUE, **{f"{ENCODER}{encoder}": "A sentence encoder" for encoder in encoders}}


def check_allowed(name: str) -> None:
    """Raises RetrievalError for an encoder that is not in the setting ENCODERS.

    A model is a path or an address, so an arbitrary name would make the server read there. Commands
    do not check it, because their user has access to the machine.
    """
    allowed = {_model(encoder) for encoder in settings.ENCODERS}
    if name.startswith(ENCODER) and _model(name) not in allowed:
        raise RetrievalError(
            f"The encoder {_model(name)} is not allowed on this server. Ask its operator to add "
            "the model to the setting ENCODERS, which now has "
            f"{', '.join(sorted(allowed)) or 'none'}."
        )


def _model(encoder: str) -> str:
    return encoder.removeprefix(ENCODER).partition("?")[0]


def query_texts(
    collection: Collection, retriever: Retriever, papers: Iterable[QueryPaper]
) -> dict[QueryPaper, QueryText]:
    """The query texts for the retriever, by query paper, without papers that have no text.

    For a retriever with a facet, a query text is the facet's sentences of a paper that has a query
    with the facet. For other retrievers it is the whole paper. The order of papers is kept.
    """
    facet = _facet(collection, retriever)
    if facet is None:
        texts = {paper: whole_paper(paper.document) for paper in papers if paper.document.sentences}
    else:
        papers_with_query = set(
            collection.queries.filter(facet=facet).values_list("query_paper_id", flat=True)
        )
        texts = {
            paper: _facet_query(paper.document, facet)
            for paper in papers
            if paper.pk in papers_with_query
        }
    return {paper: text for paper, text in texts.items() if facet is None or text.abstract}


def metadata_of(document: Document) -> tuple[int | None, tuple[str, ...], tuple[str, ...]]:
    """The input of retrievers that read no text: year, references, fields of study."""
    return document.year, tuple(document.references), tuple(document.fields)


def _facet(collection: Collection, retriever: Retriever) -> Facet | None:
    if not isinstance(retriever, Faceted):
        return None
    facet = collection.facets.filter(key=retriever.facet).first()
    if facet is None:
        keys = ", ".join(collection.facets.values_list("key", flat=True))
        raise RetrievalError(
            f"{retriever.name}: {collection.slug} has no facet {retriever.facet!r}; it has {keys}."
        )
    return facet


def whole_paper(document: Document) -> QueryText:
    return QueryText(document.docno, document.title, document.abstract, *metadata_of(document))


def _facet_query(document: Document, facet: Facet) -> QueryText:
    sentences = document.sentences_of(facet)
    return QueryText(document.docno, "", " ".join(sentences), *metadata_of(document))
