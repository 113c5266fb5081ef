"""The jobs that create and import runs."""

from __future__ import annotations

from dataclasses import asdict

from jobs.context import JobResult
from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import handles
from jobs.uploaded_files import place_of
from retrieval import services
from retrieval.uploads import EMBEDDINGS_KIND, RUN_KIND


@handles(
    "retrieve",
    title="Rank documents for the queries",
    page="runs",
    result=("system", "name"),
    queue=JobQueue.MEMORY,
)
def retrieve(lease: Lease) -> None:
    services.retrieve(collection=lease.collection, work=lease, **lease.parameters)


@handles(
    RUN_KIND,
    title="Import a run",
    page="runs",
    result=("system", "name"),
    reads=("path",),
    form="import-run",
)
def import_run(lease: Lease) -> JobResult | None:
    values = {**lease.parameters, "path": place_of(lease.parameters)}
    if values.pop("dry_run", False):
        file = services.RunFile(values["path"], values["filename"], values["name"])
        options = services.RunOptions(values["qrels"], values["prefix"], values["topic_prefix"])
        rows, report = services.check_run(
            collection=lease.collection, file=file, options=options, work=lease
        )
        return {**rows, **asdict(report)}
    services.import_run(collection=lease.collection, work=lease, **values)
    return None


@handles(
    EMBEDDINGS_KIND,
    title="Import vectors",
    page="runs",
    result=("system", "name"),
    reads=("vectors", "docnos"),
    form="import-embeddings",
)
def import_embeddings(lease: Lease) -> None:
    parameters = lease.parameters
    services.import_embeddings(
        collection=lease.collection,
        vectors=place_of(parameters, "vectors"),
        docnos=place_of(parameters, "docnos"),
        vectors_name=parameters["filename"],
        docnos_name=parameters["docnos_name"],
        name=parameters["name"],
        metric=parameters["metric"],
        depth=parameters["depth"],
        work=lease,
    )
