"""The text of each query, made in one place for all layouts. Pure.

The text of a query paper is its title and the sentences of the query's facet, or all sentences
without facets. That of a query by sentences is the title and its sentences: as for a facet, the
sentences alone may lack the paper's subject. The text of a topic is its title and description.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bundle.records import ReleasedDocument, ReleasedFacet, ReleasedQuery, ReleasedTopic


class ReleasedQueryText(NamedTuple):
    """A title, what is asked of it, and for a topic the narrative."""

    query: str
    title: str
    sentences: tuple[str, ...]
    narrative: str = ""

    @property
    def description(self) -> str:
        return " ".join(self.sentences)

    @property
    def text(self) -> str:
        """The text for a retriever. Any white space is one space."""
        return " ".join(f"{self.title} {self.description}".split())


def query_texts(
    queries: Iterable[ReleasedQuery],
    topics: Iterable[ReleasedTopic],
    facets: Iterable[ReleasedFacet],
    documents: Iterable[ReleasedDocument],
) -> tuple[ReleasedQueryText, ...]:
    """The texts by query id. The documents of query papers must have their texts."""
    texts = [_text_of_topic(topic) for topic in topics]
    labels = {facet.key: frozenset(facet.labels) for facet in facets}
    by_paper: dict[str, list[ReleasedQuery]] = defaultdict(list)
    for query in queries:
        if not query.is_topic:
            by_paper[query.query_paper].append(query)
    for document in documents:
        for query in by_paper.get(document.docno, ()):
            sentences = tuple(sentences_of(query, document, labels))
            texts.append(ReleasedQueryText(query.name, document.title, sentences))
    return tuple(sorted(texts))


def _text_of_topic(topic: ReleasedTopic) -> ReleasedQueryText:
    description = (topic.description,) if topic.description else ()
    return ReleasedQueryText(topic.query, topic.title, description, topic.narrative)


def sentences_of(
    query: ReleasedQuery, document: ReleasedDocument, labels: Mapping[str, frozenset[str]]
) -> list[str]:
    """The sentences of the query paper that are the query. `labels` are those of each facet."""
    if query.sentences:
        return [document.sentences[number - 1] for number in query.sentences]
    if not query.facet:
        return list(document.sentences)
    of_facet = labels[query.facet]
    return [
        sentence
        for sentence, label in zip(document.sentences, document.labels, strict=False)
        if label in of_facet
    ]
