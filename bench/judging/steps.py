"""What is measured of a judging state inside a process: `python -m bench.judging.steps STEP …`.

The environment says which database and which folder. Like `bench.steps`, each step ends with a line
of JSON, and what it needs first is not in its time.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bench.judging.state import SLUG
from bench.processes import Values
from bench.step_commands import Clock, Step, run_timed_step
from bench.transactions import longest_transaction
from bench.worker import end_of
from jobs.context import DirectRun

if TYPE_CHECKING:
    from accounts.models import Collection
    from agreement.summary import RatedPair


def annotators(clock: Clock, count: str) -> Values:
    """Annotators with pairs left, two of a query after each other, so that some meet in a query."""
    from annotation.models import SlotCount

    left: dict[str, int] = {}
    by_query: dict[int, list[str]] = {}
    counts = SlotCount.objects.filter(query__collection__slug=SLUG).order_by("query_id", "number")
    for query, name, total, judged in counts.values_list(
        "query_id", "annotator__username", "total", "judged"
    ):
        left[name] = left.get(name, 0) + total - judged
        if judged < total:
            by_query.setdefault(query, []).append(name)
    together = [name for names in by_query.values() if len(names) > 1 for name in names]
    alone = [name for names in by_query.values() for name in names]
    chosen = list(dict.fromkeys([*together, *alone]))[: int(count)]
    return {"annotators": chosen, "left": [left[name] for name in chosen]}


def fullest_query(clock: Clock) -> Values:
    """The annotator and the query with the most pairs left to that annotator."""
    from django.db.models import F

    from annotation.models import SlotCount

    counts = SlotCount.objects.filter(query__collection__slug=SLUG)
    by_left = counts.order_by((F("total") - F("judged")).desc(), "pk")
    fullest = by_left.select_related("query", "annotator")[0]
    return {"annotator": fullest.annotator.username, "query": fullest.query.name}


def judgments(clock: Clock) -> Values:
    """How many there are, and pairs that more than two people judged or one judged twice."""
    from django.db.models import Count

    from annotation.models import Judgment

    first = Judgment.objects.filter(slot__pair__query__collection__slug=SLUG, sequence=1)
    by_pair = first.order_by().values("slot__pair")
    judged = by_pair.annotate(people=Count("annotator", distinct=True), times=Count("pk"))
    return {
        "judgments": first.count(),
        "over": judged.filter(people__gt=2).count() + judged.filter(times__gt=2).count(),
    }


def document(clock: Clock) -> Values:
    """A document that is in many pools."""
    from django.db.models import Count

    pooled = _collection().documents.annotate(pools=Count("candidacies"))
    chosen = pooled.order_by("-pools", "docno").first()
    assert chosen is not None
    return {"docno": chosen.docno}


def summarize(clock: Clock, queries: str, pairs: str) -> Values:
    """The statistics alone, from values in memory to the report's JSON types."""
    from agreement.coefficients import Missing
    from agreement.summary import as_json_dict
    from agreement.summary import summarize as summary_of

    with clock.running():
        summary = summary_of(_rated(int(queries), int(pairs)), Missing.EXCLUDE, ("method",))
        as_json_dict(SLUG, Missing.EXCLUDE, summary)
    return {}


def _rated(queries: int, pairs: int) -> Iterator[RatedPair]:
    import numpy as np

    from agreement.summary import RatedPair

    for query in range(queries):
        grades = np.random.default_rng(query).choice(4, (3, pairs), p=(0.55, 0.25, 0.14, 0.06))
        for first, second, final in zip(*grades.tolist(), strict=True):
            yield RatedPair(f"q{query}_method", "method", first, second, final)


def report(clock: Clock, missing: str) -> Values:
    """A job that computes and stores an agreement report, unless nothing changed."""
    from agreement.services import AgreementReport
    from reports.services import request_report

    return end_of(request_report(AgreementReport(missing), collection=_collection()))


def publish(clock: Clock, version: str) -> Values:
    """A job that releases everything, against all findings of the gate."""
    from release.gate.checks import ACCEPTABLE
    from release.services import request_release

    collection, accept = _collection(), dict.fromkeys(ACCEPTABLE, "A benchmark.")
    ended = end_of(request_release(collection=collection, version=version, accept=accept))
    release = collection.releases.get(version=version)
    return {**ended, "size": release.size, "sha256": release.sha256}


def released(clock: Clock, version: str) -> Values:
    return {"released": _collection().releases.filter(version=version).exists()}


def import_again(clock: Clock, version: str, slug: str) -> Values:
    """The import of that release as another collection."""
    from release.files import path_of
    from release.importing.service import import_release

    path = path_of(SLUG, version)
    with clock.running(), longest_transaction() as longest:
        report = import_release(path=path, slug=slug, work=DirectRun(io.StringIO()))
    return {"judgments": report.judgments, "longest": longest[0]}


def due_check(clock: Clock) -> Values:
    """The due-check of a worker after a judgment: `statements` of it, and the seconds."""
    from django.db import connection

    from agreement.tasks import due_reports

    statements = 0

    def count(execute: Any, *given: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*given)

    with connection.execute_wrapper(count), clock.running():
        due = list(due_reports())
    return {"statements": statements, "due": len(due)}


def prepare_pools(clock: Clock, papers: str) -> Values:
    """A second collection with query papers and runs, but no pools."""
    from annotation.services import set_up_collection
    from bench.judging.state_pools import make_documents, make_queries, make_runs

    count = int(papers)
    collection = set_up_collection(slug="unpooled", name="Not pooled yet", seed="bench")
    make_documents(collection, count, seed=8)
    asked = make_queries(collection, count)
    make_runs(collection, [query.query_paper for query in asked], seed=8)
    return {}


def pools(clock: Clock) -> Values:
    """A job that builds pools from 7 runs, or the same again over the drafts."""
    from accounts.models import Collection
    from bench.judging.state_pools import plan_of_pools
    from pooling.services import request_pools

    collection = Collection.objects.get(slug="unpooled")
    return end_of(request_pools(collection=collection, plan=plan_of_pools(), requested_by=None))


# Of addresses that have no figure of the pools.
FIGURES = {
    "shadow-judge-figure": "model-parts",
    "estimates-figure": "estimates",
    "yields-figure": "yield-curve",
}


def addresses(clock: Clock, version: str) -> Values:
    """Every address that needs nothing but one collection, query, document, run and version, the
    round and the model of `bench.later`."""
    from django.urls import get_resolver, reverse

    values = _values(version)
    routes = get_resolver().reverse_dict
    found = {}
    for name in filter(lambda name: isinstance(name, str), routes):
        for ((route, parameters),), *_ in routes.getlist(name):
            named = values | {"name": values["run" if "/runs/" in route else "query"]}
            if "/systems/" in route:
                named["name"] = values["run"]
            if "/pool-rounds/" in route:
                named["name"] = "late_1"
            named["figure"] = FIGURES.get(str(name), values["figure"])
            if named.keys() >= set(parameters):
                found[str(name)] = reverse(name, kwargs={key: named[key] for key in parameters})
    return {"addresses": found}


def _values(version: str) -> dict[str, str]:
    """A value of each parameter of an address that does not name a row of its own."""
    from annotation.models import SlotCount

    collection = _collection()
    left = SlotCount.objects.filter(query__collection=collection).order_by("judged", "pk")
    facet = collection.facets.order_by("position").first()
    run = collection.runs.order_by("name").first()
    assert facet is not None
    assert run is not None
    return {
        "slug": SLUG,
        "version": version,
        "docno": document(Clock())["docno"],
        "query": left[0].query.name,
        "user_id": str(left[0].annotator_id),
        "run": run.name,
        "facet": facet.slug,
        "missing": "exclude",
        "extension": "pdf",
        "figure": "depth",
        "shadow_judge": "model",
        "round_number": "2",
    }


STEPS: dict[str, Step] = {
    "annotators": annotators,
    "fullest-query": fullest_query,
    "judgments": judgments,
    "document": document,
    "summarize": summarize,
    "report": report,
    "publish": publish,
    "released": released,
    "import-again": import_again,
    "due-check": due_check,
    "prepare-pools": prepare_pools,
    "pools": pools,
    "addresses": addresses,
}


def _collection() -> Collection:
    from accounts.models import Collection

    return Collection.objects.get(slug=SLUG)


if __name__ == "__main__":
    run_timed_step(STEPS, sys.argv[1:])
