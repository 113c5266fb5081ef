"""How drawn pools get into the database: spooled to disk as they are drawn, then written at once.

Nothing is locked while pools are drawn. The transaction that writes them does nothing but insert
rows, because on SQLite everybody else's writing waits for it, and because pools must appear all or
not at all.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from django.conf import settings

from corpus.texts import canonical_json
from database.bulk import insert_rows
from jobs.space import DiskFull, room_in
from pooling import strategies
from pooling.models import Candidate, Contribution, DrawnList, Exclusion, Pool, PoolBuild
from pooling.services.corpus import Known
from pooling.services.errors import PoolingError

POOLS = 200  # written at a time


def lacking(drawn: strategies.Drawn) -> dict[str, int]:
    """The shortfall, without the sources that gave all they were asked for."""
    return {name: lacks for name, lacks in drawn.shortfall.items() if lacks}


class Drawing(NamedTuple):
    """One drawn pool, with all that its rows need."""

    query_paper_id: int
    docno: str
    drawn: strategies.Drawn
    contributions: tuple[strategies.Contribution, ...]
    documents: dict[str, Known]


class Drawings:
    """Drawn pools on disk, in the order in which they came, which is by docno."""

    def __init__(self, folder: Path) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - closed by close()
        self._digest = hashlib.sha256(b"{")
        self.count = self.candidates = 0
        self.facts: dict[str, dict[str, Any]] = {}  # by query paper, as the manifest has them

    def close(self) -> None:
        self._file.close()

    def add(self, drawing: Drawing) -> None:
        pickle.dump(drawing, self._file, pickle.HIGHEST_PROTOCOL)
        separator = b"," if self.count else b""
        key, content = canonical_json(drawing.docno), canonical_json(drawing.contributions)
        self._digest.update(separator + key + b":" + content)
        self.facts[drawing.docno] = {
            "order": list(drawing.drawn.order),
            "size": len(drawing.drawn.entries),
            "shortfall": lacking(drawing.drawn),
            "depth": drawing.drawn.depth,
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        self.count += 1
        self.candidates += len(drawing.drawn.entries)

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of {docno: contributions} in canonical JSON, without ever holding it."""
        digest = self._digest.copy()
        digest.update(b"}")
        return digest.hexdigest()

    def batches(self) -> Iterator[list[Drawing]]:
        self._file.seek(0)
        left = self.count
        while left:
            size = min(POOLS, left)
            yield [pickle.load(self._file) for _ in range(size)]
            left -= size


@contextmanager
def spooled() -> Iterator[Drawings]:
    """Room on the disk for drawn pools. Raises PoolingError, inside or at the end, for too little.

    It is in the data folder, not in /tmp, which can be memory: pools take gigabytes by thousands.
    """
    folder = Path(settings.DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with room_in(folder), closing(Drawings(folder)) as drawings:
            yield drawings
    except DiskFull as error:
        raise PoolingError(str(error)) from error


def remove_drafts(drafts: Iterable[int]) -> None:
    """Delete draft pools by primary key, with their candidates.

    Three statements a batch; Django would first read the millions of rows to delete.
    """
    keys = list(drafts)
    for start in range(0, len(keys), POOLS):
        some = keys[start : start + POOLS]
        for rows in (
            Contribution.objects.filter(candidate__pool__in=some),
            Candidate.objects.filter(pool__in=some),
            Pool.objects.filter(pk__in=some),
        ):
            rows.order_by()._raw_delete(rows.db)


def keep_drawings(build: PoolBuild, drawings: Drawings) -> None:
    """Write all pools, candidates and contributions; inside a transaction."""
    for batch in drawings.batches():
        pools = Pool.objects.bulk_create(
            Pool(
                query_paper_id=one.query_paper_id,
                build=build,
                retriever_order=list(one.drawn.order),
                shortfall=lacking(one.drawn),
                depth=one.drawn.depth,
            )
            for one in batch
        )
        DrawnList.objects.bulk_create(
            DrawnList(
                build=build,
                query_paper=one.docno,
                documents=[entry.docno for entry in one.drawn.entries],
            )
            for one in batch
        )
        ids = {one.query_paper_id: pool.pk for one, pool in zip(batch, pools, strict=True)}
        _keep_candidates(ids, batch)
        _keep_contributions(ids, batch)


def _keep_candidates(pools: Mapping[int, int], batch: list[Drawing]) -> None:
    insert_rows(
        Candidate,
        ("pool", "document", "position", "excluded", "inclusion"),
        (
            (
                pools[one.query_paper_id],
                one.documents[entry.docno].pk,
                entry.sequence,
                "" if one.documents[entry.docno].has_text else Exclusion.NO_TEXT.value,
                one.drawn.inclusion[entry.docno] if one.drawn.inclusion else None,
            )
            for one in batch
            for entry in one.drawn.entries
        ),
    )


def _keep_contributions(pools: Mapping[int, int], batch: list[Drawing]) -> None:
    rows = Candidate.objects.order_by().filter(pool__in=pools.values())
    candidates: dict[tuple[Any, Any], int] = {
        (pool, position): pk for pool, position, pk in rows.values_list("pool", "position", "pk")
    }
    insert_rows(
        Contribution,
        ("candidate", "source", "rank", "score", "drawn"),
        (
            (
                candidates[pools[drawing.query_paper_id], one.sequence],
                one.source,
                one.rank,
                one.score,
                one.drawn,
            )
            for drawing in batch
            for one in drawing.contributions
        ),
    )
