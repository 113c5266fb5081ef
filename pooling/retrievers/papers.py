"""What is known of papers beside their text: year, fields of study, and who cites whom.

The arrays are written once and memory-mapped. A paper's number, its **ordinal**, follows docno
downwards, so that of papers with equal scores the lower ordinal ranks first (see `trec_order`).
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.retrievers.interface import IndexedText, Progress, QueryText
from pooling.retrievers.spool import BEAT, Spool, spool_values

Ordinals = NDArray[np.int32]
Mask = NDArray[np.bool_]

NO_YEAR = np.iinfo(np.int16).min
FIELDS = "fields.json"  # names, sorted; a field's number is its place


class Facts(NamedTuple):
    """A paper without its text."""

    docno: str
    year: int | None
    fields: list[str]
    references: list[str]


@dataclass(frozen=True)
class Lists:
    """Many lists of ordinals end to end: list i is `members[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.int64]  # (lists + 1,)
    members: Ordinals  # (all members,)

    def __getitem__(self, number: int) -> Ordinals:
        return self.members[int(self.starts[number]) : int(self.starts[number + 1])]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def grouped(cls, groups: Ordinals, members: Ordinals, lists: int) -> Lists:
        """The members by their group, which is a number below `lists`, in the order given."""
        sizes = np.bincount(groups, minlength=lists)
        starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        return cls(starts, members[np.argsort(groups, kind="stable")])

    def save(self, folder: Path, name: str) -> None:
        np.save(folder / f"{name}_starts.npy", self.starts)
        np.save(folder / f"{name}_members.npy", self.members)

    @classmethod
    def mapped(cls, folder: Path, name: str) -> Lists:
        return cls(mapped(folder, f"{name}_starts"), mapped(folder, f"{name}_members"))


@dataclass(frozen=True)
class Requirements:
    """What a paper must meet to be ranked. What a query paper lacks is not required of others.

    `same_field`: it shares a field of study with the query paper. `not_later`: its year is known
    and not after the query paper's. `without_known`: the query paper does not cite it.
    """

    same_field: bool = False
    not_later: bool = False
    without_known: bool = True

    @property
    def suffix(self) -> str:
        """How a retriever's name says what differs from the default."""
        named = (
            (".same_field", self.same_field),
            (".not_later", self.not_later),
            (".with_known", not self.without_known),
        )
        return "".join(name for name, said in named if said)

    @classmethod
    def named(cls, suffix: str) -> Requirements:
        """The requirements that `suffix` spells, in any order; raises ValueError for others."""
        said = suffix.split(".")[1:]
        if strangers := set(said) - {"same_field", "not_later", "with_known"}:
            raise ValueError(f"{min(strangers)!r} is none of same_field, not_later and with_known.")
        return cls("same_field" in said, "not_later" in said, "with_known" not in said)


@dataclass(frozen=True)
class Papers:
    """Year and fields of every paper; `docnos` descending."""

    docnos: Sequence[str]
    years: NDArray[np.int16]  # (papers,) NO_YEAR where it is not known
    fields: tuple[str, ...]
    members: Lists  # the papers of every field

    @classmethod
    def open(cls, folder: Path, docnos: Sequence[str]) -> Papers:
        """Raises OSError or ValueError for what is not there or not what `write` wrote."""
        fields = tuple(json.loads((folder / FIELDS).read_bytes()))
        return cls(docnos, mapped(folder, "years"), fields, Lists.mapped(folder, "of_field"))

    def write(self, folder: Path) -> None:
        (folder / FIELDS).write_text(json.dumps(self.fields))
        np.save(folder / "years.npy", self.years)
        self.members.save(folder, "of_field")

    def ordinal(self, docno: str) -> int | None:
        """The paper's ordinal; None for one that is not there."""
        low, high = 0, len(self.docnos)
        while low < high:
            middle = (low + high) // 2
            if self.docnos[middle] > docno:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.docnos) and self.docnos[low] == docno else None

    def eligible(self, query: QueryText, required: Requirements) -> Mask:
        """(papers,) whether each may be ranked for the query paper, which never may itself."""
        mask = self._of_a_field(query) if required.same_field and query.fields else self._all()
        if required.not_later and query.year is not None:
            mask &= (self.years <= query.year) & (self.years != NO_YEAR)
        out = (query.docno, *(query.references if required.without_known else ()))
        mask[[place for docno in out if (place := self.ordinal(docno)) is not None]] = False
        return mask

    def _all(self) -> Mask:
        return np.ones(len(self.docnos), dtype=np.bool_)

    def _of_a_field(self, query: QueryText) -> Mask:
        mask = np.zeros(len(self.docnos), dtype=np.bool_)
        for number, field in enumerate(self.fields):
            if field in query.fields:
                mask[self.members[number]] = True
        return mask


class Citations(NamedTuple):
    """Who cites whom. A cited paper outside the corpus is known by a hash of its docno."""

    citing: Ordinals  # (citations within the corpus,) ascending
    cited: Ordinals  # (citations within the corpus,)
    citing_outside: Ordinals  # (citations of papers outside,) ascending
    outside: NDArray[np.uint64]  # (citations of papers outside,)


def spool_facts(documents: Iterable[IndexedText], scratch: Path, progress: Progress) -> Spool:
    """Put all but the text on disk, docno descending."""
    facts = ((one.docno, json.dumps([one.year, one.fields, one.references])) for one in documents)
    return spool_values(facts, scratch, progress)


def read_facts(spooled: Spool) -> Iterator[Facts]:
    for docno, text in spooled:
        yield Facts(docno, *json.loads(text))


def read_papers(spooled: Spool, progress: Progress) -> Papers:
    """Docnos, years and fields; some 150 bytes of memory a paper."""
    return gather_papers(
        ((one.docno, one.year, one.fields) for one in read_facts(spooled)), progress
    )


def gather_papers(
    facts: Iterable[tuple[str, int | None, Sequence[str]]], progress: Progress
) -> Papers:
    """The papers of these docnos, years and fields, which come by docno descending."""
    docnos: list[str] = []
    years, in_field, of_paper = array("h"), array("i"), array("i")
    numbers: dict[str, int] = {}
    for ordinal, (docno, year, of_one) in enumerate(facts):
        docnos.append(docno)
        years.append(NO_YEAR if year is None else year)
        for field in dict.fromkeys(of_one):
            in_field.append(numbers.setdefault(field, len(numbers)))
            of_paper.append(ordinal)
        if len(docnos) % BEAT == 0:
            progress(0)
    fields = sorted(numbers)
    renumbered = np.array([0] * len(fields), dtype=np.int32)
    renumbered[[numbers[field] for field in fields]] = np.arange(len(fields), dtype=np.int32)
    members = Lists.grouped(renumbered[_ints(in_field)], _ints(of_paper), len(fields))
    return Papers(docnos, _numbers(years, np.int16), tuple(fields), members)


def read_citations(spooled: Spool, docnos: Sequence[str], progress: Progress) -> Citations:
    """Every citation once, none of a paper by itself; some 12 bytes of memory each."""
    ordinals = {docno: ordinal for ordinal, docno in enumerate(docnos)}
    citing, cited, citing_outside, outside = array("i"), array("i"), array("i"), array("Q")
    for ordinal, one in enumerate(read_facts(spooled)):
        for reference in dict.fromkeys(one.references):
            target = ordinals.get(reference)
            if target is None:
                citing_outside.append(ordinal)
                outside.append(docno_hash(reference))
            elif target != ordinal:
                citing.append(ordinal)
                cited.append(target)
        if (ordinal + 1) % BEAT == 0:
            progress(ordinal + 1)
    progress(len(docnos))
    hashes = _numbers(outside, np.uint64)
    return Citations(_ints(citing), _ints(cited), _ints(citing_outside), hashes)


def docno_hash(docno: str) -> int:
    """64 bits that stand for a docno outside the corpus.

    Among 20 million of those, two share one with a probability of 1 in 100,000; they would then
    count as one paper.
    """
    return int.from_bytes(hashlib.sha256(docno.encode()).digest()[:8], "big")


def mapped(folder: Path, name: str) -> Any:
    return np.load(folder / f"{name}.npy", mmap_mode="r")


def _ints(values: array[int]) -> Ordinals:
    ints: Ordinals = _numbers(values, np.int32)
    return ints


def _numbers(values: array[int], dtype: type[np.generic]) -> Any:
    # numpy refuses to look at an empty buffer.
    return np.frombuffer(values, dtype=dtype) if values else np.empty(0, dtype=dtype)
