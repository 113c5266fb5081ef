"""Bringing topics in: short queries that are no papers, each as a query paper of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError

from accounts.models import Collection
from corpus.models import Document, Facet, Query, QueryPaper
from corpus.services import CorpusError
from corpus.texts import text_digest
from corpus.topics import Topic, read_topics
from jobs.work import Work


@dataclass(frozen=True)
class TopicReport:
    """How many topics became queries, and how many were queries already."""

    created: int
    unchanged: int


def import_topics(
    *,
    collection: Collection,
    path: Path,
    facet_key: str,
    work: Work,
    name: str = "",
    prefix: str = "",
) -> TopicReport:
    """Make every topic of a TREC or BEIR file a query under the facet, or none of them.

    A topic becomes a document that is never a candidate, whose sentences are all of the facet. The
    same file again changes nothing.

    Raises:
        DocumentFormatError: a topic is wrong.
        CorpusError: the file cannot be read, there is no such facet, or a docno is taken.
    """
    name = name or path.name
    facet = collection.facets.filter(key=facet_key).first()
    if facet is None:
        known = ", ".join(collection.facets.values_list("key", flat=True))
        raise CorpusError(f"No facet {facet_key!r} in {collection.slug}; it has {known}.")
    try:
        topics = read_topics(path, name=name, prefix=prefix)
        with work.fenced():
            created = 0
            for done, topic in enumerate(topics, start=1):
                created += _bring(collection, facet, topic, name)
                work.progress(done, len(topics), "topics written")
            report = TopicReport(created=created, unchanged=len(topics) - created)
            work.complete({"created": report.created, "unchanged": report.unchanged})
    except OSError as error:
        raise CorpusError(f"{name} cannot be read: {error.strerror or error}.") from error
    except IntegrityError as error:
        raise CorpusError(
            f"Another import wrote the same documents meanwhile, so nothing of {name} was "
            "imported. Import it again."
        ) from error
    return report


def _bring(collection: Collection, facet: Facet, topic: Topic, name: str) -> bool:
    """Whether the topic's query is new."""
    record = topic.record
    labels = [(facet.labels or [facet.key])[0]] * len(record.sentences)
    digest = text_digest(record.title, record.sentences, labels)
    document, _ = Document.objects.get_or_create(
        collection=collection,
        docno=record.docno,
        defaults={
            "title": record.title,
            "sentences": list(record.sentences),
            "labels": labels,
            "digest": digest,
            "is_topic": True,
        },
    )
    if not document.is_topic or document.digest != digest:
        what = "a topic with another text or facet" if document.is_topic else "a document"
        raise CorpusError(
            f"{name}:{topic.line}: {record.docno} is {what} in {collection.slug}, so nothing was "
            "imported. Give all ids of the file a prefix of their own."
        )
    metadata = {"narrative": topic.narrative} if topic.narrative else {}
    paper, _ = QueryPaper.objects.get_or_create(
        collection=collection, document=document, defaults={"metadata": metadata}
    )
    _, is_new = Query.objects.get_or_create(
        collection=collection,
        query_paper=paper,
        facet=facet,
        defaults={"name": f"{record.docno}_{facet.key}"},
    )
    return is_new
