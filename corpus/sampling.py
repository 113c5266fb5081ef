"""Sampled sub-corpora: query papers, everything that they cite, and a sample of what papers of their fields cite.

MDCR's candidate corpora are made so (Medić & Šnajder, SDP 2022, section 3.2). The files are read several times and
never held in memory: a window of hashed keys is, which is cut where it grows too large, and read on from there.
"""

from __future__ import annotations

import json
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from corpus.formats.documents import DOCUMENTS, document_of
from corpus.formats.reading import BadLines, Problem, text_files
from corpus.formats.records import read_records
from corpus.ordering import order_key
from web.errors import BadInput

WINDOW = 2_000_000  # keys in memory, 8 bytes each
END = 2**64
LEAST_CHARACTERS, LEAST_CITED = 30, 3  # of an abstract, and papers, in MDCR


class Paper(NamedTuple):
    docno: str
    field: str  # the first of its fields, "" for none
    cites: list[str]
    record: dict[str, Any]


@dataclass
class SubCorpus:
    """What was chosen: the query papers and what they cite by docno, and the sample by key, ascending."""

    queries: set[str] = field(default_factory=set)
    cited: set[str] = field(default_factory=set)
    missing: int = 0  # cited papers that are not in the files
    sample: array[int] = field(default_factory=lambda: array("Q"))


def read_papers(files: Sequence[Path], *, complete: bool, skip: int) -> Iterator[Paper]:
    """`complete`: only papers as MDCR has, with year, title, an abstract of 30 characters, and three cited papers."""
    bad_lines = BadLines(skip)
    for path in files:
        with path.open("rb") as stream:
            for file in text_files(stream, path.name, bad_lines, sys.maxsize, main="corpus.jsonl"):
                for line, record in read_records(file, DOCUMENTS):
                    try:
                        values = document_of(record, split=False)
                    except Problem as problem:
                        file.bad(line, str(problem))
                        continue
                    cites = list(dict.fromkeys(values["cites"]))
                    if complete and not (
                        values["year"]
                        and values["title"]
                        and len(" ".join(values["sentences"])) >= LEAST_CHARACTERS
                        and len(cites) >= LEAST_CITED
                    ):
                        continue
                    yield Paper(values["docno"], next(iter(values["fields"]), ""), cites, record)


def choose(
    files: Sequence[Path],
    *,
    queries: Collection[str],
    size: int,
    seed: str,
    all_fields: bool = False,
    complete: bool = False,
    skip: int = 0,
) -> SubCorpus:
    """A sub-corpus of `size` papers. With the same seed and queries, a smaller one is part of a larger one.

    The sample is the papers with the smallest keys among those that some paper of the queries' fields cites, or some
    paper of any field. Raises BadInput where no query paper is in the files, and for a size below queries and cited.
    """
    import numpy as np

    chosen, fields, cited = SubCorpus(), set(), set()
    for paper in read_papers(files, complete=complete, skip=skip):
        if paper.docno in queries:
            chosen.queries.add(paper.docno)
            fields.add(paper.field)
            cited.update(paper.cites)
    if not chosen.queries:
        raise BadInput(f"None of the query papers is in the files. Write ids as the files do, such as {min(queries)}.")
    base = chosen.queries | cited
    low, high, room = 0, 0, 0
    while high < END:
        low, high = high, END
        there, wanted = array("Q"), array("Q")  # keys of papers in the files, and of papers that are cited
        for paper in read_papers(files, complete=complete, skip=skip):
            if paper.docno in cited:
                chosen.cited.add(paper.docno)
            names = [(there, paper.docno)]
            if all_fields or paper.field in fields:
                names += [(wanted, docno) for docno in paper.cites]
            for keys, docno in names:
                if docno not in base and low <= (key := key_of(seed, docno)) < high:
                    keys.append(key)
            if len(there) + len(wanted) > WINDOW:
                there, wanted = _distinct(there, high), _distinct(wanted, high)
                while len(there) + len(wanted) > WINDOW // 2:
                    high = (low + high) // 2
                    there, wanted = _distinct(there, high), _distinct(wanted, high)
        room = size - len(chosen.queries | chosen.cited)
        if room < 0:
            raise BadInput(
                f"The query papers and what they cite are {size - room:,} papers. "
                f"Choose a size of at least that, not {size:,}, or fewer query papers."
            )
        found = np.intersect1d(_distinct(there, high), _distinct(wanted, high), assume_unique=True)
        chosen.sample.frombytes(found[: room - len(chosen.sample)].tobytes())
        if len(chosen.sample) == room:
            break
    chosen.missing = len(cited) - len(chosen.cited)
    return chosen


def write(chosen: SubCorpus, files: Sequence[Path], output: Path, *, seed: str, complete: bool, skip: int) -> int:
    """The chosen records as the files have them, one JSON object a line, each paper once, in the files' order."""
    left = chosen.queries | chosen.cited
    written = bytearray(len(chosen.sample))
    number = 0
    with output.open("w", encoding="utf-8") as stream:
        for paper in read_papers(files, complete=complete, skip=skip):
            if paper.docno in left:
                left.remove(paper.docno)
            else:
                key = key_of(seed, paper.docno)
                place = bisect_left(chosen.sample, key)
                if place == len(written) or chosen.sample[place] != key or written[place]:
                    continue
                written[place] = True
            stream.write(json.dumps(paper.record, ensure_ascii=False) + "\n")
            number += 1
    return number


def key_of(seed: str, docno: str) -> int:
    """The first 64 bits of the order key: two of a hundred million papers share one in one of 4,000 corpora."""
    return int(order_key(seed, "sub-corpus", "", docno)[:16], 16)


def _distinct(keys: array[int], high: int) -> array[int]:
    """The keys below `high`, each once."""
    import numpy as np

    found = np.unique(np.frombuffer(keys, np.uint64)) if keys else np.empty(0, np.uint64)
    return array("Q", found[found < high].tobytes() if high < END else found.tobytes())
