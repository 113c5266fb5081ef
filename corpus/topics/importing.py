"""Import topics: short queries, each as a query paper of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from django.db import IntegrityError, transaction

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.documents.clashes import Clash, IdsTaken, prefix_advice
from corpus.documents.first_rows import FirstRows, first_rows
from corpus.documents.import_meter import meter_for
from corpus.formats.document_lines import DocumentFormatError
from corpus.formats.file_kinds import FileKind, check_kind
from corpus.formats.sources import check_prefix
from corpus.formats.topics import LARGEST, BadTopics, TopicFile, TopicRecord, read_topics
from corpus.models import Facet, Query, QueryPaper, Topic
from corpus.services import CorpusError, facet_of_topics
from jobs.context import JobContext, JobResult
from web.words import count_noun, listed, listed_lines

LISTED = 100  # invalid topics
NAMED = 3  # files
BATCH = 500
COLUMNS = ("id", "title", "description", "narrative")


class TopicsRefused(CorpusError):
    """Some topics are invalid, so none was imported. The message lists each with its line."""

    def __init__(self, name: str, problems: Sequence[DocumentFormatError]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            f"Nothing of {name} was imported. {count_noun(len(problems), 'topic')} failed:\n"
            + listed_lines(problems, LISTED)
        )


class TopicIdsTaken(IdsTaken):
    """Ids of topics are in use: in the collection, or by other topics of the files."""

    def __init__(self, name: str, clashes: Sequence[Clash]) -> None:
        self.clashes = tuple(clashes)
        number = len(clashes)
        super().__init__(
            name,
            summary=f"{count_noun(number, 'topic')} "
            f"{'has an id that is' if number == 1 else 'have ids that are'} already in use.",
            first=clashes[0],
            advice=prefix_advice("topics", "topic-"),
        )


class FiledTopic(NamedTuple):
    file: str
    topic: TopicRecord

    def clash(self, reason: str) -> Clash:
        return Clash(self.file, self.topic.line, self.topic.id_field, self.topic.name, reason)


@dataclass(frozen=True)
class TopicReport:
    """The number of topics that became queries, and of those that were queries before.

    `formats` are those that were detected, and `subtopics` counts the subtopics left out. Of a dry
    run, `check` has the first rows.
    """

    created: int
    unchanged: int
    formats: tuple[str, ...] = ()
    subtopics: int = 0
    check: FirstRows | None = None

    @property
    def result(self) -> JobResult:
        """As the result of a job."""
        return {
            **(self.check or {}),
            "created": self.created,
            "unchanged": self.unchanged,
            "format": ", ".join(self.formats),
            "subtopics_left_out": self.subtopics,
        }


def import_topics(
    *,
    collection: Collection,
    files: Mapping[str, Path],
    work: JobContext,
    facet_key: str = "",
    topic_prefix: str = "",
    dry_run: bool = False,
) -> TopicReport:
    """Make every topic of the files a query under the facet, or none of them.

    `files` are paths by their names in messages. The facet is needed only if the collection has
    several. `topic_prefix` is put before every id. A topic that repeats another one counts once. A
    second import of the same files changes nothing. A `dry_run` checks and counts everything, and
    changes nothing.

    Raises:
        TopicsRefused: topics are invalid. It lists all of them.
        TopicIdsTaken: ids of topics are in use.
        SourceError: the prefix has white space.
        WrongKind: a file is clearly of another kind.
        DocumentFormatError: a file has no topics or cannot be read as a topic file.
        CorpusError: a file cannot be opened, or the facet is missing or does not exist.
    """
    check_prefix(topic_prefix)
    names = listed(list(files), NAMED)
    facet = facet_of_topics(collection, facet_key)
    try:
        contents = _read_files(files, topic_prefix, work)
        topics = distinct_topics({name: file.topics for name, file in contents.items()}, names)
        with work.fenced():
            with transaction.atomic():
                lock_collection(collection)
                created = write_topics(collection, facet, topics, names, work.progress)
                if created:
                    record_action(
                        kind=ActionKind.QUERIES_ADDED,
                        collection=collection,
                        details={"queries": created},
                    )
                transaction.set_rollback(dry_run)
            rows = (filed.topic.row for filed in topics)
            report = TopicReport(
                created=created,
                unchanged=len(topics) - created,
                formats=tuple(dict.fromkeys(file.format for file in contents.values())),
                subtopics=sum(file.subtopics for file in contents.values()),
                check=first_rows(COLUMNS, rows) if dry_run else None,
            )
            work.complete({**report.result, "facet": facet.key})
    except BadTopics as bad:
        raise TopicsRefused(bad.file, bad.problems) from bad
    except OSError as error:
        raise CorpusError(f"{names} cannot be read: {error.strerror or error}.") from error
    except IntegrityError as error:
        raise CorpusError(
            f"Nothing of {names} was imported: another import wrote the same topics at the "
            "same time. Import it again."
        ) from error
    return report


def _read_files(paths: Mapping[str, Path], prefix: str, work: JobContext) -> dict[str, TopicFile]:
    size = sum(path.stat().st_size for path in paths.values())
    meter = meter_for(work, size=size, note="bytes of topics read", limit=LARGEST)
    for name, path in paths.items():
        check_kind(path, name=name, wanted=FileKind.TOPICS)
    return {
        name: read_topics(path, name=name, prefix=prefix, meter=meter)
        for name, path in paths.items()
    }


def distinct_topics(files: Mapping[str, Sequence[TopicRecord]], names: str) -> list[FiledTopic]:
    """The topics of all files, each once. Raises TopicIdsTaken if two with one id differ."""
    by_name: dict[str, FiledTopic] = {}
    clashes: list[Clash] = []
    for file, topics in files.items():
        for topic in topics:
            first = by_name.setdefault(topic.name, FiledTopic(file, topic))
            if first.topic.digest != topic.digest:
                place = "line " if file == first.file else f"{first.file}:"
                reason = f"which is already in {place}{first.topic.line} with another text"
                clashes.append(FiledTopic(file, topic).clash(reason))
    if clashes:
        raise TopicIdsTaken(names, clashes)
    return list(by_name.values())


def write_topics(
    collection: Collection,
    facet: Facet,
    topics: Sequence[FiledTopic],
    name: str,
    progress: Callable[[int, int, str], None] = lambda *_: None,
) -> int:
    """Returns how many queries are new. Call it under the lock of the collection.

    Raises TopicIdsTaken.
    """
    stored = _Stored(collection)
    clashes = [
        filed.clash(reason) for filed in topics if (reason := stored.clash(filed.topic, facet))
    ]
    if clashes:
        raise TopicIdsTaken(name, clashes)
    records = [filed.topic for filed in topics]
    new = [record for record in records if record.name not in stored.topics]
    for start in range(0, len(new), BATCH):
        _insert_topics(collection, new[start : start + BATCH])
        progress(min(start + BATCH, len(new)), len(new), "topics written")
    papers = dict(
        collection.query_papers.filter(topic__isnull=False).values_list("name", "pk").order_by()
    )
    names = {facet.query_name(record.name): papers[record.name] for record in records}
    queries = Query.objects.bulk_create(
        (
            Query(collection=collection, query_paper_id=paper, facet=facet, name=query)
            for query, paper in names.items()
            if query not in stored.queries
        ),
        batch_size=BATCH,
    )
    return len(queries)


class _Stored:
    """The topics, query papers and queries of a collection by name."""

    def __init__(self, collection: Collection) -> None:
        self.topics = dict(collection.topics.values_list("name", "digest").order_by())
        papers = collection.query_papers.order_by()
        self.documents = set(papers.filter(topic=None).values_list("name", flat=True))
        queries = collection.queries.order_by()
        self.queries = dict(queries.values_list("name", "query_paper__topic__name"))
        self.slug = collection.slug

    def clash(self, topic: TopicRecord, facet: Facet) -> str:
        """The reason why the id cannot be used; "" if it can be used."""
        query = facet.query_name(topic.name)
        if self.topics.get(topic.name, topic.digest) != topic.digest:
            return f"which is a topic with another text in {self.slug}"
        if topic.name in self.documents:
            return f"which is a document with queries in {self.slug}"
        if self.queries.get(query, topic.name) != topic.name:
            return f"and {query} is a query of another text in {self.slug}"
        return ""


def _insert_topics(collection: Collection, records: Sequence[TopicRecord]) -> None:
    """The topics and their query papers."""
    topics = Topic.objects.bulk_create(
        Topic(
            collection=collection,
            name=record.name,
            title=record.title,
            description=record.description,
            narrative=record.narrative,
            sentences=list(record.sentences),
            digest=record.digest,
        )
        for record in records
    )
    QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, topic=topic, name=topic.name) for topic in topics
    )
