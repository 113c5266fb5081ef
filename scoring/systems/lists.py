"""The ranked lists of a system by query, whatever its kind."""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterator

from accounts.models import Collection
from corpus.models import Query
from retrieval.formats import Scored, write_run
from retrieval.models import Run
from retrieval.services import query_names_of
from scoring.models import System, SystemKind, SystemRanking

READ_TOGETHER = 200  # lists; one of 1,000 documents takes about 100 kB in memory


def system_lists(
    system: System, queries: Names[str] | None = None
) -> Iterator[tuple[str, list[str]]]:
    """(query name, docnos best first) for each query that the system has a list for.

    The list of a run is for a query paper, and so for each of its queries. `queries` are the names
    of a few to read; None for all.
    """
    if system.kind == SystemKind.RUN:
        yield from _run_lists(system, queries)
        return
    rows = SystemRanking.objects.filter(system=system).order_by("query_id")
    if queries is not None:
        rows = rows.filter(query__name__in=queries)
    yield from rows.values_list("query__name", "docnos").iterator(READ_TOGETHER)


def list_for(system: System, query: Query) -> list[str] | None:
    """The docnos of the system's list for a query, best first; None if it has no list."""
    if system.kind == SystemKind.RUN:
        run = system.collection.runs.filter(name=system.name).first()
        return run_list_for(run, query) if run else None
    rankings_of_system = system.rankings.filter(query=query)
    return rankings_of_system.values_list("docnos", flat=True).first()


def run_list_for(run: Run, query: Query) -> list[str] | None:
    """The docnos of the run's list for the query's paper, best first; None if it has no list."""
    # A run with a facet has lists only for the queries with that facet.
    if run.parameters.get("facet", query.facet.key) != query.facet.key:
        return None
    rankings = run.rankings.filter(query_paper=query.query_paper_id)
    docnos: list[str] | None = rankings.values_list("docnos", flat=True).first()
    return docnos


def system_lines(system: System) -> Iterator[str]:
    """The lines of a TREC run file of a system with lists of its own; the topics are queries.

    The scores count down from the length of the list: those of an imported file may be distances,
    whose order a reader of the file would turn around.
    """
    names = sorted(system.rankings.values_list("query__name", "pk"))
    for query, ranking in names:
        docnos = system.rankings.values_list("docnos", flat=True).get(pk=ranking)
        scored = (Scored(docno, float(len(docnos) - rank)) for rank, docno in enumerate(docnos))
        yield from write_run({query: scored}, tag=system.name)


def _run_lists(system: System, queries: Names[str] | None) -> Iterator[tuple[str, list[str]]]:
    run = system.collection.runs.filter(name=system.name).first()
    if run is None:
        return
    names = query_names_of(run)
    rows = run.rankings.order_by("pk").values_list("query_paper__name", "docnos")
    if queries is not None:
        names = {
            paper: [name for name in names_of_paper if name in queries]
            for paper, names_of_paper in names.items()
        }
        rows = rows.filter(query_paper__name__in=[paper for paper, few in names.items() if few])
    for paper, docnos in rows.iterator(READ_TOGETHER):
        for name in names.get(paper, ()):
            yield name, docnos


def lists_digest(system: System, runs: dict[str, str]) -> str:
    """A digest of the system's lists; `runs` has the digests of the present runs by name."""
    return runs.get(system.name, "") if system.kind == SystemKind.RUN else system.sha256


def run_digests(collection: Collection) -> dict[str, str]:
    return dict(Run.objects.filter(collection=collection).values_list("name", "sha256"))


def systems_with_digests(collection: Collection) -> list[tuple[System, str]]:
    """The systems by name, each with a digest of its lists."""
    runs = run_digests(collection)
    return [(system, lists_digest(system, runs)) for system in collection.systems.order_by("name")]
