"""Everything that writes systems: imports, baselines, and the systems of the collection's runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.digests import json_digest
from corpus.models import Query
from corpus.state import corpus_docnos
from jobs.context import DirectRun, JobContext
from retrieval.formats import RankedList, RunFormatError
from scoring.labels import qrels_of
from scoring.measures.judged_ranks import Qrels
from scoring.models import System, SystemKind, SystemRanking
from scoring.systems.run_files import SystemFile, facet_of, read_system_file
from web.errors import UserFacingError
from web.words import count_noun

LONGEST_NAME = 60
EXAMPLES = 20  # unknown ids that a report names
UNJUDGED_DEPTH = 20


class SystemFault(UserFacingError):
    """A system cannot be imported or changed; the message is for the person who asked."""


class RunPath(NamedTuple):
    """A file of a system: its path, its name in messages, and the facet that its lists are for."""

    path: Path
    filename: str
    facet: str | None = None


@dataclass
class SystemReport:
    """The counts of a system's lists: what they have, and what was left out."""

    lists: int = 0
    documents: int = 0
    duplicates: int = 0
    outside_corpus: int = 0
    query_papers_themselves: int = 0
    unknown_topics: int = 0
    unknown_topic_examples: list[str] = field(default_factory=list)
    unknown_documents: list[str] = field(default_factory=list)
    queries_without_list: int = 0


Lists = dict[str, RankedList]


def read_system(collection: Collection, files: Sequence[RunPath]) -> tuple[Lists, SystemReport]:
    """The lists of a system by query name, from one or several files. Nothing is written.

    A topic is a query's name, or a query paper's for all its queries. If the name of a file has
    exactly one facet, as in `specter-method.json`, its papers' lists are for that facet only.
    The query paper itself and duplicates are left out and counted. Documents outside the corpus are
    counted and keep their ranks: without them, those below would rise, and a collection that was
    imported with its pooled documents only would give other scores than its release.

    Raises:
        SystemFault: a file is invalid, two lists are for the same query, or no topic or no
            document is in the collection.
    """
    queries = _QueryNames(collection)
    report, lists = SystemReport(), dict[str, RankedList]()
    for file in files:
        content = _read(file, queries.topics)
        report.duplicates += content.duplicates
        facet = file.facet or facet_of(file.filename, queries.facets)
        for topic, ranking in content.lists.items():
            names = queries.of(topic, facet)
            if not names:
                report.unknown_topics += 1
                if len(report.unknown_topic_examples) < EXAMPLES:
                    report.unknown_topic_examples.append(topic)
            for name in names:
                if name in lists:
                    raise SystemFault(_twice(file.filename, topic, name))
                lists[name] = ranking
    if not lists:
        filename, topic = files[0].filename, next(iter(report.unknown_topic_examples), "")
        raise SystemFault(
            f"{filename}: none of its topics is a query or a query paper of {collection.slug} "
            f"(the first is {topic!r}). Is this a run for another collection?"
        )
    lists, is_known = _without_query_papers(collection, lists, queries.papers, report)
    if not is_known:
        raise SystemFault(
            f"{files[0].filename}: none of its documents is in {collection.slug} (the first is "
            f"{report.unknown_documents[0]!r}). Is this a run over another corpus?"
            if report.unknown_documents
            else f"{files[0].filename}: its lists are empty. Write at least one document."
        )
    report.lists = len(lists)
    report.documents = sum(map(len, lists.values()))
    report.queries_without_list = len(queries.papers) - len(lists)
    return lists, report


class _QueryNames:
    """The queries of a collection by name, and by query paper."""

    def __init__(self, collection: Collection) -> None:
        rows = collection.queries.order_by("name").values_list(
            "name", "query_paper__name", "facet__key", "query_paper__topic"
        )
        self.papers: dict[str, str] = {}  # query to its paper's docno; "" for a topic
        self.by_paper: dict[str, list[tuple[str, str]]] = {}
        for name, paper, facet, topic in rows:
            self.papers[name] = paper if topic is None else ""
            self.by_paper.setdefault(paper, []).append((name, facet))
        self.topics = self.papers.keys() | self.by_paper.keys()
        self.facets = {facet for pairs in self.by_paper.values() for _, facet in pairs}

    def of(self, topic: str, facet: str | None) -> list[str]:
        if topic in self.papers:
            return [topic]
        pairs = self.by_paper.get(topic, [])
        return [name for name, own_facet in pairs if facet is None or own_facet == facet]


def _read(file: RunPath, topics: Iterable[str]) -> SystemFile:
    try:
        return read_system_file(file.path, name=file.filename, topics=set(topics))
    except RunFormatError as error:
        raise SystemFault(str(error)) from error


def _twice(filename: str, topic: str, name: str) -> str:
    return (
        f"{filename}: topic {topic!r} has a list for the query {name}, which has one already. "
        "Give each query one list. If a file is for one facet, name it: FACET=FILE."
    )


def _without_query_papers(
    collection: Collection, lists: Lists, papers: Mapping[str, str], report: SystemReport
) -> tuple[Lists, bool]:
    """The lists without the query papers themselves, and whether any document is of the corpus."""
    corpus = corpus_docnos(
        collection, {docno for ranking in lists.values() for docno in ranking.docnos}
    )
    kept: Lists = {}
    unknown: dict[str, None] = {}
    for name, ranking in lists.items():
        own = papers[name]
        report.query_papers_themselves += own in ranking.docnos
        outside = [docno for docno in ranking.docnos if docno not in corpus]
        report.outside_corpus += len(outside)
        if len(unknown) < EXAMPLES:
            unknown |= dict.fromkeys(outside[:EXAMPLES])
        kept[name] = RankedList.of(scored for scored in ranking if scored.docno != own)
    report.unknown_documents = list(unknown)[:EXAMPLES]
    return kept, bool(corpus)


def import_system(
    *,
    collection: Collection,
    name: str,
    files: Sequence[RunPath],
    repetition_of: str = "",
    work: JobContext | None = None,
) -> System:
    """Import one or several files as a system; it replaces an imported one of that name.

    Raises:
        SystemFault: as `read_system`, or the name is invalid or taken by a run or a baseline.
    """
    work = work or DirectRun()
    check_name(name)
    work.progress(0, None, "reading the files")
    lists, report = read_system(collection, files)
    return save_system(
        collection=collection,
        name=name,
        kind=SystemKind.FILE,
        lists=lists.items(),
        parameters={"files": [file.filename for file in files]},
        report=asdict(report),
        repetition_of=repetition_of,
        more=_unjudged(qrels_of(collection), lists),
        work=work,
    )


def _unjudged(qrels: Qrels, lists: Lists) -> dict[str, str]:
    """The number of first documents without a final label, over the queries that have labels."""
    firsts = [
        (qrels[query], ranking.docnos[:UNJUDGED_DEPTH])
        for query, ranking in lists.items()
        if query in qrels
    ]
    listed = sum(len(docnos) for _, docnos in firsts)
    unjudged = sum(docno not in grades for grades, docnos in firsts for docno in docnos)
    return {f"unjudged_at_{UNJUDGED_DEPTH}": f"{unjudged:,} of {listed:,}"} if listed else {}


def save_system(
    *,
    collection: Collection,
    name: str,
    kind: str,
    lists: Iterable[tuple[str, RankedList]],
    parameters: Mapping[str, Any],
    repetition_of: str = "",
    report: Mapping[str, Any] | None = None,
    more: Mapping[str, object] | None = None,
    work: JobContext | None = None,
) -> System:
    """Store a system with lists of its own by query name; it replaces one of its name and kind.

    `more` is of the result of the job and is not stored with the system.

    Raises:
        SystemFault: the name is invalid, or belongs to a run or to a system of another kind, or
            a query was removed meanwhile.
    """
    check_name(name)
    work = work or DirectRun()
    by_query = dict(lists)
    with work.fenced():
        collection = lock_collection(collection)
        _free_name(collection, name, kind)
        system = System.objects.create(
            collection=collection,
            name=name,
            kind=kind,
            repetition_of=repetition_of,
            parameters=dict(parameters),
            report=dict(report or {}),
            sha256=_digest(by_query),
        )
        _insert_lists(system, by_query)
        work.complete({"system": name, **(report or {}), **(more or {})})
    return system


def _digest(lists: Lists) -> str:
    return json_digest(
        [[name, list(lists[name].docnos), list(lists[name].scores)] for name in sorted(lists)]
    )


def _free_name(collection: Collection, name: str, kind: str) -> None:
    if collection.runs.filter(name=name).exists():
        raise SystemFault(f"{name} is the name of a run of {collection.slug}. Choose another name.")
    previous = collection.systems.filter(name=name).first()
    if previous is None:
        return
    if previous.kind != kind:
        raise SystemFault(f"{name} is the name of a {previous.kind}. Choose another name.")
    previous.delete()


def _insert_lists(system: System, lists: Lists) -> None:
    queries = dict(Query.objects.filter(collection=system.collection).values_list("name", "pk"))
    if removed := sorted(lists.keys() - queries.keys()):
        raise SystemFault(
            f"The query {removed[0]} was removed meanwhile, so nothing was saved. Start again."
        )
    SystemRanking.objects.bulk_create(
        (
            SystemRanking(
                system=system,
                query_id=queries[name],
                docnos=list(ranking.docnos),
                scores=list(ranking.scores),
            )
            for name, ranking in sorted(lists.items())
        ),
        batch_size=100,
    )


def check_name(name: str) -> None:
    """Raises SystemFault for a name that a system cannot have."""
    if not re.fullmatch(r"[\w.@-]+", name) or len(name) > LONGEST_NAME:
        raise SystemFault(
            f"{name!r} is not a valid name of a system. Use at most {LONGEST_NAME} letters, "
            "digits, '-', '_', '.' and '@'."
        )


def set_repetition(*, system: System, repetition_of: str) -> None:
    """Say that the system is a repetition of another one, such as with another seed; "" for none.

    Raises SystemFault for an invalid name.
    """
    if repetition_of:
        check_name(repetition_of)
    with transaction.atomic():
        collection = lock_collection(system.collection)
        collection.systems.filter(pk=system.pk).update(repetition_of=repetition_of)


def delete_system(*, system: System) -> None:
    """Delete a system with its lists and scores.

    Raises SystemFault for a system of a run, which stays as long as the run.
    """
    with transaction.atomic():
        collection = lock_collection(system.collection)
        if system.kind == SystemKind.RUN:
            raise SystemFault(f"{system} is a run. Remove it on the page of runs.")
        collection.systems.filter(pk=system.pk).delete()


def sync_runs(collection: Collection) -> list[str]:
    """Give each run a system and remove the systems of removed runs. Call it with the lock.

    Returns the names of runs that cannot have one, because an imported system has the name.
    Runs from qrels are known positives and no rankings, so they have none.
    """
    runs = {run.name for run in collection.runs.all() if not run.holds_judgments}
    present = dict(collection.systems.values_list("name", "kind"))
    collection.systems.filter(kind=SystemKind.RUN).exclude(name__in=runs).delete()
    System.objects.bulk_create(
        System(collection=collection, name=name, kind=SystemKind.RUN)
        for name in sorted(runs - present.keys())
    )
    return sorted(name for name in runs if present.get(name, SystemKind.RUN) != SystemKind.RUN)


def import_summary(report: Mapping[str, Any]) -> str:
    """The counts of an import, read and left out, in a sentence or two."""
    left_out = [
        f"{report[key]:,} {words}"
        for key, words in (
            ("duplicates", "listed twice"),
            ("query_papers_themselves", "the query itself"),
        )
        if report.get(key)
    ]
    text = f"{count_noun(report['lists'], 'list')} read."
    if left_out:
        text += f" Left out: {', '.join(left_out)}."
    if outside := report.get("outside_corpus"):
        text += f" Documents outside the corpus, which count as unjudged: {outside:,}."
    if report.get("unknown_topics"):
        text += f" {count_noun(report['unknown_topics'], 'topic')} not in this collection."
    if report.get("queries_without_list"):
        text += f" {count_noun(report['queries_without_list'], 'query', 'queries')} without a list."
    return text
