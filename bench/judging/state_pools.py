"""Documents, queries, runs and pools of the state, made by the services."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.judging.state_rows import batches, work

if TYPE_CHECKING:
    from accounts.models import Collection
    from corpus.models import Query, QueryPaper
    from pooling.services import PoolPlan

CANDIDATES, RUNS, DEPTH = 66, 7, 60
FACETS = ("background", "method", "result")
DOCUMENTS_PER_QUERY = 5


def make_documents(collection: Collection, queries: int, seed: int) -> None:
    """Five for each query, at least 200."""
    from bench.corpus import write_corpus
    from corpus.documents.importing import import_documents

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl.gz"
        write_corpus(path, max(200, queries * DOCUMENTS_PER_QUERY), seed)
        import_documents(collection=collection, path=path, work=work())


def make_queries(collection: Collection, count: int) -> list[Query]:
    """One query for each query paper, under the facets in turn."""
    from corpus.models import Query, QueryPaper

    facets = [collection.facets.get(key=key) for key in FACETS]
    papers = QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, document=document, name=document.docno)
        for document in collection.documents.order_by("pk")[:count]
    )
    return Query.objects.bulk_create(
        Query(
            collection=collection,
            query_paper=paper,
            facet=facets[number % len(facets)],
            name=f"{paper}_{facets[number % len(facets)].key}",
        )
        for number, paper in enumerate(papers)
    )


def make_runs(collection: Collection, papers: Sequence[QueryPaper], seed: int) -> None:
    """Runs that overlap as those of good retrievers do: each orders the same near documents."""
    from retrieval.models import Ranking, Run
    from retrieval.services import run_lines

    docnos = list(collection.documents.order_by("pk").values_list("docno", flat=True))
    runs = [
        Run.objects.create(collection=collection, name=name, kind="file", depth=DEPTH, sha256="")
        for name in run_names()
    ]
    scores = np.linspace(30, 5, DEPTH).round(4).tolist()
    near = DEPTH * 5 // 2
    for batch in batches(enumerate(papers), 200):
        rankings = []
        for number, paper in batch:
            rng = np.random.default_rng([seed, 1, number])
            found = rng.choice(len(docnos), near + 1, replace=False, shuffle=False)
            others = [docnos[place] for place in found if docnos[place] != str(paper)][:near]
            for run in runs:
                order = rng.permutation(near)[:DEPTH].tolist()
                ranked = [others[place] for place in order]
                rankings.append(Ranking(run=run, query_paper=paper, docnos=ranked, scores=scores))
        Ranking.objects.bulk_create(rankings, batch_size=500)
    for run in runs:
        lines = hashlib.sha256()
        for line in run_lines(run):
            lines.update(line.encode())
        run.sha256 = lines.hexdigest()
        run.save(update_fields=["sha256"])


def run_names() -> tuple[str, ...]:
    """The runs that the pools are drawn from."""
    return tuple(f"invented_{number}" for number in range(1, RUNS + 1))


def plan_of_pools() -> PoolPlan:
    """66 candidates for each query paper, drawn by rank over all lists."""
    from pooling.services import PoolPlan

    return PoolPlan(
        strategy="take_b",
        parameters={"size": CANDIDATES},
        forced=(),
        runs=run_names(),
        depth=DEPTH,
    )


def make_pools(collection: Collection) -> None:
    from pooling.services import build_pools

    build_pools(collection=collection, plan=plan_of_pools(), work=work())
