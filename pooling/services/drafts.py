"""Storage of drawn pools: a file on disk, then rows in parts, then one small swap.

Nothing is locked while pools are drawn. On SQLite all other writers wait for a transaction, so each
part is a short one. Its pools are hidden: they have no query paper. The swap gives each new pool
its query paper and takes it from the old draft, so that all pools appear at once or none. The old
drafts are deleted in parts too. See docs/adr/0019-drafts-in-parts.md.
"""

from __future__ import annotations

import hashlib
import pickle
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts.models import Collection
from corpus.digests import canonical_json
from corpus.state import CorpusDocument
from database.bulk import insert_rows
from jobs.context import JobContext
from pooling import strategies
from pooling.errors import PoolingError
from pooling.models import (
    BuildRun,
    Candidate,
    Contribution,
    DrawnList,
    ExclusionReason,
    Pool,
    PoolBuild,
    PoolQuerySet,
)
from retrieval.models import Ranking, Run
from web.disk import DiskFull, room_in

# Of a transaction: candidates and contributions to insert, and candidates to delete. On SQLite
# 4,000 inserted rows, or 2,000 deleted candidates, take less than 0.1 s.
INSERTED_ROWS = 4_000
DELETED_CANDIDATES = 2_000
DELETED_LISTS = 200  # ranked lists of some 10 kB each
# SQLite has no queue. Waiting writers look again after about 1 ms (docs/adr/0020-fair-writers.md).
# Without a pause between two parts they would rarely find the lock free.
PAUSE_SECONDS = 0.01
# A build without a new part for so long was killed. Its rows are deleted.
SILENT = timedelta(minutes=10)


def shortfall_of(pool: strategies.DrawnPool) -> dict[str, int]:
    """The shortfall, without the sources that have none."""
    return {name: missing for name, missing in pool.shortfall.items() if missing}


class NewPool(NamedTuple):
    """A drawn pool, with everything that its rows need."""

    query_paper_id: int
    docno: str
    pool: strategies.DrawnPool
    contributions: tuple[strategies.DrawnContribution, ...]
    documents: dict[str, CorpusDocument]
    is_topic: bool = False


class NewPoolFile:
    """Drawn pools in a temporary file, in the order added, which is by docno."""

    def __init__(self, folder: Path) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - closed by close()
        self._digest = hashlib.sha256(b"{")
        self.count = self.candidates = 0
        self.facts: dict[str, dict[str, Any]] = {}  # by query paper, as the manifest has them

    def close(self) -> None:
        self._file.close()

    def add(self, new_pool: NewPool, more_facts: Mapping[str, Any] | None = None) -> None:
        """Add a pool, whose facts in the manifest include `more_facts`."""
        pickle.dump(new_pool, self._file, pickle.HIGHEST_PROTOCOL)
        separator = b"," if self.count else b""
        key, content = canonical_json(new_pool.docno), canonical_json(new_pool.contributions)
        self._digest.update(separator + key + b":" + content)
        self.facts[new_pool.docno] = {
            "order": list(new_pool.pool.order),
            "size": len(new_pool.pool.entries),
            "shortfall": shortfall_of(new_pool.pool),
            "depth": new_pool.pool.depth,
            "sha256": hashlib.sha256(content).hexdigest(),
            # Only where it is true, so that the manifests of other collections stay as they were.
            **({"topic": True} if new_pool.is_topic else {}),
            **(more_facts or {}),
        }
        self.count += 1
        self.candidates += len(new_pool.pool.entries)

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of {docno: contributions} in canonical JSON, updated with every pool."""
        digest = self._digest.copy()
        digest.update(b"}")
        return digest.hexdigest()

    def parts(self) -> Iterator[list[NewPool]]:
        """The pools in parts of about INSERTED_ROWS rows, and of at least one pool."""
        self._file.seek(0)
        part: list[NewPool] = []
        rows = 0
        for _ in range(self.count):
            part.append(pickle.load(self._file))
            rows += len(part[-1].pool.entries) + len(part[-1].contributions)
            if rows >= INSERTED_ROWS:
                yield part
                part, rows = [], 0
        if part:
            yield part


@contextmanager
def new_pool_file() -> Iterator[NewPoolFile]:
    """A file for drawn pools. Raises PoolingError, inside or at the end, if the disk is full.

    It is in the data folder, because /tmp can be in memory and thousands of pools take gigabytes.
    """
    folder = Path(settings.DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with room_in(folder), closing(NewPoolFile(folder)) as new_pools:
            yield new_pools
    except DiskFull as error:
        raise PoolingError(str(error)) from error


class SweptMeanwhile(PoolingError):
    """The build had no new part for so long that its rows were deleted as those of a dead one."""

    def __init__(self) -> None:
        super().__init__("Writing the pools was interrupted for too long. Build them again.")


def write_hidden(build: PoolBuild, new_pools: NewPoolFile, work: JobContext) -> None:
    """Insert all pools in parts, each a short transaction. They are hidden until `show_pools`.

    Raises what `work` raises if the job was cancelled or taken over.
    """
    written_count = 0
    for part in new_pools.parts():
        with work.fenced():
            _note_part(build)
            _insert_part(build, part)
        written_count += len(part)
        # One more than the pools, because the swap is the last step.
        work.progress(written_count, new_pools.count + 1, "pools written")
        _let_others_write()


def show_pools(build: PoolBuild, number: int) -> None:
    """Swap the old drafts for the hidden pools of this build. Needs the collection's lock.

    Raises:
        SweptMeanwhile: not all `number` pools are there.
    """
    new_pools = Pool.with_hidden.order_by().filter(build=build, query_paper=None)
    old_drafts = Pool.objects.drafts().filter(query_paper__in=new_pools.values("drawn_for"))
    old_drafts.update(query_paper=None)
    shown_count = new_pools.update(query_paper_id=F("drawn_for"), drawn_for=None)
    complete = PoolBuild.with_incomplete.filter(pk=build.pk).update(last_part_at=None)
    if (shown_count, complete) != (number, 1):
        raise SweptMeanwhile


def _note_part(build: PoolBuild) -> None:
    incomplete_build = PoolBuild.with_incomplete.filter(pk=build.pk, last_part_at__isnull=False)
    if not incomplete_build.update(last_part_at=timezone.now()):
        raise SweptMeanwhile


def _let_others_write() -> None:
    if connection.vendor == "sqlite":
        time.sleep(PAUSE_SECONDS)


@contextmanager
def discarded_on_failure(build: PoolBuild) -> Iterator[None]:
    """Delete the build, in parts, if the writing fails or is cancelled.

    After a failure of the database itself, `delete_leftovers` finds the build later.
    """
    try:
        yield
    except Exception:
        with suppress(DatabaseError):
            while delete_part(Pool.with_hidden.hidden().filter(build=build)):
                _let_others_write()
            with transaction.atomic():
                _delete_builds(PoolBuild.with_incomplete.filter(pk=build.pk))
        raise


def delete_replaced(collection: Collection) -> None:
    """Delete the collection's hidden pools that no build is writing, in parts, and what they used.

    What they used: builds that have no pool now, and retired runs that no build used.
    """
    while delete_part(leftover_pools().filter(build__collection=collection)):
        _let_others_write()
    with transaction.atomic():
        _delete_builds(PoolBuild.objects.filter(collection=collection))
    unused_runs = Run.with_retired.filter(
        collection=collection, retired_at__isnull=False, build_runs=None
    )
    for run in unused_runs.only("pk"):
        _delete_run(run)


def delete_leftovers() -> None:
    """Delete one part of the hidden pools that no build is writing, of any collection."""
    if delete_part(leftover_pools()):
        return
    dead = PoolBuild.with_incomplete.filter(last_part_at__lt=timezone.now() - SILENT)
    if dead.exists():  # without a transaction, because on SQLite it takes the write lock
        with transaction.atomic():
            _delete_builds(dead)


def leftover_pools() -> PoolQuerySet:
    """Hidden pools that no build is writing."""
    silent = Q(build__last_part_at__lt=timezone.now() - SILENT)
    return Pool.with_hidden.hidden().filter(Q(build__last_part_at=None) | silent)


def delete_part(pools: PoolQuerySet) -> int:
    """Delete a part of these hidden pools with their candidates. Returns the number of pools.

    Three statements. `QuerySet.delete` would first read all rows.
    """
    if not pools.exists():  # without a transaction, because on SQLite it takes the write lock
        return 0
    with transaction.atomic():
        # A pool that another process is deleting, or that is being shown, is skipped.
        rows = pools.order_by("pk").select_for_update(of=("self",), skip_locked=True)
        part, candidates = [], 0
        for key, size in rows.values_list("pk", "size")[:DELETED_CANDIDATES]:
            part.append(key)
            candidates += size
            if candidates >= DELETED_CANDIDATES:
                break
        for rows_of_part in (
            # Not `candidate__pool__in`, which would join the contributions with themselves.
            Contribution.objects.filter(candidate__in=Candidate.objects.filter(pool__in=part)),
            Candidate.objects.filter(pool__in=part),
            Pool.with_hidden.filter(pk__in=part),
        ):
            rows_of_part.order_by()._raw_delete(rows_of_part.db)
    return len(part)


def _delete_builds(builds: QuerySet[PoolBuild]) -> None:
    """Delete those of the builds that have no pool. Needs a transaction.

    `QuerySet.delete` would first read their manifests, which are large.
    """
    empty = list(builds.order_by().filter(pools=None).values_list("pk", flat=True))
    for rows in (
        BuildRun.objects.filter(build__in=empty),
        DrawnList.objects.filter(build__in=empty),
        PoolBuild.with_incomplete.filter(pk__in=empty),
    ):
        rows.order_by()._raw_delete(rows.db)


def _delete_run(run: Run) -> None:
    """Delete a retired run; its lists first, in parts, because they are large."""
    lists = Ranking.objects.order_by().filter(run=run)
    while part := list(lists.values_list("pk", flat=True)[:DELETED_LISTS]):
        rows = Ranking.objects.order_by().filter(pk__in=part)
        rows._raw_delete(rows.db)
        _let_others_write()
    run.delete()


def _insert_part(build: PoolBuild, part: list[NewPool]) -> None:
    pools = Pool.with_hidden.bulk_create(_pool(build, new_pool) for new_pool in part)
    DrawnList.objects.bulk_create(
        DrawnList(
            build=build,
            query_paper=new_pool.docno,
            documents=[entry.docno for entry in new_pool.pool.entries],
        )
        for new_pool in part
    )
    ids = {new_pool.query_paper_id: pool.pk for new_pool, pool in zip(part, pools, strict=True)}
    insert_candidates(ids, part)


def insert_candidates(
    pools: Mapping[int, int], part: list[NewPool], *, round_number: int = 1
) -> None:
    """Insert the candidates of this part, and their contributions. `pools` are by query paper."""
    _insert_candidates(pools, part, round_number)
    _insert_contributions(pools, part, round_number)


def _pool(build: PoolBuild, new_pool: NewPool) -> Pool:
    drawn = new_pool.pool
    shortfall = shortfall_of(drawn)
    return Pool(
        drawn_for=new_pool.query_paper_id,
        build=build,
        retriever_order=list(drawn.order),
        shortfall=shortfall,
        depth=drawn.depth,
        drawn=dict(Counter(entry.drawer for entry in drawn.entries)),
        size=len(drawn.entries),
        to_judge=sum(new_pool.documents[entry.docno].has_text for entry in drawn.entries),
        forced=sum(entry.rank_of_drawer is None for entry in drawn.entries),
        shortfall_sum=sum(shortfall.values()),
        deepest=max(drawn.depth.values(), default=0) or None,
    )


def _insert_candidates(pools: Mapping[int, int], batch: list[NewPool], round_number: int) -> None:
    insert_rows(
        Candidate,
        ("pool", "document", "position", "excluded", "inclusion", "round"),
        (
            (
                pools[new_pool.query_paper_id],
                new_pool.documents[entry.docno].pk,
                entry.sequence,
                "" if new_pool.documents[entry.docno].has_text else ExclusionReason.NO_TEXT.value,
                new_pool.pool.inclusion[entry.docno] if new_pool.pool.inclusion else None,
                round_number,
            )
            for new_pool in batch
            for entry in new_pool.pool.entries
        ),
    )


def _insert_contributions(
    pools: Mapping[int, int], batch: list[NewPool], round_number: int
) -> None:
    own = [pools[new_pool.query_paper_id] for new_pool in batch]
    # Not the earlier ones, of which a pool has many times more.
    rows = Candidate.objects.order_by().filter(pool__in=own, round=round_number)
    candidates: dict[tuple[Any, Any], int] = {
        (pool, position): pk for pool, position, pk in rows.values_list("pool", "position", "pk")
    }
    insert_rows(
        Contribution,
        ("candidate", "source", "rank", "score", "drawn"),
        (
            (
                candidates[pools[new_pool.query_paper_id], contribution.sequence],
                contribution.source,
                contribution.rank,
                contribution.score,
                contribution.drawn,
            )
            for new_pool in batch
            for contribution in new_pool.contributions
        ),
    )
