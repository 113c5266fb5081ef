"""PubMed's XML: the baseline, its updates, and what efetch gives. Pure.

The elements are described in NLM's "MEDLINE/PubMed XML Data Elements".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.etree.ElementTree import Element

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    DocumentValues,
    FileItem,
)
from corpus.formats.xml_records import read_xml_records, text_of
from corpus.text.sentences import split_sentences

ROOTS = frozenset({"PubmedArticleSet", "PubmedArticle", "MedlineCitationSet", "MedlineCitation"})
_RECORDS = frozenset({"PubmedArticle", "MedlineCitation"})
_YEAR = re.compile(r"\b(1[5-9]|20)\d\d\b")
_SECTIONS = "Article/Abstract/AbstractText"
# NLM's categories of headings ("Structured Abstracts", NLM). The labels are those of the built-in
# labeller. Conclusions say what the results show, so they are labelled as results. The category
# UNASSIGNED is left to the heading.
CATEGORIES: Mapping[str, str] = {
    "BACKGROUND": "background",
    "OBJECTIVE": "objective",
    "METHODS": "method",
    "RESULTS": "result",
    "CONCLUSIONS": "result",
}
# For sections without a category: the headings that stand for one of them alone.
HEADINGS: Mapping[str, str] = {
    **CATEGORIES,
    "INTRODUCTION": "background",
    "CONTEXT": "background",
    "OBJECTIVES": "objective",
    "AIM": "objective",
    "AIMS": "objective",
    "PURPOSE": "objective",
    "METHOD": "method",
    "MATERIALS AND METHODS": "method",
    "PATIENTS AND METHODS": "method",
    "METHODOLOGY": "method",
    "DESIGN": "method",
    "STUDY DESIGN": "method",
    "RESULT": "result",
    "FINDINGS": "result",
    "CONCLUSION": "result",
}


class AbstractSection(NamedTuple):
    """A section of an abstract. Heading and label are "" in an abstract without sections."""

    heading: str
    label: str
    sentences: list[str]


def read_pubmed(
    source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str]
) -> Iterator[FileItem]:
    """The articles of a file, with the first line of each. Raises as `read_xml_records`."""
    for line, element, _ in read_xml_records(source, name, meter, _RECORDS):
        content = from_pubmed(element)
        headings = [each.heading for each in sections_of(element) if not each.label]
        yield FileItem(
            line,
            content,
            unknown_headings=tuple(filter(None, headings)),
            has_section_labels=bool(content["labels"]),
            noun=f"PMID {content['docno'] or 'missing'}: ",
        )


def from_pubmed(article: Element) -> DocumentValues:
    """The object of docs/formats.md for a <PubmedArticle> or a <MedlineCitation>.

    The sections of a structured abstract are split into sentences one by one, so that a section
    without a full stop at its end does not run into the next. Sentences get the label of their
    section, if its heading is known.
    """
    citation = _citation(article)
    sections = sections_of(article)
    labels = [section.label for section in sections for _ in section.sentences]
    return {
        "docno": text_of(citation.find("PMID")) or None,
        "title": text_of(citation.find("Article/ArticleTitle")),
        "sentences": [sentence for section in sections for sentence in section.sentences],
        "labels": labels if any(labels) else [],
        "year": _year(citation),
        "venue": text_of(citation.find("Article/Journal/Title")),
        "authors": [
            name
            for author in citation.iterfind("Article/AuthorList/Author")
            if (name := _author(author))
        ],
        "references": list(dict.fromkeys(_references(article))),
        "fields": _major_topics(citation),
        "language": text_of(citation.find("Article/Language")),
        "has_full_text": article.find("PubmedData/ArticleIdList/ArticleId[@IdType='pmc']")
        is not None,
    }


def section_label(heading: str, category: str) -> str:
    """The label of a section's sentences; "" for a section that has no known heading."""
    known = CATEGORIES.get(_plain(category))
    return known or HEADINGS.get(_plain(heading), "")


def _plain(heading: str) -> str:
    return " ".join(heading.upper().replace("&", " AND ").split()).rstrip(" :.")


def sections_of(article: Element) -> list[AbstractSection]:
    """The sections of the abstract, or all of it as one section."""
    return [
        AbstractSection(
            heading := text.get("Label", "").strip() or text.get("NlmCategory", "").strip(),
            section_label(heading, text.get("NlmCategory", "")),
            split_sentences(text_of(text)),
        )
        for text in _citation(article).iterfind(_SECTIONS)
    ]


def _citation(article: Element) -> Element:
    citation = article.find("MedlineCitation")
    return article if citation is None else citation


def _year(citation: Element) -> int | None:
    """The year of the issue; of a MedlineDate such as "1998 Dec-1999 Jan" the first."""
    for path in ("Article/Journal/JournalIssue/PubDate", "Article/ArticleDate"):
        date = citation.find(path)
        match = _YEAR.search(" ".join(date.itertext())) if date is not None else None
        if match:
            return int(match.group())
    return None


def _author(author: Element) -> str:
    names = (text_of(author.find(tag)) for tag in ("ForeName", "LastName", "Suffix"))
    return " ".join(filter(None, names)) or text_of(author.find("CollectiveName"))


def _references(article: Element) -> Iterator[str]:
    for path in (
        "PubmedData/ReferenceList//ArticleId[@IdType='pubmed']",
        ".//CommentsCorrections[@RefType='Cites']/PMID",
    ):
        for identifier in article.iterfind(path):
            if pmid := text_of(identifier):
                yield pmid


def _major_topics(citation: Element) -> list[str]:
    """The MeSH headings that the article is mainly about: itself, or by a qualifier."""
    return [
        text_of(heading.find("DescriptorName"))
        for heading in citation.iterfind("MeshHeadingList/MeshHeading")
        if heading.find("*[@MajorTopicYN='Y']") is not None
    ]
