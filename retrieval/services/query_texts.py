"""The retrievers of a collection by name, and the query texts for them."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from accounts.models import Collection
from corpus.encoder_models import model_of, not_allowed
from corpus.models import Document, Facet, QueryPaper, Topic
from retrieval.errors import RetrievalError
from retrieval.retrievers import (
    BUILT_IN,
    ENCODER,
    PLAIN_NAME,
    Faceted,
    NoSuchRetriever,
    QueryText,
    Retriever,
    catalogue,
    retriever,
    with_analysis,
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


def analysis_of(collection: Collection) -> str:
    """The name of the analysis that the collection's usual retrievers have."""
    return collection.analysis or PLAIN_NAME


def analysed_name(name: str, analysis: str = "") -> str:
    """The name of the retriever with that analysis, or the same name for "".

    Raises RetrievalError for an unknown analysis.
    """
    try:
        return with_analysis(name, analysis) if analysis else name
    except NoSuchRetriever as error:
        raise RetrievalError(str(error)) from error


def usual_retrievers(collection: Collection, analysis: str = "") -> list[str]:
    """The names of the retrievers that are used if none are chosen.

    They have the collection's analysis, unless another is given. Raises like `analysed_name`.
    """
    return [analysed_name(name, analysis or analysis_of(collection)) for name in BUILT_IN]


def available_retrievers(analysis: str = PLAIN_NAME) -> dict[str, str]:
    """Descriptions by name of the retrievers in the catalogue and of this server's encoders.

    Retrievers that compare words have the names with that analysis.
    """
    encoders = (encoder.removeprefix(ENCODER) for encoder in settings.ENCODERS)
    return {
        **catalogue(analysis),
        **{f"{ENCODER}{encoder}": "A sentence encoder" for encoder in encoders},
    }


def check_allowed(name: str) -> None:
    """Raises RetrievalError for an encoder that is not in the setting ENCODERS."""
    if name.startswith(ENCODER) and (problem := not_allowed(model_of(name))):
        raise RetrievalError(problem)


def query_texts(
    collection: Collection, retriever: Retriever, papers: Iterable[QueryPaper]
) -> dict[QueryPaper, QueryText]:
    """The query texts for the retriever, by query paper, without papers that have no text.

    For a retriever with a facet, a query text is the facet's sentences of a paper that has a query
    with the facet. For other retrievers it is the whole paper. The order of papers is kept.
    """
    facet = _facet(collection, retriever)
    if facet is None:
        texts = {paper: whole_paper(paper) for paper in papers if paper.source.sentences}
    else:
        papers_with_query = set(
            collection.queries.filter(facet=facet).values_list("query_paper_id", flat=True)
        )
        texts = {
            paper: _facet_query(paper, facet) for paper in papers if paper.pk in papers_with_query
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


def whole_paper(paper: QueryPaper) -> QueryText:
    source = paper.source
    return _query_text(paper, source.title, source.abstract)


def _facet_query(paper: QueryPaper, facet: Facet) -> QueryText:
    """The facet's sentences. All of a topic's description is on the facet of its query."""
    source = paper.source
    sentences = source.sentences if isinstance(source, Topic) else source.sentences_of(facet)
    return _query_text(paper, "", " ".join(sentences))


def _query_text(paper: QueryPaper, title: str, abstract: str) -> QueryText:
    if paper.document is None:
        return QueryText(paper.name, title, abstract, is_topic=True)
    return QueryText(paper.name, title, abstract, *metadata_of(paper.document))
