"""Import topics: short queries, each as a query paper of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import IntegrityError

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.digests import text_digest
from corpus.formats import DocumentFormatError, Problem
from corpus.import_meter import meter_for
from corpus.models import Document, Facet, Query, QueryPaper
from corpus.services import CorpusError, facet_named
from corpus.topics import LARGEST, BadTopics, Topic, read_topics
from jobs.context import JobContext
from web.words import count_noun

LISTED = 100


class TopicsRefused(CorpusError):
    """Some topics are invalid, so none was imported. The message lists each with its line."""

    def __init__(self, name: str, problems: Sequence[DocumentFormatError]) -> None:
        self.problems = tuple(problems)
        messages = [str(problem) for problem in problems[:LISTED]]
        more = len(problems) - len(messages)
        super().__init__(
            f"Nothing of {name} was imported. {count_noun(len(problems), 'topic')} failed:\n"
            + "\n".join(messages)
            + (f"\n… and {more:,} more" if more else "")
        )


@dataclass(frozen=True)
class TopicReport:
    """The number of topics that became queries, and of those that were queries before."""

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
    work: JobContext,
    name: str = "",
    prefix: str = "",
) -> TopicReport:
    """Make every topic of a TREC or BEIR file a query under the facet, or none of them.

    A topic becomes a document that is never a candidate. All of its sentences get the facet's
    label. A second import of the same file changes nothing.

    Raises:
        TopicsRefused: topics are invalid or their docnos exist already. It lists all of them.
        DocumentFormatError: the file has no topics or cannot be read as a topic file.
        CorpusError: the file cannot be opened, or the facet does not exist.
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
            report = _import_topics(collection, facet, topics, name, work)
            work.complete({**report.result, "facet": facet.key})
    except BadTopics as bad:
        raise TopicsRefused(name, bad.problems) from bad
    except OSError as error:
        raise CorpusError(f"{name} cannot be read: {error.strerror or error}.") from error
    except IntegrityError as error:
        raise CorpusError(
            f"Nothing of {name} was imported: another import wrote the same documents at the same "
            "time. Import it again."
        ) from error
    return report


def _import_topics(
    collection: Collection, facet: Facet, topics: Sequence[Topic], name: str, work: JobContext
) -> TopicReport:
    created = 0
    problems = []
    for number, topic in enumerate(topics, start=1):
        try:
            created += _import_topic(collection, facet, topic)
        except Problem as problem:
            problems.append(DocumentFormatError(name, topic.line, str(problem)))
        work.progress(number, len(topics), "topics written")
    if problems:
        raise TopicsRefused(name, problems)
    return TopicReport(created=created, unchanged=len(topics) - created)


def _import_topic(collection: Collection, facet: Facet, topic: Topic) -> bool:
    """Return whether the topic's query is new. Raises Problem if another document has its docno."""
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
        kind = "a topic with another text or facet" if document.is_topic else "a document"
        raise Problem(
            f"{record.docno} is already {kind} in {collection.slug}. "
            "Choose a prefix for the ids of this file."
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
