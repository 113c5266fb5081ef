"""Pools of documents that were labelled elsewhere, without ranks and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.models import QueryPaper
from database.bulk import insert_rows
from database.consistent_reads import batched
from pooling.models import Candidate, Contribution, ExclusionReason, Pool, PoolBuild
from pooling.provenance import IMPORTED

TOGETHER = 50  # pools in a statement
SourceOf = Mapping[int, str]  # the source of each document, by its primary key


def create_imported_pools(
    *,
    collection: Collection,
    documents: Mapping[QueryPaper, SourceOf],
    files: Mapping[str, str],
    built_by: User | None,
    origin: str = IMPORTED,
    forced: Sequence[str] = (),
    without_text: frozenset[int] = frozenset(),
) -> int:
    """Make a pool of these documents for each query paper, in place of its draft.

    Needs a transaction. `files` are the SHA-256 of the imported files by name, for the manifest,
    whose source is `origin`. `forced` are sources of known positives. Documents in `without_text`
    cannot be judged, so they are excluded. Returns the number of pools.
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
            "source": origin,
            "files": dict(files),
            **({"forced": list(forced)} if forced else {}),
            "pools": {"count": len(documents)},
        },
        built_by=built_by,
    )
    for part in batched(list(documents.items()), TOGETHER):
        _create_part(build, dict(part), forced, without_text)
    return len(documents)


def _create_part(
    build: PoolBuild,
    documents: Mapping[QueryPaper, SourceOf],
    forced: Sequence[str],
    without_text: frozenset[int],
) -> None:
    created = Pool.objects.bulk_create(
        Pool(
            query_paper=paper,
            build=build,
            drawn=dict(Counter(sources.values())),
            size=len(sources),
            to_judge=len(sources.keys() - without_text),
            forced=sum(source in forced for source in sources.values()),
        )
        for paper, sources in documents.items()
    )
    pools = {pool.pk: documents[pool.query_paper] for pool in created}
    insert_rows(
        Candidate,
        ("pool", "document", "position", "excluded"),
        (
            (pool, document, position, _exclusion(document, without_text))
            for pool, sources in pools.items()
            for position, document in enumerate(sources, start=1)
        ),
    )
    candidates = Candidate.objects.filter(pool__in=pools).order_by()
    rows = list(candidates.values_list("pk", "pool", "document"))
    insert_rows(
        Contribution,
        ("candidate", "source", "drawn"),
        ((pk, pools[pool][document], True) for pk, pool, document in rows),
    )


def _exclusion(document: int, without_text: frozenset[int]) -> str:
    return ExclusionReason.NO_TEXT.value if document in without_text else ""
