"""What retrievers that compare words read of documents and queries."""

from __future__ import annotations

from typing import Any

from corpus.models import Query


def document_text(document: Any, *, titles: bool) -> str:
    """Title and abstract, or the title alone."""
    return document.title if titles else "\n".join([document.title, " ".join(document.sentences)])


def query_text(query: Query, *, titles: bool) -> str:
    """What is asked for, or the title of the query paper or topic."""
    if titles:
        return query.document.title if query.document else query.title
    return query.search_text()
