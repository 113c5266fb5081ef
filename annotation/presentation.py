"""The presentation of a pair to a judge, as a value, and its digest. Pure.

Only title, sentences and their facet marks exist here: pages and API answers for
judges are made from a `Presentation`, so they reveal nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar, NamedTuple

from corpus.digests import canonical_json


class Sentence(NamedTuple):
    """A sentence, its mark, and its label, which is shown on request and is in no digest."""

    text: str
    in_facet: bool
    label: str = ""


@dataclass(frozen=True)
class ShownText:
    """A title and its sentences; those of the query's facet are marked."""

    title: str
    sentences: tuple[Sentence, ...]

    @cached_property
    def canonical(self) -> bytes:
        """Its canonical JSON, made once for all pairs that show it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["sentences"] = [(sentence.text, sentence.in_facet) for sentence in self.sentences]
        # Without an empty narrative, so that digests made before topics had one stay the same.
        return canonical_json(
            {name: value for name, value in values.items() if name != "narrative" or value}
        )


@dataclass(frozen=True)
class ShownTopic(ShownText):
    """A topic. All its sentences are of the query's facet, so pages do not emphasise them."""

    narrative: str
    is_topic: ClassVar[bool] = True

    @property
    def description(self) -> str:
        """The sentences together; "" if they are the title's, as of a topic without description."""
        text = " ".join(sentence.text for sentence in self.sentences)
        return "" if "".join(text.split()) == "".join(self.title.split()) else text


@dataclass(frozen=True)
class Presentation:
    """A pair as it is shown for judging."""

    query_name: str
    facet: str
    query: ShownText
    docno: str
    candidate: ShownText
    guideline_version: int

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of everything shown. It proves which text a judgment is about."""
        content = (
            b'{"candidate":%b,"docno":%b,"facet":%b,"guideline_version":%d,"query":%b,"query_name":%b}'
        ) % (
            self.candidate.canonical,
            canonical_json(self.docno),
            canonical_json(self.facet),
            self.guideline_version,
            self.query.canonical,
            canonical_json(self.query_name),
        )
        return hashlib.sha256(content).hexdigest()


def shown_text(
    title: str, sentences: Sequence[str], labels: Sequence[str], facet_labels: Collection[str]
) -> ShownText:
    """Mark the sentences whose label belongs to the facet; unlabelled ones are never marked."""
    padded_labels = list(labels) + [""] * (len(sentences) - len(labels))
    return ShownText(
        title=title,
        sentences=tuple(
            Sentence(text, label in facet_labels, label)
            for text, label in zip(sentences, padded_labels, strict=False)
        ),
    )


def shown_with_numbers(title: str, sentences: Sequence[str], numbers: Collection[int]) -> ShownText:
    """Mark the sentences with these numbers, which count from 1."""
    return ShownText(
        title=title,
        sentences=tuple(
            Sentence(text, number in numbers) for number, text in enumerate(sentences, start=1)
        ),
    )


def shown_topic(
    title: str, sentences: Sequence[str], narrative: str, *, has_labels: bool
) -> ShownTopic:
    """A topic as a query. All of it is on the facet, if the facet has labels."""
    marked = tuple(Sentence(text, has_labels) for text in sentences)
    return ShownTopic(title=title, sentences=marked, narrative=narrative)
