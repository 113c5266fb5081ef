"""The documents of a sub-corpus. Pure.

Medić & Šnajder (SDP 2022, section 3.2): everything that the queries cite, and a random sample of
what papers of their field cite, up to the size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.ordering import order_key

WHOLE = ""  # the scope of all papers and queries, whatever their field
PURPOSE = "sub-corpus"
KEY_DIGITS = 16  # of the order key; documents that share them are in the order of their docnos

Rows = NDArray[np.int32]


class MeasuredCorpus(NamedTuple):
    """A sub-corpus to measure: a field or WHOLE, the size asked for, and the draw, from 1."""

    scope: str
    size: int
    draw: int


@dataclass(frozen=True)
class Population:
    """The rows of the documents that a scope's sub-corpora are made of, both ascending.

    `cited` are those that its queries cite, `others` those that only other papers of it cite.
    """

    cited: Rows
    others: Rows

    def __len__(self) -> int:
        return len(self.cited) + len(self.others)

    def sampled(self, size: int) -> int:
        """The number of documents of `others` that a sub-corpus of this size has."""
        return min(max(size - len(self.cited), 0), len(self.others))

    def documents(self, size: int) -> int:
        """The number of documents that a sub-corpus of this size has."""
        return len(self.cited) + self.sampled(size)

    def draw_that_counts(self, sub_corpus: MeasuredCorpus) -> int:
        """The draw, or 0 if every draw of this size has the same documents."""
        sampled = self.sampled(sub_corpus.size)
        return sub_corpus.draw if 0 < sampled < len(self.others) else 0

    def rows(self, sub_corpus: MeasuredCorpus, docnos: Sequence[str], seed: str) -> Rows:
        """The rows of its documents, ascending. Of one draw, a larger size has the smaller's.

        `docnos` of all rows are ascending.
        """
        sampled = self.sampled(sub_corpus.size)
        chosen = self.others
        if sampled < len(self.others):
            keys = _keys((docnos[row] for row in self.others), sub_corpus, seed, len(self.others))
            chosen = self.others[np.argsort(keys, kind="stable")[:sampled]]
        return np.sort(np.concatenate([self.cited, chosen]))


def _keys(
    docnos: Iterable[str], sub_corpus: MeasuredCorpus, seed: str, number: int
) -> NDArray[np.uint64]:
    place = f"{sub_corpus.scope}|{sub_corpus.draw}"
    keys = (int(order_key(seed, PURPOSE, place, docno)[:KEY_DIGITS], 16) for docno in docnos)
    return np.fromiter(keys, dtype=np.uint64, count=number)


def planned(
    fields: Iterable[str], field_size: int, sizes: Sequence[int], draws: int
) -> Iterator[MeasuredCorpus]:
    """Every sub-corpus of a report: those of the fields, then the whole's, the smallest first."""
    by_scope = [*((field, field_size) for field in fields), *((WHOLE, size) for size in sizes)]
    for scope, size in by_scope:
        for draw in range(1, draws + 1):
            yield MeasuredCorpus(scope, size, draw)
