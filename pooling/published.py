"""Pools in the form that MDCR publishes: read from a file, written as frozen pools, and read back from their rows.

A candidate of the type `true` is cited by the query paper, any other is not. A candidate may be of several types.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.formats.documents import docno_of
from corpus.formats.reading import Problem
from corpus.models import Document, Query, text_digest
from pooling.mdcr import TRUE
from pooling.models import Candidate, Contribution, Pool, PoolSet
from retrieval.models import PUBLISHED, Run
from retrieval.run_files import NAME
from web.errors import BadInput, Conflict

LONGEST_FIELD = 40  # characters, as in the database
Pools = Mapping[str, Mapping[str, Mapping[str, list[str]]]]  # candidates by field, query paper and type


def read_pools(path: Path) -> Pools:
    """{field: {query paper: {type: [candidate, …]}}}, each query paper with candidates of the type `true`."""
    pools: dict[str, dict[str, dict[str, list[str]]]] = {}
    for field, queries in json_object(path).items():
        for query, types in queries.items() if isinstance(queries, dict) else [("", None)]:
            if not isinstance(types, dict) or not all(isinstance(docnos, list) for docnos in types.values()):
                raise BadInput(f'{path.name}, {field}, {query}: expected {{"bm25": [candidate, …], …, "true": […]}}.')
            if not types.get(TRUE):
                raise BadInput(f"{path.name}, {field}, {query}: no candidate is “{TRUE}”, so nothing is relevant.")
            pools.setdefault(field, {})[query] = {kind: [str(d) for d in docnos] for kind, docnos in types.items()}
    if not pools:
        raise BadInput(f"{path.name} has no pools.")
    return pools


def json_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadInput(f"{path.name} must be a JSON object.")
    return value


@transaction.atomic
def import_pools(*, collection: Collection, pools: Pools) -> dict[str, int]:
    """Make the query papers queries, and their candidates frozen pools, of a collection that has none.

    Papers that are no documents yet become documents without a text. A query paper of one field is the query of its
    own id; one of several fields is a query in each, `<id>_<field>`. A query paper in its own pool is left out.
    Returns how many `queries` and `candidates` there are, and the documents that were `added`.
    """
    locked = lock_collection(collection)
    if locked.queries.exists() or locked.runs.exists():
        raise Conflict(f"{locked} has queries or runs already. Import published pools into a collection without them.")
    fields = Counter(paper for papers in pools.values() for paper in papers)
    kinds = dict.fromkeys(kind for papers in pools.values() for types in papers.values() for kind in types)
    if wrong := next((field for field in pools if len(field) > LONGEST_FIELD), None):
        raise BadInput(f"A field has at most {LONGEST_FIELD} characters, got {wrong!r}.")
    if wrong := next((kind for kind in kinds if not NAME.fullmatch(kind)), None):
        raise BadInput(f"A type of candidates is letters, digits, “-”, “_” and “.”, at most 100, got {wrong!r}.")
    runs = {kind: Run.objects.create(collection=locked, name=kind, kind=PUBLISHED) for kind in kinds if kind != TRUE}
    named = {
        docno for papers in pools.values() for types in papers.values() for each in types.values() for docno in each
    }
    documents, added = _documents(locked, {*fields, *named})
    pool_set = PoolSet.objects.create(collection=locked, plan={})
    taken: set[str] = set()
    for field, papers in pools.items():
        of_several = "_" + "-".join(field.split())
        queries = [
            Query(collection=locked, name=name, document_id=documents[paper], field=field)
            for paper, name in ((paper, paper + of_several * (fields[paper] > 1)) for paper in papers)
        ]
        if clash := next((query.name for query in queries if query.name in taken), None):
            raise BadInput(f"{field}: the id {clash} is another query's.")
        taken.update(query.name for query in queries)
        made = Pool.objects.bulk_create(
            Pool(pool_set=pool_set, query=query, source_order=[kind for kind in types if kind != TRUE])
            for query, types in zip(Query.objects.bulk_create(queries), papers.values(), strict=True)
        )
        found = [
            (Candidate(pool_id=pool.pk, document_id=documents[docno], position=position, source=names[0]), names)
            for pool, (paper, types) in zip(made, papers.items(), strict=True)
            for position, (docno, names) in enumerate(_types_of_candidates(types, paper).items(), 1)
        ]
        Candidate.objects.bulk_create((candidate for candidate, _ in found), batch_size=1000)
        Contribution.objects.bulk_create(
            (
                Contribution(candidate=candidate, run=runs[name], drawn=True)
                for candidate, names in found
                for name in names[1:]  # the first is its source
            ),
            batch_size=1000,
        )
    PoolSet.objects.filter(pk=pool_set.pk).update(frozen_at=timezone.now())
    record(Verb.IMPORTED, collection=locked, object=f"{len(taken):,} published pools")
    candidates = Candidate.objects.filter(pool__pool_set=pool_set).count()
    return {"queries": len(taken), "candidates": candidates, "added": added}


def _documents(collection: Collection, docnos: set[str]) -> tuple[dict[str, int], int]:
    """The keys of all documents by docno, and how many were made for these docnos, without a text."""
    known = dict(collection.documents.values_list("docno", "pk"))
    missing = sorted(docnos - known.keys())
    for docno in missing:
        try:
            docno_of(docno, "paper")
        except Problem as problem:
            raise BadInput(f"{docno!r}: {problem}") from problem
    digest = text_digest("", [])
    new = (Document(collection=collection, docno=docno, text_digest=digest) for docno in missing)
    Document.objects.bulk_create(new, batch_size=1000)
    return dict(collection.documents.values_list("docno", "pk")), len(missing)


def _types_of_candidates(types: Mapping[str, list[str]], paper: str) -> dict[str, list[str]]:
    """The types of each candidate, `true` first, then as the file has them."""
    found: dict[str, list[str]] = defaultdict(list)
    for kind in sorted(types, key=lambda kind: kind != TRUE):
        for docno in dict.fromkeys(types[kind]):
            if docno != paper:
                found[docno].append(kind)
    return found


def pools_of(collection: Collection) -> Pools:
    """The frozen pools whose candidates have types, imported or drawn here: by field, the query's name and type."""
    pools = Pool.objects.filter(pool_set__in=collection.pool_sets.frozen(), candidates__source=TRUE)
    candidates = Candidate.objects.filter(pool__in=pools).order_by("pool", "position")
    # What else drew a candidate is a type of it, too.
    drawn = Contribution.objects.filter(candidate__in=candidates.order_by(), drawn=True)
    rows = [
        *candidates.values_list("pool__query", "source", "document__docno"),
        *drawn.values_list("candidate__pool__query", "run__name", "candidate__document__docno"),
    ]
    queries = {query.pk: query for query in collection.queries.select_related("document")}
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for key, kind, docno in dict.fromkeys(rows):
        query = queries[key]
        found.setdefault(query.main_field, {}).setdefault(query.name, {}).setdefault(kind, []).append(docno)
    return found
