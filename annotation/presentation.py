"""A pair as it is shown for judging, and its digest. Pure.

Only titles, sentences and facet marks exist here. Pages and API answers for judges are made from a Presentation, so
they can reveal nothing else.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

from corpus.digests import json_digest
from corpus.models import Document, Query


@dataclass(frozen=True)
class Sentence:
    text: str
    in_facet: bool


@dataclass(frozen=True)
class ShownText:
    title: str
    sentences: tuple[Sentence, ...]
    narrative: str = ""
    is_topic: bool = False

    @property
    def has_marks(self) -> bool:
        """Some, but not all sentences are of the facet: only then are they set in bold."""
        marks = {sentence.in_facet for sentence in self.sentences}
        return marks == {True, False}


@dataclass(frozen=True)
class Presentation:
    query_name: str
    facet: str
    query: ShownText
    docno: str
    candidate: ShownText
    guideline_version: int

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of everything shown: it proves which text a judgment is about."""
        return json_digest(asdict(self))


def shown_query(query: Query) -> ShownText:
    sentences = tuple(Sentence(text, marked) for text, marked in query.marked_sentences())
    if query.document is not None:
        return ShownText(query.document.title, sentences)
    return ShownText(query.title, sentences, query.narrative, is_topic=True)


def shown_candidate(document: Document, wanted_labels: set[str]) -> ShownText:
    sentences = document.labelled_sentences()
    return ShownText(document.title, tuple(Sentence(text, label in wanted_labels) for text, label in sentences))


def present(query: Query, document: Document, guideline_version: int) -> Presentation:
    wanted = query.collection.labels_of(query.facet) if query.facet else set()
    return Presentation(
        query_name=query.name,
        facet=query.facet,
        query=shown_query(query),
        docno=document.docno,
        candidate=shown_candidate(document, wanted),
        guideline_version=guideline_version,
    )
