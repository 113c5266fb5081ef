"""Rankings of pools in the published benchmarks' own forms, as systems.

CSFCube's scripts read {query paper: [[docno, score], …]}, best first, one file a facet; MDCR's read
{"query paper_candidate": score}, the highest is the best.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from django.db import transaction

from accounts.models import Collection, Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.formats.documents import docno_of
from corpus.formats.reading import LONGEST, BadLines, Problem, text_files
from corpus.models import Query
from evaluation.mdcr import read_scores, scored_pairs
from pooling.models import Candidate
from retrieval.building import insert_lists
from retrieval.lists import Ranking, best_first
from retrieval.models import PUBLISHED, Run
from retrieval.run_files import check_name
from web.errors import BadInput, Conflict

KIND = "ranking"


def import_ranking(*, collection: Collection, file: IO[bytes], filename: str, name: str, facet: str) -> Run:
    """Add the lists of a facet to the run of this name, or make it. The order of the file is the order of the list.

    The scores may be distances: only the order counts, and n, n − 1, … stand in their place.
    """
    rankings = read_ranking(file, filename)
    queries = {query.own_docno: query for query in collection.queries.filter(facet=facet).select_related("document")}
    known = {paper: docnos for paper, docnos in rankings.items() if paper in queries}
    if not known:
        first = next(iter(rankings))
        raise BadInput(
            f"{filename}: none of its papers is a query of {collection} under {facet}. The first is {first!r}."
        )
    corpus = set(collection.documents.values_list("docno", flat=True).iterator())
    outside = sorted({docno for docnos in known.values() for docno in docnos} - corpus)
    lists: list[tuple[Query, Ranking]] = []
    for paper, docnos in known.items():
        kept = [docno for docno in dict.fromkeys(docnos) if docno in corpus]
        lists.append((queries[paper], (kept, [float(len(kept) - place) for place in range(len(kept))])))
    skipped = {f"documents outside the corpus, {facet}": {"number": len(outside), "named": outside[:20]}}
    return _add_lists(collection, name, filename, lists, skipped if outside else {})


def import_scores(*, collection: Collection, path: Path, name: str) -> Run:
    """The lists of all frozen pools, by the scores of their pairs. Pairs of no pool are ignored."""
    scores = read_scores(path)
    pooled: dict[int, list[str]] = {}
    candidates = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())
    for key, docno in candidates.values_list("pool__query", "document__docno"):
        pooled.setdefault(key, []).append(docno)
    if not pooled:
        raise Conflict(f"{collection} has no frozen pools that scores can rank.")
    lists = []
    for query in collection.queries.filter(pk__in=candidates.values("pool__query")).select_related("document"):
        paper = query.own_docno or query.name
        docnos = [docno for docno in pooled[query.pk] if docno != paper]
        lists.append((query, best_first(*scored_pairs(f"{path.name}, {query}", paper, docnos, scores))))
    return _add_lists(collection, name, path.name, lists, {})


@transaction.atomic
def _add_lists(
    collection: Collection, name: str, filename: str, lists: Sequence[tuple[Query, Ranking]], skipped: dict[str, Any]
) -> Run:
    """To the run of this name, such as a source that published pools name, or to a new one."""
    locked = lock_collection(collection)
    run = locked.runs.filter(name=name, kind__in=[KIND, PUBLISHED]).first()
    if run is None:
        check_name(locked, name)
        run = Run.objects.create(collection=locked, name=name, kind=KIND, settings={"file": filename})
    elif run.lists.filter(query__in=[query for query, _ in lists]).exists():
        raise Conflict(f"The run {name} has lists for these queries already. Delete it first, or choose another name.")
    run.skipped |= skipped
    run.save()
    insert_lists(run, lists)
    record(Verb.IMPORTED, collection=locked, object=f"ranking {name}")
    return run


def read_ranking(file: IO[bytes], filename: str) -> dict[str, list[str]]:
    """Docnos by query paper. The file is one JSON value, so it is held in memory, in ten times its size."""
    files = text_files(file, filename, BadLines(), LONGEST, "")
    content = "".join(line for text in files for _, line in text.lines())
    rankings = {}
    try:
        with suppress(ValueError, TypeError, AttributeError, RecursionError):
            entries = json.loads(content).items()
            rankings = {str(paper): [docno_of(docno, "docno") for docno, *_ in ranked] for paper, ranked in entries}
    except Problem as problem:
        raise BadInput(f"{filename}: {problem}") from problem
    if not rankings:
        raise BadInput(f'{filename}: a ranking is {{"paper": [["docno", score], …], …}}, and this is none.')
    return rankings
