"""What a judge sees of a pair, as a value, and its digest. Pure.

Only title, sentences and their facet marks exist here: pages and API answers for
judges are made from a `Presentation`, so they reveal nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.digests import json_digest


class Sentence(NamedTuple):
    text: str
    in_facet: bool


@dataclass(frozen=True)
class ShownText:
    """A title and its sentences; those of the query's facet are marked."""

    title: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class Presentation:
    """One pair as it is shown for judging."""

    query_name: str
    facet: str
    query: ShownText
    docno: str
    candidate: ShownText
    guideline_version: int

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of everything shown. It proves which text a judgment is about."""
        # As asdict() has it, without the copies that it makes of every sentence.
        content = {
            **vars(self),
            "query": vars(self.query),
            "candidate": vars(self.candidate),
        }
        return json_digest(content)


def shown_text(
    title: str, sentences: Sequence[str], labels: Sequence[str], facet_labels: Collection[str]
) -> ShownText:
    """Mark the sentences whose label belongs to the facet; unlabelled ones are never marked."""
    padded_labels = list(labels) + [""] * (len(sentences) - len(labels))
    return ShownText(
        title=title,
        sentences=tuple(
            Sentence(text, label in facet_labels)
            for text, label in zip(sentences, padded_labels, strict=False)
        ),
    )
