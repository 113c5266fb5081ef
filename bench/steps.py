"""The measured steps, one per process: `python -m bench.steps STEP …` ends with a line of JSON.

The environment sets the database and the folder. Preparation (Django, the rows that a step reads)
is not in its time. Memory is that of the whole process.
"""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.processes import Values
from bench.step_commands import Clock, Step, run_timed_step
from bench.worker import end_of

if TYPE_CHECKING:
    from accounts.models import Collection
    from corpus.models import QueryPaper
    from jobs.context import DirectRun

SLUG = "bench"
QUERIES, DEPTH = 50, 500
QUERY_PAPERS = 3_800
RUNS, DRAWN = 7, 6  # 7 × 6 drawn and about 19 cited documents make about 60 candidates
CSFCUBE = ("tfidf", "cbow", "tfidf_cbow")  # its retrievers, each on titles and on abstracts


def prepare(clock: Clock) -> Values:
    """An empty database and a collection."""
    from django.core.management import call_command

    from corpus.services import create_collection

    call_command("migrate", verbosity=0)
    create_collection(slug=SLUG, name="Bench", seed="bench")
    return {}


def import_corpus(clock: Clock, path: str) -> Values:
    from corpus.documents.importing import import_documents

    with clock.running():
        report = import_documents(collection=_collection(), path=Path(path), work=_work())
    return {"documents": report.documents}


def import_sub_corpus(clock: Clock, path: str, works: str, size: str) -> Values:
    """Import a sampled sub-corpus of a dump, with MDCR's filter and its choice of query papers.

    The query papers are of the year of the middle work.
    """
    import numpy as np

    from bench.corpus import years_of
    from corpus.documents.import_options import DocumentImportOptions
    from corpus.documents.importing import import_documents
    from corpus.selection.filters import Recipe
    from corpus.selection.sub_corpus import SubCorpus

    (year,) = years_of(np.array([int(works) // 2]))
    sub_corpus = SubCorpus.parsed(int(size), per_field=200, years=str(year))
    options = DocumentImportOptions(recipe=Recipe.parsed(named="mdcr"), selection=sub_corpus)
    with clock.running():
        report = import_documents(
            collection=_collection(), path=Path(path), work=_work(), options=options
        )
    return {
        "documents": report.documents,
        "query papers": report.sub_corpus["query_papers"],
        "cited": report.sub_corpus["cited"],
    }


def digest(clock: Clock) -> Values:
    from corpus.state import corpus_digest

    with clock.running():
        return {"sha256": corpus_digest(_collection())}


def index(clock: Clock, name: str) -> Values:
    from retrieval.services import open_index

    with clock.running():
        open_index(collection=_collection(), name=name, work=_work())
    return {"disk": _disk(_indexes(), name)}


def search(clock: Clock, name: str) -> Values:
    """Search for 50 query papers to depth 500 in an index that exists."""
    from retrieval.retrievers import QueryText

    ranker = _opened(name)
    queries = [
        QueryText(
            document.docno,
            document.title,
            document.abstract,
            document.year,
            tuple(document.references),
        )
        for document in _collection().documents.order_by("digest")[:QUERIES]
    ]
    with clock.running():
        lists = dict(ranker.rank(queries, DEPTH, lambda _: None))
    return {"found": sum(map(len, lists.values()))}


def reopen(clock: Clock, *names: str) -> Values:
    """Open every index again, as a second start does."""
    with clock.running():
        for name in names:
            _opened(name)
    return {}


def query_papers(clock: Clock) -> Values:
    """Create 3,800 query papers, or a tenth of the documents if that is less."""
    return {"query papers": len(_query_papers(_collection()))}


def corpus_sizes(clock: Clock, *names: str) -> Values:
    """A sub-corpus of all documents: written, then indexed, ranked and scored side by side."""
    from tempfile import TemporaryDirectory

    from evaluation.corpus_sizes.measuring import QUERIES as QUERY_FILE
    from evaluation.corpus_sizes.measuring import TEXTS, write_queries
    from evaluation.corpus_sizes.processes import measure_retrievers
    from evaluation.corpus_sizes.reading import read_citations, write_texts

    means: dict[str, Any] = {}
    start, ends = time.perf_counter(), {}

    def keep(name: str, values: Any) -> None:
        means[name], ends[name] = values, round(time.perf_counter() - start)

    with TemporaryDirectory(dir=_indexes().parent.parent.parent) as folder, clock.running():
        rows = read_citations(_collection(), _work())
        write_texts(_collection(), rows.pks, Path(folder, TEXTS), _work())
        queries = [(q.docno, q.title, q.abstract, list(q.positives)) for q in rows.queries]
        write_queries(Path(folder, QUERY_FILE), queries)
        del rows
        ends["texts"] = round(time.perf_counter() - start)
        measure_retrievers(Path(folder), names, _work(), report=lambda _: None, keep=keep)
    children = os.times()
    cpu = clock.computing + children.children_user + children.children_system
    return {"queries": len(queries), "cpu": cpu, "means": means, "ends": ends}


def invent_runs(clock: Clock) -> Values:
    """Create query papers, and runs for them that overlap like those of good retrievers."""
    import numpy as np

    from retrieval.models import Ranking, Run

    collection = _collection()
    query_papers(clock)
    papers = list(collection.query_papers.order_by("pk"))
    docnos = list(collection.documents.order_by("pk").values_list("docno", flat=True))
    depth = min(DEPTH, len(docnos) // 4)
    for name in _run_names():
        run = Run.objects.create(
            collection=collection, name=name, kind="file", depth=depth, sha256=name
        )
        made = []
        for number, paper in enumerate(papers):
            # All runs of a paper rank the same 2½ × depth documents, each run in its own order.
            near = np.random.default_rng(number).choice(len(docnos), depth * 5 // 2, replace=False)
            order = np.random.default_rng([number, len(name), ord(name[-1])]).permutation(near)
            ranked = [docnos[place] for place in order[:depth] if docnos[place] != str(paper)]
            scores = [float(score) for score in np.linspace(30, 5, len(ranked))]
            made.append(Ranking(run=run, query_paper=paper, docnos=ranked, scores=scores))
        Ranking.objects.bulk_create(made, batch_size=100)
    return {"query papers": len(papers)}


def retrieve(clock: Clock, name: str) -> Values:
    """A job that ranks for every query paper, in an index that exists, and stores the run."""
    from retrieval.models import Ranking
    from retrieval.services.runs import request_run

    ended = end_of(request_run(collection=_collection(), name=name, depth=DEPTH, requested_by=None))
    return {**ended, "lists": Ranking.objects.filter(run__name=name).count()}


def pools(clock: Clock) -> Values:
    """A job that builds pools from the invented runs."""
    from pooling.models import Candidate, Contribution
    from pooling.services import PoolPlan, request_pools

    plan = PoolPlan.take(DRAWN, runs=_run_names(), depth=DEPTH)
    ended = end_of(request_pools(collection=_collection(), plan=plan, requested_by=None))
    return {
        **ended,
        "candidates": Candidate.objects.count(),
        "contributions": Contribution.objects.count(),
    }


def retrievers() -> list[str]:
    """Every lexical or trained retriever."""
    from retrieval.retrievers import CATALOGUE

    return [name for name in CATALOGUE if name.startswith(("bm25", *CSFCUBE))]


STEPS: dict[str, Step] = {
    "prepare": prepare,
    "import": import_corpus,
    "sub-corpus": import_sub_corpus,
    "digest": digest,
    "index": index,
    "search": search,
    "reopen": reopen,
    "query-papers": query_papers,
    "corpus-sizes": corpus_sizes,
    "invent-runs": invent_runs,
    "retrieve": retrieve,
    "pools": pools,
}


def _collection() -> Collection:
    from accounts.models import Collection

    return Collection.objects.get(slug=SLUG)


def _work() -> DirectRun:
    from jobs.context import DirectRun

    return DirectRun(io.StringIO())


def _run_names() -> tuple[str, ...]:
    return tuple(f"invented_{number}" for number in range(RUNS))


def _indexes() -> Path:
    from django.conf import settings

    return Path(settings.ARTEFACT_DIR) / SLUG / "indexes"


def _opened(name: str) -> Any:
    """The built index, opened without a query for the state of the corpus."""
    from retrieval.retrievers import retriever

    (folder,) = _indexes().glob(f"{name}-*")
    return retriever(name).open(folder)


def _disk(folder: Path, name: str) -> int:
    """Bytes of one index. Folders that indexes share have other names and are not included."""
    return sum(
        path.stat().st_size
        for found in folder.glob(f"{name}-*")
        for path in found.rglob("*")
        if path.is_file()
    )


def _query_papers(collection: Collection) -> list[QueryPaper]:
    from corpus.models import Query, QueryPaper

    facet = collection.facets.get(key="method")
    size = collection.documents.count()
    wanted = min(QUERY_PAPERS, max(1, size // 10))
    documents = collection.documents.order_by("pk")[size // 2 : size // 2 + wanted]
    papers = QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, document=document, name=document.docno)
        for document in documents
    )
    Query.objects.bulk_create(
        Query(collection=collection, query_paper=paper, facet=facet, name=f"{paper}_method")
        for paper in papers
    )
    return papers


if __name__ == "__main__":
    run_timed_step(STEPS, sys.argv[1:])
