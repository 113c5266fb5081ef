"""Pools of documents that were judged elsewhere. Their source is `imported`, without ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.models import Document, QueryPaper
from pooling.models import Candidate, Contribution, Pool, PoolBuild
from pooling.provenance import IMPORTED


def create_imported_pools(
    *,
    collection: Collection,
    documents: Mapping[QueryPaper, Sequence[Document]],
    files: Mapping[str, str],
    built_by: User | None,
) -> int:
    """Make a pool of these documents for each query paper, in place of its draft.

    Needs a transaction. `files` are the SHA-256 of the imported files by name, for the manifest.
    No document is excluded, because each of them was judged. Returns the number of pools.
    """
    lock_collection(collection)
    if not documents:
        return 0
    drafts = Pool.objects.drafts().filter(query_paper__in=list(documents))
    drafts.update(query_paper=None)
    build = PoolBuild.objects.create(
        collection=collection,
        manifest={
            "format": 1,
            "source": IMPORTED,
            "files": dict(files),
            "pools": {"count": len(documents)},
        },
        built_by=built_by,
    )
    for paper, pooled in documents.items():
        _create_pool(build, paper, pooled)
    return len(documents)


def _create_pool(build: PoolBuild, paper: QueryPaper, documents: Sequence[Document]) -> None:
    pool = Pool.objects.create(
        query_paper=paper,
        build=build,
        drawn={IMPORTED: len(documents)},
        size=len(documents),
        to_judge=len(documents),
    )
    candidates = Candidate.objects.bulk_create(
        Candidate(pool=pool, document=document, position=position)
        for position, document in enumerate(documents, start=1)
    )
    Contribution.objects.bulk_create(
        Contribution(candidate=candidate, source=IMPORTED, drawn=True) for candidate in candidates
    )
