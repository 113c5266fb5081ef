"""Documents that a sample must not have: a list of docnos, or earlier samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from accounts.models import Collection
from corpus.formats.decompression import UnreadableLine, numbered_lines
from curation.samples.strata import SampleError

LONGEST_LINE = 1_000  # bytes


def read_exclusions(path: Path | None, name: str = "") -> frozenset[str]:
    """The docnos of a file, one a line, plain or gzip. Empty lines count for nothing.

    `name` is the file's name in messages. Without a path, there are none.

    Raises:
        SampleError: the file cannot be read, is empty, or has a line that cannot be a docno.
    """
    if path is None:
        return frozenset()
    name = name or str(path)
    docnos = set()
    number = 0
    try:
        for number, line in numbered_lines(path, None, longest=LONGEST_LINE):
            if len(line) > LONGEST_LINE:
                raise UnreadableLine(number, "the line is too long. Write one docno per line.")
            docnos.add(line.decode().strip())
    except UnreadableLine as error:
        raise SampleError(f"{name}:{error.number}: {error.reason}") from error
    except UnicodeDecodeError as error:
        raise SampleError(
            f"{name}:{number}: the line is not UTF-8. Save the file again."
        ) from error
    except OSError as error:
        raise SampleError(f"{name} cannot be read: {error.strerror}.") from error
    docnos.discard("")
    if not docnos:
        raise SampleError(f"{name} is empty. Write one docno per line.")
    return frozenset(docnos)


def docnos_of_samples(collection: Collection, names: Sequence[str]) -> frozenset[str]:
    """The docnos of the papers of these samples. Raises SampleError for an unknown name."""
    samples = {sample.name: sample for sample in collection.samples.filter(name__in=names)}
    if missing := [name for name in names if name not in samples]:
        raise SampleError(f"There is no sample {missing[0]!r} in {collection.slug}.")
    return frozenset(
        docno
        for sample in samples.values()
        for docno in sample.papers.order_by().values_list("document__docno", flat=True)
    )
