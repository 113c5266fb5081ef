"""Which retriever a name means for a collection, and what it is asked."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from accounts.models import Collection
from corpus.models import Document, Facet, QueryPaper
from pooling.retrievers import (
    CATALOGUE,
    ENCODER,
    Faceted,
    NoSuchRetriever,
    QueryText,
    Retriever,
    retriever,
)
from pooling.services.errors import PoolingError

LONGEST_NAME = 60  # of a run


def retriever_named(collection: Collection, name: str) -> Retriever:
    """The retriever of that name.

    Raises:
        PoolingError: there is none, its name is too long for a run, or the collection lacks the
            facet it names.
    """
    if len(name) > LONGEST_NAME:
        raise PoolingError(
            f"{name!r} is longer than the {LONGEST_NAME} characters of a run's name. "
            "If it is an encoder's folder, make a link to it with a shorter path."
        )
    try:
        chosen = retriever(name)
    except NoSuchRetriever as error:
        raise PoolingError(str(error)) from error
    _facet(collection, chosen)
    return chosen


def offered() -> dict[str, str]:
    """The retrievers to choose from, name to one line: the catalogue and this server's encoders."""
    named = (one.removeprefix(ENCODER) for one in settings.ENCODERS)
    return {**CATALOGUE, **{f"{ENCODER}{one}": "A sentence encoder" for one in named}}


def check_allowed(name: str) -> None:
    """Raises PoolingError for an encoder that the setting ENCODERS does not name.

    A model is a path or an address, so whoever may name any makes the server read there. The
    commands ask nobody: who runs them has the machine anyway.
    """
    allowed = {_model(one) for one in settings.ENCODERS}
    if name.startswith(ENCODER) and _model(name) not in allowed:
        raise PoolingError(
            f"The encoder {_model(name)} is not among those that may be named here. Whoever runs "
            "this server allows models by the setting ENCODERS, which now has "
            f"{', '.join(sorted(allowed)) or 'none'}."
        )


def _model(encoder: str) -> str:
    return encoder.removeprefix(ENCODER).partition("?")[0]


def questions(
    collection: Collection, chosen: Retriever, papers: Iterable[QueryPaper]
) -> dict[QueryPaper, QueryText]:
    """What to ask the retriever, by query paper in their order; those without text are left out.

    A retriever with a facet is asked about the papers that have a query under it, with the facet's
    sentences and nothing else; any other is asked with the whole paper.
    """
    facet = _facet(collection, chosen)
    if facet is None:
        texts = {paper: whole_paper(paper.document) for paper in papers if paper.document.sentences}
    else:
        under = set(collection.queries.filter(facet=facet).values_list("query_paper_id", flat=True))
        texts = {paper: _part(paper.document, facet) for paper in papers if paper.pk in under}
    return {paper: text for paper, text in texts.items() if facet is None or text.abstract}


def facts(document: Document) -> tuple[int | None, tuple[str, ...], tuple[str, ...]]:
    """What the retrievers that read no text go by: year, references, fields of study."""
    return document.year, tuple(document.references), tuple(document.fields)


def _facet(collection: Collection, chosen: Retriever) -> Facet | None:
    if not isinstance(chosen, Faceted):
        return None
    facet = collection.facets.filter(key=chosen.facet).first()
    if facet is None:
        keys = ", ".join(collection.facets.values_list("key", flat=True))
        raise PoolingError(
            f"{chosen.name}: {collection.slug} has no facet {chosen.facet!r}; it has {keys}."
        )
    return facet


def whole_paper(document: Document) -> QueryText:
    return QueryText(document.docno, document.title, document.abstract, *facts(document))


def _part(document: Document, facet: Facet) -> QueryText:
    sentences = document.sentences_of(facet)
    return QueryText(document.docno, "", " ".join(sentences), *facts(document))
