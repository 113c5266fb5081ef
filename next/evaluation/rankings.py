"""Rankings as CSFCube's scripts read them: {query paper: [[docno, score], …]}, best first, one file a facet."""

from __future__ import annotations

import json
from typing import IO, Any

from django.conf import settings
from django.db import transaction

from accounts.models import Collection, Verb
from accounts.record import record
from accounts.services import lock_collection
from retrieval.building import insert_lists
from retrieval.lists import Ranking
from retrieval.models import Run
from retrieval.run_files import check_name
from web.errors import BadInput, Conflict

KIND = "ranking"
PUBLISHED = "published"  # a source that published pools name, without lists of its own


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
    lists: list[tuple[Any, Ranking]] = []
    for paper, docnos in known.items():
        kept = [docno for docno in dict.fromkeys(docnos) if docno in corpus]
        lists.append((queries[paper], (kept, [float(len(kept) - place) for place in range(len(kept))])))
    with transaction.atomic():
        locked = lock_collection(collection)
        run = locked.runs.filter(name=name, kind__in=[KIND, PUBLISHED]).first()
        if run is None:
            check_name(locked, name)
            run = Run.objects.create(collection=locked, name=name, kind=KIND, settings={"file": filename})
        elif run.lists.filter(query__in=[query for query, _ in lists]).exists():
            raise Conflict(f"The run {name} has lists for {facet} already. Delete it first, or choose another name.")
        if outside:
            run.skipped |= {f"documents outside the corpus, {facet}": {"number": len(outside), "named": outside[:20]}}
            run.save()
        insert_lists(run, lists)
        record(Verb.IMPORTED, collection=locked, object=f"ranking {name}")
    return run


def read_ranking(file: IO[bytes], filename: str) -> dict[str, list[str]]:
    """Docnos by query paper."""
    content = file.read(settings.UPLOAD_MAX_BYTES + 1)
    if len(content) > settings.UPLOAD_MAX_BYTES:
        raise BadInput(f"{filename} has more than {settings.UPLOAD_MAX_BYTES // 1_000_000:,} MB.")
    try:
        rankings = json.loads(content)
        return {str(paper): [str(docno) for docno, *_ in entries] for paper, entries in rankings.items()} or _none()
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(f'{filename}: a ranking is {{"paper": [["docno", score], …], …}}, and this is none.') from error


def _none() -> dict[str, list[str]]:
    raise ValueError
