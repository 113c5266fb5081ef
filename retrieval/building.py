"""Building the runs of the built-in retrievers, and deleting runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from operator import attrgetter
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import ProtectedError

from accounts.models import Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.models import DocumentQuerySet, Query
from jobs.work import Work, job
from retrieval.lists import Ranking
from retrieval.models import RankedList, Run
from retrieval.retrievers import find_retriever
from web.errors import BadInput, Conflict

DEPTH = 1000
READ_TOGETHER = 1000  # documents
Item = TypeVar("Item")


@job("build_runs")
def build_runs(work: Work, *, names: list[str]) -> None:
    """Rank the corpus for all queries by each of the retrievers, and replace their runs: all of them or none.

    A run that a pool was drawn from keeps its lists, and gets only those that it lacks.
    """
    built = [_ranked(work, name) for name in names]
    with work.commit() as result:
        collection = lock_collection(work.collection)
        for run, queries, rankings in built:
            if run.pk is None:
                # A new row, also in place of an old one: pools that are being built from the old one begin again.
                for old in collection.runs.filter(name=run.name):
                    delete_run(run=old)
                run.save()
            insert_lists(run, zip(queries, rankings, strict=True))
        result["runs"] = names


def _ranked(work: Work, name: str) -> tuple[Run, list[Query], list[Ranking]]:
    """The run to save, or the one to add to, with the lists that it lacks."""
    retriever, collection = find_retriever(name), work.collection
    queries = list(collection.queries.select_related("document__collection").order_by("pk"))
    documents = collection.documents.exclude(retriever.lacking)
    total, indexed = collection.documents.count(), documents.count()
    run = collection.runs.filter(name=name, contributions__isnull=False).first()
    if run:
        ranked = set(run.lists.values_list("query", flat=True))
        queries = [query for query in queries if query.pk not in ranked]
        if not queries:
            raise Conflict(f"Pools were drawn from {name} and it has all queries, so it stays as it is.")
    if not queries:
        raise BadInput("There are no queries yet. Add queries, then build runs.")
    if not indexed:
        raise BadInput(f"{name} has nothing to search: no document has {retriever.lack}.")
    if run is None:
        settings: dict[str, Any] = {"documents": indexed, "corpus": total}
        if retriever.library:
            settings["library"] = f"{retriever.library} {version(retriever.library)}"
        run = Run(collection=collection, name=name, kind=name, depth=DEPTH, settings=settings)
        if indexed < total:
            run.skipped = {f"documents without {retriever.lack}": {"number": total - indexed, "named": []}}

    corpus = _reported(work, by_docno(documents, retriever.reads), indexed, f"{name}: documents read")

    def report(done: int, total: int, note: str) -> None:
        work.progress(done, total, f"{name}: {note}")

    # One more, because a query paper may find itself.
    found = retriever.rank(corpus, queries, run.depth + 1, report)
    ranked_queries = zip(queries, _reported(work, found, len(queries), f"{name}: queries ranked"), strict=True)
    return run, queries, [without(query.own_docno, ranking, run.depth) for query, ranking in ranked_queries]


def by_docno(documents: DocumentQuerySet, columns: Sequence[str]) -> Iterator[Any]:
    """Rows of these columns, docno descending: the same order, so the same sums of floats, on every machine.

    Read in parts, because on SQLite a job cannot report its progress while a long query is open.
    """
    keys = sorted(documents.values_list("docno", "pk"), reverse=True)
    for start in range(0, len(keys), READ_TOGETHER):
        part = documents.filter(pk__in=[pk for _, pk in keys[start : start + READ_TOGETHER]])
        yield from sorted(part.values_list(*columns, named=True), key=attrgetter("docno"), reverse=True)


def _reported(work: Work, items: Iterable[Item], total: int, note: str) -> Iterator[Item]:
    for number, item in enumerate(items, 1):
        yield item
        work.progress(number, total, note)


def without(docno: str, ranking: Ranking, depth: int) -> Ranking:
    """The list without a document, at most `depth` long."""
    docnos, scores = ranking
    if docno in docnos:
        place = docnos.index(docno)
        docnos, scores = docnos[:place] + docnos[place + 1 :], scores[:place] + scores[place + 1 :]
    return docnos[:depth], scores[:depth]


def insert_lists(run: Run, rankings: Iterable[tuple[Query, Ranking]]) -> None:
    lists = (RankedList(run=run, query=query, docnos=docnos, scores=scores) for query, (docnos, scores) in rankings)
    RankedList.objects.bulk_create(lists, batch_size=100)


@transaction.atomic
def delete_run(*, run: Run) -> None:
    lock_collection(run.collection)
    record(Verb.DELETED, collection=run.collection, object=f"run {run.name}")
    try:
        run.delete()
    except ProtectedError as error:
        raise Conflict(
            f"Pools were drawn from {run.name}, so it stays as it is. Delete the draft pools that use it first; "
            "a frozen pool keeps its runs."
        ) from error
