"""Bringing topics in: short queries that are no papers, each as a query paper of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import IntegrityError

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.formats import DocumentFormatError, Problem
from corpus.metering import meter_for
from corpus.models import Document, Facet, Query, QueryPaper
from corpus.services import CorpusError, facet_named
from corpus.texts import text_digest
from corpus.topics import LARGEST, BadTopics, Topic, read_topics
from jobs.work import Work

LISTED = 100


class TopicsRefused(CorpusError):
    """Some topics cannot come in, so none did; the message names each with line and reason."""

    def __init__(self, name: str, problems: Sequence[DocumentFormatError]) -> None:
        self.problems = tuple(problems)
        listed = [str(problem) for problem in problems[:LISTED]]
        more = len(problems) - len(listed)
        topics = "1 topic was" if len(problems) == 1 else f"{len(problems):,} topics were"
        super().__init__(
            f"{topics} refused, so nothing of {name} was imported:\n"
            + "\n".join(listed)
            + (f"\n… and {more:,} more" if more else "")
        )


@dataclass(frozen=True)
class TopicReport:
    """How many topics became queries, and how many were queries already."""

    created: int
    unchanged: int

    @property
    def result(self) -> dict[str, Any]:
        """As the result of a job."""
        return {"created": self.created, "unchanged": self.unchanged}


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
        TopicsRefused: topics are wrong, or their docnos are taken; with all of them.
        DocumentFormatError: the file holds no topic, or cannot be read as one of topics.
        CorpusError: the file cannot be opened, or there is no such facet.
    """
    name = name or path.name
    facet = facet_named(collection, facet_key)
    try:
        meter = meter_for(
            work, size=path.stat().st_size, note="bytes of topics read", limit=LARGEST
        )
        topics = read_topics(path, name=name, prefix=prefix, meter=meter)
        with work.fenced():
            lock_collection(collection)
            report = _bring_all(collection, facet, topics, name, work)
            work.complete({**report.result, "facet": facet.key})
    except BadTopics as bad:
        raise TopicsRefused(name, bad.problems) from bad
    except OSError as error:
        raise CorpusError(f"{name} cannot be read: {error.strerror or error}.") from error
    except IntegrityError as error:
        raise CorpusError(
            f"Another import wrote the same documents meanwhile, so nothing of {name} was "
            "imported. Import it again."
        ) from error
    return report


def _bring_all(
    collection: Collection, facet: Facet, topics: Sequence[Topic], name: str, work: Work
) -> TopicReport:
    created = 0
    problems = []
    for done, topic in enumerate(topics, start=1):
        try:
            created += _bring(collection, facet, topic)
        except Problem as problem:
            problems.append(DocumentFormatError(name, topic.line, str(problem)))
        work.progress(done, len(topics), "topics written")
    if problems:
        raise TopicsRefused(name, problems)
    return TopicReport(created=created, unchanged=len(topics) - created)


def _bring(collection: Collection, facet: Facet, topic: Topic) -> bool:
    """Whether the topic's query is new. Raises Problem when its docno is taken."""
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
        raise Problem(
            f"{record.docno} is {what} in {collection.slug}; give all ids of the file a prefix "
            "of their own"
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
