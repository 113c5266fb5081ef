"""What is measured, one step a process: `python -m bench.steps STEP …` ends with a line of JSON.

The environment says which database and which folder. What a step needs first (Django, the rows it
reads) is not in its time; memory is the whole process's.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accounts.models import Collection
    from corpus.models import QueryPaper
    from jobs.work import InPerson

SLUG = "bench"
QUERIES, DEPTH = 50, 500
QUERY_PAPERS = 3_800
RUNS, DRAWN = 7, 6  # 7 × 6 and about 19 cited make 60 candidates
CSFCUBE = ("tfidf", "cbow", "tfidf_cbow")  # its retrievers, each on titles and on abstracts

Measured = dict[str, Any]


class Clock:
    """Seconds spent inside `running`, and those of them that this process computed.

    On a machine that does other things meanwhile only the second can be compared.
    """

    seconds = computing = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        start, computed = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - start
        self.computing += time.process_time() - computed


def prepare(clock: Clock) -> Measured:
    """An empty database and a collection."""
    from django.core.management import call_command

    from corpus.services import create_collection

    call_command("migrate", verbosity=0)
    create_collection(slug=SLUG, name="Bench", seed="bench")
    return {}


def import_corpus(clock: Clock, path: str) -> Measured:
    from corpus.importing import import_documents

    with clock.running():
        report = import_documents(collection=_collection(), path=Path(path), work=_work())
    return {"documents": report.documents}


def digest(clock: Clock) -> Measured:
    from pooling.services import corpus_digest

    with clock.running():
        return {"sha256": corpus_digest(_collection())}


def index(clock: Clock, name: str) -> Measured:
    from pooling.services import open_index

    with clock.running():
        open_index(collection=_collection(), name=name, work=_work())
    return {"disk": _disk(_indexes(), name)}


def search(clock: Clock, name: str) -> Measured:
    """50 query papers to depth 500, the index being there."""
    from pooling.retrievers import QueryText

    ranker = _opened(name)
    queries = [
        QueryText(one.docno, one.title, one.abstract, one.year, tuple(one.references))
        for one in _collection().documents.order_by("digest")[:QUERIES]
    ]
    with clock.running():
        lists = dict(ranker.rank(queries, DEPTH, lambda _: None))
    return {"found": sum(map(len, lists.values()))}


def reopen(clock: Clock, *names: str) -> Measured:
    """Every index, as a second start finds them."""
    with clock.running():
        for name in names:
            _opened(name)
    return {}


def invent_runs(clock: Clock) -> Measured:
    """3,800 query papers, and runs for them that overlap as those of good retrievers do."""
    import numpy as np

    from pooling.models import Ranking, Run

    collection = _collection()
    papers = _query_papers(collection)
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
            chosen = [docnos[place] for place in order[:depth] if docnos[place] != str(paper)]
            scores = [float(one) for one in np.linspace(30, 5, len(chosen))]
            made.append(Ranking(run=run, query_paper=paper, docnos=chosen, scores=scores))
        Ranking.objects.bulk_create(made, batch_size=100)
    return {"query papers": len(papers)}


def pools(clock: Clock) -> Measured:
    from pooling.models import Candidate, Contribution
    from pooling.services import PoolPlan, build_pools

    plan = PoolPlan.take(DRAWN, runs=_run_names(), depth=DEPTH)
    work = _TimedWork()
    with clock.running():
        build_pools(collection=_collection(), plan=plan, work=work)
    return {
        "candidates": Candidate.objects.count(),
        "contributions": Contribution.objects.count(),
        "locked": round(work.locked.seconds, 2),
    }


def retrievers() -> list[str]:
    """Every lexical or trained retriever there is, as they are built here."""
    from pooling.retrievers import CATALOGUE

    return [name for name in CATALOGUE if name.startswith(("bm25", *CSFCUBE))]


STEPS: dict[str, Callable[..., Measured]] = {
    "prepare": prepare,
    "import": import_corpus,
    "digest": digest,
    "index": index,
    "search": search,
    "reopen": reopen,
    "invent-runs": invent_runs,
    "pools": pools,
}


def _collection() -> Collection:
    from accounts.models import Collection

    return Collection.objects.get(slug=SLUG)


def _work() -> InPerson:
    from jobs.work import InPerson

    return InPerson(io.StringIO())


class _TimedWork:
    """Work that measures how long everybody else's writing has to wait."""

    def __init__(self) -> None:
        self.inner, self.locked = _work(), Clock()

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        self.inner.progress(done, total, note)

    @contextmanager
    def fenced(self) -> Iterator[None]:
        with self.locked.running(), self.inner.fenced():
            yield

    def complete(self, result: dict[str, Any]) -> None:
        self.inner.complete(result)


def _run_names() -> tuple[str, ...]:
    return tuple(f"invented_{number}" for number in range(RUNS))


def _indexes() -> Path:
    from django.conf import settings

    return Path(settings.ARTEFACT_DIR) / SLUG / "indexes"


def _opened(name: str) -> Any:
    """The built index, without asking the database what state the corpus is in."""
    from pooling.retrievers import retriever

    (folder,) = _indexes().glob(f"{name}-*")
    return retriever(name).open(folder)


def _disk(folder: Path, name: str) -> int:
    """Bytes of one index. Folders that indexes share are called otherwise and counted apart."""
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
        QueryPaper(collection=collection, document=document) for document in documents
    )
    Query.objects.bulk_create(
        Query(collection=collection, query_paper=paper, facet=facet, name=f"{paper}_method")
        for paper in papers
    )
    return papers


def main(step: str, *given: str) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    clock = Clock()
    measured = STEPS[step](clock, *given)
    sys.stdout.write(
        json.dumps({**measured, "seconds": clock.seconds, "cpu": clock.computing}) + "\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
