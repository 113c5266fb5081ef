"""Vectors that somebody computed elsewhere, one a document: a .npy file and a list of ids, ranked here as a run.

Nothing of the file is unpickled. Its header is read from at most HEADER bytes, and has to agree with the file's size
before memory is taken.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.formats.reading import LONGEST_ID, BadLines, text_files
from corpus.models import Query
from corpus.uploads import discard_upload, find_upload, keep_upload
from jobs.models import Job
from jobs.work import Work, job, start_job
from retrieval.building import DEPTH, insert_lists, without
from retrieval.lists import Ranking
from retrieval.models import VECTORS, Run
from retrieval.run_files import NAMED, check_name
from retrieval.vectors import Compare, by_cosine, by_distance, by_product, nearest
from web.errors import BadInput
from web.templatetags.ui import plural

if TYPE_CHECKING:
    import numpy as np

    from retrieval.vectors import Floats

HEADER = 10_000  # bytes; that of a matrix has about 128
TOGETHER = 4_000_000  # numbers that are read at once
COMPARE: dict[str, tuple[str, Compare]] = {
    "cosine": ("Cosine", by_cosine),
    "distance": ("Euclidean distance", by_distance),
    "product": ("Dot product", by_product),
}


def read_header(file: IO[bytes], name: str, size: int) -> tuple[int, int, np.dtype[Any]]:
    """Rows, columns and the type of the numbers; the file is left at the first number. `size` is that of the file."""
    from numpy.lib import format as npy

    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    head = io.BytesIO(file.read(HEADER))
    try:
        shape, by_columns, dtype = readers[npy.read_magic(head)](head, max_header_size=HEADER)
    except (ValueError, KeyError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError) as error:
        raise BadInput(f"{name} is no NumPy file. Save the vectors with numpy.save.") from error
    if dtype.kind != "f" or dtype.itemsize > 8:
        raise BadInput(f"{name} holds {str(dtype)[:60]}, and vectors are float16, float32 or float64.")
    if len(shape) != 2 or min(shape) < 1 or by_columns:
        hint = " Save it in C order (numpy.ascontiguousarray)." if by_columns else ""
        raise BadInput(f"{name} must have one row for each document, got the shape {str(shape)[:60]}.{hint}")
    rows, columns = map(int, shape)  # a header's True is a number, too
    if size != head.tell() + rows * columns * dtype.itemsize:
        raise BadInput(f"{name} has {size:,} bytes, which is not the size of {rows} rows of {columns} numbers.")
    file.seek(head.tell())
    return rows, columns, dtype


def read_vectors(file: IO[bytes], name: str, size: int, wanted: Sequence[bool]) -> Floats:
    """(wanted rows, columns) float32. Raises BadInput where a number is not finite, or the rows are not as many."""
    import numpy as np

    rows, columns, dtype = read_header(file, name, size)
    check_rows(rows, len(wanted), name)
    vectors = np.empty((sum(wanted), columns), np.float32)
    step, filled = max(1, TOGETHER // columns), 0
    for start in range(0, rows, step):
        end = min(start + step, rows)
        content = file.read((end - start) * columns * dtype.itemsize)
        with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite, and is refused
            part = np.frombuffer(content, dtype).reshape(end - start, columns).astype(np.float32)
        if wrong := np.flatnonzero(~np.isfinite(part).all(axis=1)).tolist():
            raise BadInput(f"{name}: row {start + wrong[0] + 1:,} has a number that is not finite.")
        kept = part[np.array(wanted[start:end], bool)]
        vectors[filled : filled + len(kept)] = kept
        filled += len(kept)
    return vectors


def read_ids(file: IO[bytes], name: str) -> list[str]:
    """One a line, plain or gz."""
    ids: dict[str, int] = {}
    for text in text_files(file, name, BadLines(), settings.UPLOAD_MAX_BYTES, ""):
        for number, line in text.lines():
            found = line.strip()
            if not found or len(found) > LONGEST_ID:
                text.bad(number, f"a line is an id of 1 to {LONGEST_ID} characters.")
            if ids.setdefault(found, number) != number:
                text.bad(number, f"{found!r} was in line {ids[found]:,} already. Each row needs its own id.")
    return list(ids)


def start_ranking(
    *, collection: Collection, name: str, vectors: File[Any], ids: File[Any], compare: str, by: User | None
) -> Job:
    """Keep the files for the job. What can be said before the numbers are read is said at once."""
    check_name(collection, name)
    if vectors.size > settings.UPLOAD_MAX_BYTES:
        raise BadInput(f"{vectors.name} is larger than this server allows (UPLOAD_MAX_MB). Save it as float16.")
    rows, _, _ = read_header(vectors, str(vectors.name), vectors.size)
    check_rows(rows, len(read_ids(ids, str(ids.name))), str(vectors.name))
    files = {"vectors": vectors, "ids": ids}
    paths = {key: find_upload(collection, keep_upload(collection, file)) for key, file in files.items()}
    return start_job("rank_vectors", collection=collection, by=by, name=name, compare=compare, **paths)


def check_rows(rows: int, ids: int, name: str) -> None:
    if rows != ids:
        raise BadInput(f"{name} has {plural(rows, 'row,rows')} for {plural(ids, 'id,ids')}. Each row needs one id.")


@job("rank_vectors")
def rank_vectors(work: Work, *, name: str, vectors: str, ids: str, compare: str) -> None:
    """A run of the nearest documents. A query has its own vector, listed with its id, or that of its paper."""
    label, by = COMPARE[compare]
    with default_storage.open(ids) as file:
        given = read_ids(file, ids.rpartition("/")[2])
    corpus = set(work.collection.documents.values_list("docno", flat=True).iterator())
    queries = list(work.collection.queries.select_related("document").order_by("pk"))
    names = {query.name for query in queries}
    filename = vectors.rpartition("/")[2]
    with default_storage.open(vectors) as file:
        found = read_vectors(file, filename, file.size, [each in corpus or each in names for each in given])
    known = [each for each in given if each in corpus or each in names]
    places = {each: place for place, each in enumerate(known)}
    asked = {query: place for query in queries if (place := place_of(query, places)) is not None}
    docnos = [each for each in known if each in corpus]
    if not docnos or not asked:
        what = "document" if not docnos else "query or query paper"
        raise BadInput(f"None of the ids is a {what} of {work.collection}. The first is {given[0]!r}.")
    rows = found[[places[docno] for docno in docnos]]
    run = Run(collection=work.collection, name=name, kind=VECTORS, depth=DEPTH)
    run.settings = {"file": filename, "documents": len(docnos), "corpus": len(corpus), "compared": label}
    if outside := [each for each in given if each not in places]:
        run.skipped = {"ids outside the corpus": {"number": len(outside), "named": outside[:NAMED]}}
    rankings: list[tuple[Query, Ranking]] = []
    for query, ranking in zip(asked, nearest(docnos, rows, found[list(asked.values())], DEPTH + 1, by), strict=True):
        rankings.append((query, without(query.own_docno, ranking, DEPTH)))
        work.progress(len(rankings), len(asked), f"{name}: queries ranked")
    if empty := [query.name for query, (docnos, _) in rankings if not docnos]:
        if len(empty) == len(rankings):
            raise BadInput(f"{filename}: nothing can be compared by {label.lower()}. Are vectors zero, or too large?")
        run.skipped |= {"queries whose vector cannot be compared": {"number": len(empty), "named": empty[:NAMED]}}
    with work.commit() as result:
        check_name(lock_collection(work.collection), name)
        run.save()
        insert_lists(run, rankings)
        record(Verb.IMPORTED, collection=work.collection, object=f"run {name}")
        result["runs"] = [name]
    for path in (vectors, ids):
        discard_upload(path)


def place_of(query: Query, places: dict[str, int]) -> int | None:
    return places.get(query.name, places.get(query.own_docno))
