"""The jobs that create and import runs."""

from __future__ import annotations

from typing import Any

from jobs.lease import Lease
from jobs.registry import handles
from jobs.uploaded_files import place_of
from retrieval import services
from retrieval.uploads import EMBEDDINGS_KIND, RUN_KIND


@handles("retrieve", title="Rank documents for the queries", page="runs")
def retrieve(lease: Lease) -> dict[str, Any]:
    run = services.retrieve(collection=lease.collection, work=lease, **lease.parameters)
    return {"run": run.name}


@handles(RUN_KIND, title="Import a run", page="runs", reads=("path",))
def import_run(lease: Lease) -> dict[str, Any]:
    values = {**lease.parameters, "path": place_of(lease.parameters)}
    if values.pop("dry_run", False):
        file = services.RunFile(values["path"], values["filename"], values["name"])
        options = services.RunOptions(values["qrels"], values["prefix"], values["topic_prefix"])
        return services.check_run(
            collection=lease.collection, file=file, options=options, work=lease
        )
    run = services.import_run(collection=lease.collection, work=lease, **values)
    return {"run": run.name}


@handles(EMBEDDINGS_KIND, title="Import vectors", page="runs", reads=("vectors", "docnos"))
def import_embeddings(lease: Lease) -> dict[str, Any]:
    parameters = lease.parameters
    run = services.import_embeddings(
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
    return {"run": run.name}
