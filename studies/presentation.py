"""The presentation of two full texts to a rater, as a value, and its digest. Pure.

Only title, sections and the link exist here. The abstract is left out, so that the rating rests on
the full text alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.digests import canonical_json
from corpus.formats.full_texts import FullTextSection

FEWEST_WORDS = 8  # shorter paragraphs can be in an abstract by chance
_ABSTRACT = re.compile(r"[\W\d]*(?:[ivx]+[.)]\s*)?(?:the\s+)?abstract\W*", re.IGNORECASE)


@dataclass(frozen=True)
class ShownFullText:
    """A title and its sections; `pdf_url` is empty without a link."""

    title: str
    sections: tuple[FullTextSection, ...]
    pdf_url: str

    @property
    def is_empty(self) -> bool:
        return not self.sections and not self.pdf_url


@dataclass(frozen=True)
class FullTextPresentation:
    """A pair as it is shown for rating."""

    query_name: str
    facet: str
    query: ShownFullText
    docno: str
    candidate: ShownFullText
    guideline_version: int

    @property
    def is_timed(self) -> bool:
        """True if both texts are read on the page. The time spent in a PDF's own tab is unknown."""
        return not self.query.pdf_url and not self.candidate.pdf_url

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of everything shown. It proves which text a rating is about."""
        shown = {
            "query_name": self.query_name,
            "facet": self.facet,
            "docno": self.docno,
            "guideline_version": self.guideline_version,
            **{
                role: {
                    "title": text.title,
                    "sections": [list(section) for section in text.sections],
                    "pdf_url": text.pdf_url,
                }
                for role, text in (("query", self.query), ("candidate", self.candidate))
            },
        }
        return hashlib.sha256(canonical_json(shown)).hexdigest()


def shown_full_text(
    title: str, sections: Sequence[FullTextSection], pdf_url: str, abstract: str
) -> ShownFullText:
    """The full text without its abstract.

    Left out are sections with the heading "Abstract", paragraphs that are a part of `abstract`, and
    those that contain it.
    """
    abstract_words = _words(abstract)
    kept = (
        FullTextSection(
            section.heading,
            tuple(
                paragraph
                for paragraph in section.paragraphs
                if not _is_of_abstract(_words(paragraph), abstract_words)
            ),
        )
        for section in sections
        if not _ABSTRACT.fullmatch(section.heading)
    )
    return ShownFullText(title, tuple(section for section in kept if section.paragraphs), pdf_url)


def _words(text: str) -> str:
    words = re.findall(r"\w+", text.casefold())
    return f" {' '.join(words)} "


def _is_of_abstract(paragraph: str, abstract: str) -> bool:
    def is_long(words: str) -> bool:
        return words.count(" ") > FEWEST_WORDS

    return (is_long(paragraph) and paragraph in abstract) or (
        is_long(abstract) and abstract in paragraph
    )
