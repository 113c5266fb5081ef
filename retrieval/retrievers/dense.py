"""Exact nearest neighbours among the rows of a `.npy` file of any size. Pure except for reading it.

Rows are read in chunks and never mapped, so memory does not grow with the file. A float32 matrix
product finds the rows that may be among the best. Only these are scored again, as float64 sums
rounded to float32. The last digits of the product depend on the processor, the library and the
position of a row in its chunk. The scores and the order do not, and equal rows are tied.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.formats import Scored
from retrieval.interface import Field, Progress, QueryText, check_depth, field_of
from web.errors import UserFacingError

Metric = Literal["cosine", "l2"]
METRICS: tuple[Metric, ...] = ("cosine", "l2")
CHUNK = 50_000  # most rows in memory at a time
CHUNK_BYTES = 160_000_000  # fewer rows when they are wide
QUERIES = 64  # compared with a chunk in one product
FLOATS = (np.float16, np.float32, np.float64)
LONGEST = 1e15  # a row's length; squares of longer ones overflow float32

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]


class VectorsWrong(UserFacingError, ValueError):
    """A file of vectors is invalid; the message names the file and the row (from 1)."""

    def __init__(self, file: str, row: int | None, problem: str) -> None:
        self.file, self.row, self.problem = file, row, problem
        super().__init__(f"{file}: {problem}" if row is None else f"{file}, row {row:,}: {problem}")


class Best(NamedTuple):
    """Rows, best first, with their scores; both (found,)."""

    rows: Longs
    scores: Floats


@dataclass(frozen=True)
class Vectors:
    """A .npy file of `rows` × `width` floats; only its header has been read."""

    path: Path
    name: str
    rows: int
    width: int
    dtype: np.dtype[Any]
    start: int

    @classmethod
    def of(cls, path: Path, name: str = "") -> Vectors:
        """Read the header. Raises VectorsWrong without a complete N×d matrix of floats."""
        name = name or path.name
        try:
            with path.open("rb") as stream:
                shape, fortran, dtype = _header(stream)
                start = stream.tell()
                size = stream.seek(0, 2)
        except OSError as error:
            raise VectorsWrong(name, None, f"cannot be read ({error.strerror})") from error
        except (ValueError, EOFError) as error:
            raise VectorsWrong(
                name, None, f"not a .npy file of numbers ({error}); use numpy.save"
            ) from error
        if len(shape) != 2 or not all(shape):
            raise VectorsWrong(name, None, f"its shape is {shape}; it must be documents × numbers")
        if dtype.newbyteorder("=") not in FLOATS:
            raise VectorsWrong(
                name, None, f"its type is {dtype}; save it as float32 (or float16, float64)"
            )
        if fortran:
            raise VectorsWrong(
                name, None, "it is stored column by column; save numpy.ascontiguousarray(vectors)"
            )
        vectors = cls(path, name, shape[0], shape[1], dtype, start)
        if size - start != shape[0] * vectors.row_bytes:
            row_count = max(0, size - start) // vectors.row_bytes
            raise VectorsWrong(
                name,
                None,
                f"{row_count:,} complete rows, but its header says {shape[0]:,}; save it again",
            )
        return vectors

    @property
    def row_bytes(self) -> int:
        return self.width * self.dtype.itemsize

    def chunks(self) -> Iterator[tuple[int, Floats]]:
        """Yield all rows in order: (number of the first row, rows as float32)."""
        size = max(1, min(CHUNK, CHUNK_BYTES // (4 * self.width)))
        with self.path.open("rb") as stream:
            stream.seek(self.start)
            for first in range(0, self.rows, size):
                yield first, self._read(stream, min(size, self.rows - first))

    def read_rows(self, rows: Sequence[int]) -> Floats:
        """(len(rows), width) float32: the rows with these numbers."""
        vectors = np.empty((len(rows), self.width), np.float32)
        with self.path.open("rb") as stream:
            for index, row in enumerate(rows):
                stream.seek(self.start + row * self.row_bytes)
                vectors[index] = self._read(stream, 1)[0]
        return vectors

    def _read(self, stream: BinaryIO, rows: int) -> Floats:
        flat = np.fromfile(stream, self.dtype, rows * self.width)
        with np.errstate(over="ignore"):  # `zero_rows` finds values beyond float32
            return flat.reshape(rows, self.width).astype(np.float32, copy=False)


def zero_rows(vectors: Vectors) -> Iterator[tuple[int, Bools]]:
    """Yield (first row, (rows,) whether the vector is all zeros) for every chunk.

    Raises VectorsWrong at the first row that is too long or has a number that is not finite.
    """
    for first, rows in vectors.chunks():
        lengths = _lengths(rows)
        wrong = np.flatnonzero(~(lengths < LONGEST))
        if len(wrong):
            index = int(wrong[0])
            problem = (
                f"the vector is longer than {LONGEST:g}; scale the vectors down"
                if np.isfinite(rows[index]).all()
                else "a number is not finite (NaN, or beyond the range of 32 bits); "
                "remove the document from both files"
            )
            raise VectorsWrong(vectors.name, first + index + 1, problem)
        yield first, lengths == 0


def normalise(rows: Floats) -> Floats:
    """(rows, width) float32: every row scaled to length 1; a row of zeros stays as it is."""
    lengths = _lengths(rows)
    lengths[lengths == 0] = 1
    return rows / lengths.astype(np.float32)[:, None]


@dataclass
class _Search:
    """Collects the best `need` rows for a query, chunk by chunk."""

    query: Floats  # (width,), of length 1 for cosine
    need: int
    metric: Metric
    tie_order: Longs | None
    rows: Longs = field(default_factory=lambda: np.empty(0, np.int64))
    scores: Floats = field(default_factory=lambda: np.empty(0, np.float32))

    def add_chunk(self, first: int, chunk: Floats, near: Doubles, slack: Doubles) -> None:
        """`near` (rows,) is within `slack` (rows,) of the score; −inf for excluded rows."""
        upper_bounds, floor = near + slack, -np.inf
        if len(self.scores) == self.need:
            floor = float(self.scores[-1])
        elif len(near) > self.need:
            worst = len(near) - self.need
            floor = float(np.partition(near - slack, worst)[worst])
        candidates = np.flatnonzero((upper_bounds >= floor) & (upper_bounds > -np.inf))
        if len(candidates):
            self._keep(candidates + first, _scores(chunk, candidates, self.query, self.metric))

    def _keep(self, rows: Longs, scores: Floats) -> None:
        rows, scores = np.concatenate((self.rows, rows)), np.concatenate((self.scores, scores))
        positions = rows if self.tie_order is None else self.tie_order[rows]
        order = np.lexsort((positions, -scores))[: self.need]
        self.rows, self.scores = rows[order], scores[order]


def nearest(
    vectors: Vectors,
    queries: Floats,
    need: int,
    metric: Metric,
    *,
    allowed: Bools | None = None,
    tie_order: Longs | None = None,
) -> list[Best]:
    """The best `need` rows for each row of `queries` (queries, width), in one pass over the file.

    A score is the cosine, in [−1, 1], or minus the Euclidean distance, in (−∞, 0]. Ties go to the
    smaller of `tie_order` (rows,), by default the row's number. Rows that are not `allowed` (rows,)
    are never found. By cosine, rows of zeros are never found and a query of zeros finds nothing.
    """
    if queries.shape[1:] != (vectors.width,):
        raise ValueError(
            f"queries must have {vectors.width} columns, got the shape {queries.shape}"
        )
    queries = queries.astype(np.float32)
    query_rows = normalise(queries) if metric == "cosine" else queries
    searches = [_Search(query, need, metric, tie_order) for query in query_rows]
    lengths = _lengths(query_rows)
    for first, rows in vectors.chunks():
        chunk = normalise(rows) if metric == "cosine" else rows
        allowed_rows = None if allowed is None else allowed[first : first + len(rows)]
        for query, near, slack in _compare_with_queries(
            chunk, query_rows, lengths, metric, allowed_rows
        ):
            searches[query].add_chunk(first, chunk, near, slack)
    return [Best(search.rows, search.scores) for search in searches]


def rank_rows(
    vectors: Vectors,
    docnos: Sequence[str],
    queries: Iterable[tuple[str, Floats]],
    depth: int,
    metric: Metric,
    *,
    allowed: Bools | None = None,
    tie_order: Longs | None = None,
    topics: Container[str] = (),
) -> Iterator[tuple[str, list[Scored]]]:
    """Yield (query docno, ranked list without it) for every (docno, vector) of `queries`.

    `docnos[row]` is the docno of a row. `topics` are the queries that are not documents: their
    lists leave nothing out.
    """
    stream = iter(queries)
    while batch := list(islice(stream, QUERIES)):
        query_rows = np.stack([vector for _, vector in batch])
        # One more than `depth`, because the query paper finds itself.
        best_rows = nearest(
            vectors, query_rows, depth + 1, metric, allowed=allowed, tie_order=tie_order
        )
        for (docno, _), best in zip(batch, best_rows, strict=True):
            ranking = [
                Scored(
                    docnos[row], float(score) + 0.0
                )  # no minus zero, because PostgreSQL stores none
                for row, score in zip(best.rows, best.scores, strict=True)
            ]
            own = None if docno in topics else docno
            yield docno, [scored for scored in ranking if scored.docno != own][:depth]


@dataclass(frozen=True)
class VectorRanker:
    """An opened index; row n of `vectors` is document `docnos[n]`.

    `load_encoder` gives what turns texts into vectors, (texts, width).
    """

    field: Field
    docnos: Sequence[str]
    vectors: Vectors
    metric: Metric
    load_encoder: Callable[[], Callable[[Sequence[str]], Floats]]

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """See Ranker.rank. Raises what `load_encoder` raises."""
        check_depth(depth)
        encode = self.load_encoder()
        papers = list(queries)
        lists = rank_rows(
            self.vectors,
            self.docnos,
            ((paper.docno, encode([field_of(paper, self.field)])[0]) for paper in papers),
            depth,
            self.metric,
            topics={paper.docno for paper in papers if paper.is_topic},
        )
        for done, (docno, ranking) in enumerate(lists, start=1):
            yield docno, ranking
            progress(done)


def _compare_with_queries(
    chunk: Floats, query_rows: Floats, lengths: Doubles, metric: Metric, allowed_rows: Bools | None
) -> Iterator[tuple[int, Doubles, Doubles]]:
    """Yield (number of the query, (rows,) score, (rows,) bound of its error) for every query.

    The bound is that of a dot product of n numbers, n·u/(1 − n·u)·|x||q| with u = 2⁻²⁴ (Higham,
    Accuracy and Stability of Numerical Algorithms, 2002, eq. 3.5), doubled for the few other
    roundings.
    """
    sizes = _lengths(chunk)
    is_candidate = sizes > 0 if metric == "cosine" else np.ones(len(chunk), dtype=bool)
    is_candidate = is_candidate if allowed_rows is None else is_candidate & allowed_rows
    error = 2 * (chunk.shape[1] + 8) * 2.0**-24
    products = chunk @ query_rows.T
    for query, length in enumerate(lengths):
        product = products[:, query].astype(np.float64)
        if metric == "cosine":
            near, slack = product, error * sizes * length
            is_excluded = ~is_candidate if length else np.ones(len(chunk), dtype=bool)
        else:
            near, slack = _closeness(product, sizes, float(length), error)
            is_excluded = ~is_candidate
        near[is_excluded] = -np.inf
        yield query, near, slack


def _closeness(
    product: Doubles, sizes: Doubles, length: float, error: float
) -> tuple[Doubles, Doubles]:
    """(rows,) minus the distance that follows from the products, and (rows,) its error bound."""
    square = sizes**2 + length**2 - 2 * product
    slack = error * (sizes + length) ** 2
    far = np.sqrt(np.maximum(square + slack, 0))
    close = np.sqrt(np.maximum(square - slack, 0))
    return -(far + close) / 2, (far - close) / 2 + 1e-6 * far


def _scores(chunk: Floats, candidates: Longs, query: Floats, metric: Metric) -> Floats:
    """(candidates,) float32: scores of these rows of the chunk, computed in parts as float64."""
    query64 = query.astype(np.float64)
    scores = np.empty(len(candidates), np.float32)
    for first in range(0, len(candidates), 4_096):
        rows = chunk[candidates[first : first + 4_096]].astype(np.float64)
        if metric == "cosine":
            part = (rows * query64).sum(axis=1)
        else:
            part = -np.sqrt(((rows - query64) ** 2).sum(axis=1))
        scores[first : first + len(rows)] = part + 0.0  # not −0.0
    return scores


def _lengths(rows: NDArray[Any]) -> Doubles:
    """(rows,) Euclidean lengths as float64."""
    lengths: Doubles = np.sqrt(
        np.einsum("ij,ij->i", rows, rows, dtype=np.float64, casting="unsafe")
    )
    return lengths


def _header(stream: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        raise ValueError(f"version {version} of the format")
    return read_header(stream)
