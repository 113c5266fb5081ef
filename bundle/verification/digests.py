"""The check that judgments are about the texts of the release. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from annotation.presentation import (
    Presentation,
    ShownText,
    shown_text,
    shown_topic,
    shown_with_numbers,
)
from bundle.interchange import InterchangedPaper, InterchangedQuery
from bundle.names import RATINGS
from bundle.reading.collection_files import ReleasedText, read_settings, read_texts
from bundle.reading.csv_rows import read_ratings
from bundle.verification.data import ReleaseData
from bundle.verification.failures import CannotCheck, Failure

CHANGED_TEXTS = "changed-texts"  # the check of the gate


class _Query(NamedTuple):
    """A query as all of its pairs show it."""

    facet: str
    labels: tuple[str, ...]
    text: ShownText


class _Pair(NamedTuple):
    """The query of a pair, its last line, and the digests and guidelines of its judgments."""

    query: str
    line: int
    judgments: tuple[tuple[bytes, int], ...]


def wrong_digests(data: ReleaseData) -> Iterator[Failure]:
    """Judged pairs with a digest that does not follow from the texts of the release.

    None, if they are as many as the pairs with changed texts that the publisher accepted. Queries
    and documents that are missing are found by other checks.
    """
    if not data.manifest.options.texts.included:
        raise CannotCheck("the release has no texts")
    failures = list(_wrong_pairs(data))
    if len(failures) != _accepted(data):
        yield from failures


def _wrong_pairs(data: ReleaseData) -> Iterator[Failure]:
    queries = dict(_queries(data))
    pairs = _pairs_by_docno(data)
    for docno, text in read_texts(data.bundle):
        shown: dict[str, ShownText] = {}
        for pair in pairs.get(docno, ()):
            if (query := queries.get(pair.query)) is None:
                continue
            if query.facet not in shown:
                shown[query.facet] = shown_text(*text, query.labels)
            for digest, guideline_version in pair.judgments:
                presentation = Presentation(
                    query_name=pair.query,
                    facet=query.facet,
                    query=query.text,
                    docno=docno,
                    candidate=shown[query.facet],
                    guideline_version=guideline_version,
                )
                if digest != presentation.digest.encode():
                    reason = f"a judgment of {pair.query} {docno} has not the digest of its texts."
                    yield Failure(RATINGS, pair.line, reason)
                    break


def _pairs_by_docno(data: ReleaseData) -> dict[str, list[_Pair]]:
    """The judgments of a pair are one after the other, and mostly have one digest."""
    pairs: dict[str, list[_Pair]] = {}
    for line, rating in read_ratings(data.bundle):
        of_document = pairs.setdefault(data.once(rating.docno), [])
        before: tuple[tuple[bytes, int], ...] = ()
        if of_document and of_document[-1].query == rating.query:
            before = of_document.pop().judgments
        shown = (rating.presentation_digest.encode(), rating.guideline)
        judgments = before if shown in before else (*before, shown)
        of_document.append(_Pair(data.once(rating.query), line, judgments))
    return pairs


def _queries(data: ReleaseData) -> Iterator[tuple[str, _Query]]:
    labels = {facet.key: facet.labels for facet in read_settings(data.bundle).facets}
    papers = {paper.name for paper in data.papers.values() if paper.topic is None}
    texts = {docno: text for docno, text in read_texts(data.bundle) if docno in papers}
    for paper in data.papers.values():
        for query in paper.queries:
            text = texts.get(paper.name)
            if query.guideline is None or (paper.topic is None and text is None):
                continue
            marked = labels.get(query.facet, ())
            shown = _shown_query(paper, query, text, marked)
            yield query.name, _Query(query.facet, marked, shown)


def _shown_query(
    paper: InterchangedPaper,
    query: InterchangedQuery,
    text: ReleasedText | None,
    labels: tuple[str, ...],
) -> ShownText:
    if (topic := paper.topic) is not None:
        narrative = topic.narrative if topic.narrative_is_shown else ""
        return shown_topic(topic.title, topic.sentences, narrative, has_labels=bool(labels))
    assert text is not None
    if query.sentences:
        return shown_with_numbers(text.title, text.sentences, query.sentences)
    return shown_text(*text, labels)


def _accepted(data: ReleaseData) -> int:
    """The number of pairs with changed texts that the release was published against."""
    accepted = data.manifest.content.get("accepted", ())
    return sum(entry["count"] for entry in accepted if entry["check"] == CHANGED_TEXTS)
