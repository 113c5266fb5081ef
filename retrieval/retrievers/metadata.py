"""Metadata of papers: year, fields of study, citations.

The arrays are written once and memory-mapped. A paper's number, its **ordinal**, follows docno
descending. So among papers with equal scores the lower ordinal ranks first (see `trec_order`).
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.indexes.arrays import open_array
from retrieval.indexes.external_sort import BEAT, SortedTexts, sort_pairs
from retrieval.interface import IndexedText, Progress, QueryText

Ordinals = NDArray[np.int32]
Mask = NDArray[np.bool_]

NO_YEAR = np.iinfo(np.int16).min
FIELDS = "fields.json"  # names, sorted; a field's number is its index


class PaperMetadata(NamedTuple):
    """A paper without its text."""

    docno: str
    year: int | None
    fields: list[str]
    references: list[str]


@dataclass(frozen=True)
class OrdinalLists:
    """Lists of ordinals in one array: list i is `members[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.int64]  # (lists + 1,)
    members: Ordinals  # (all members,)

    def __getitem__(self, number: int) -> Ordinals:
        return self.members[int(self.starts[number]) : int(self.starts[number + 1])]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def by_group(cls, groups: Ordinals, members: Ordinals, lists: int) -> OrdinalLists:
        """Group the members; a group is a number below `lists`. The order within it is kept."""
        sizes = np.bincount(groups, minlength=lists)
        starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        return cls(starts, members[np.argsort(groups, kind="stable")])

    def save(self, folder: Path, name: str) -> None:
        np.save(folder / f"{name}_starts.npy", self.starts)
        np.save(folder / f"{name}_members.npy", self.members)

    @classmethod
    def open(cls, folder: Path, name: str) -> OrdinalLists:
        return cls(open_array(folder, f"{name}_starts"), open_array(folder, f"{name}_members"))


@dataclass(frozen=True)
class Requirements:
    """The conditions for ranking a paper.

    `same_field`: it shares a field of study with the query paper. `not_later`: its year is known
    and not after the query paper's. `without_known`: the query paper does not cite it. A condition
    is ignored when the query paper lacks the value.
    """

    same_field: bool = False
    not_later: bool = False
    without_known: bool = True

    @property
    def suffix(self) -> str:
        """The suffix of a retriever's name: the conditions that differ from the default."""
        flags = (
            (".same_field", self.same_field),
            (".not_later", self.not_later),
            (".with_known", not self.without_known),
        )
        return "".join(name for name, is_set in flags if is_set)

    @classmethod
    def from_suffix(cls, suffix: str) -> Requirements:
        """Parse a suffix, in any order; raises ValueError for an unknown requirement."""
        names = suffix.split(".")[1:]
        if unknown := set(names) - {"same_field", "not_later", "with_known"}:
            raise ValueError(
                f"unknown suffix {min(unknown)!r}; use same_field, not_later or with_known."
            )
        return cls("same_field" in names, "not_later" in names, "with_known" not in names)


@dataclass(frozen=True)
class CorpusMetadata:
    """Year and fields of every paper; `docnos` descending."""

    docnos: Sequence[str]
    years: NDArray[np.int16]  # (papers,) NO_YEAR where it is unknown
    fields: tuple[str, ...]
    members: OrdinalLists  # the papers of every field

    @classmethod
    def open(cls, folder: Path, docnos: Sequence[str]) -> CorpusMetadata:
        """Open what `write` wrote; raises OSError or ValueError for missing or other files."""
        fields = tuple(json.loads((folder / FIELDS).read_bytes()))
        return cls(
            docnos, open_array(folder, "years"), fields, OrdinalLists.open(folder, "of_field")
        )

    def write(self, folder: Path) -> None:
        (folder / FIELDS).write_text(json.dumps(self.fields))
        np.save(folder / "years.npy", self.years)
        self.members.save(folder, "of_field")

    def ordinal(self, docno: str) -> int | None:
        """The paper's ordinal; None when the corpus does not have it."""
        places = range(len(self.docnos))
        place = bisect_left(places, True, key=lambda place: self.docnos[place] <= docno)
        return place if place in places and self.docnos[place] == docno else None

    def eligible(self, query: QueryText, required: Requirements) -> Mask:
        """(papers,) whether each may be ranked; the query paper itself never may."""
        mask = np.ones(len(self.docnos), dtype=np.bool_)
        if required.same_field and query.fields:
            mask = self._of_a_field(query)
        if required.not_later and query.year is not None:
            mask &= (self.years <= query.year) & (self.years != NO_YEAR)
        own = () if query.is_topic else (query.docno,)
        excluded = (*own, *(query.references if required.without_known else ()))
        mask[[ordinal for docno in excluded if (ordinal := self.ordinal(docno)) is not None]] = (
            False
        )
        return mask

    def _of_a_field(self, query: QueryText) -> Mask:
        mask = np.zeros(len(self.docnos), dtype=np.bool_)
        for number, field in enumerate(self.fields):
            if field in query.fields:
                mask[self.members[number]] = True
        return mask


class Citations(NamedTuple):
    """Pairs of citing and cited papers; a hash of its docno stands for a paper outside."""

    citing: Ordinals  # (citations within the corpus,) ascending
    cited: Ordinals  # (citations within the corpus,)
    citing_outside: Ordinals  # (citations of papers outside,) ascending
    outside: NDArray[np.uint64]  # (citations of papers outside,)


def sort_metadata(
    documents: Iterable[IndexedText], scratch: Path, progress: Progress
) -> SortedTexts:
    """Write the metadata to disk, docno descending."""
    facts = (
        (document.docno, json.dumps([document.year, document.fields, document.references]))
        for document in documents
    )
    return sort_pairs(facts, scratch, progress)


def read_metadata(sorted_metadata: SortedTexts) -> Iterator[PaperMetadata]:
    for docno, text in sorted_metadata:
        yield PaperMetadata(docno, *json.loads(text))


def read_corpus_metadata(sorted_metadata: SortedTexts, progress: Progress) -> CorpusMetadata:
    """Read docnos, years and fields; uses about 150 bytes of memory per paper."""
    return build_corpus_metadata(
        ((paper.docno, paper.year, paper.fields) for paper in read_metadata(sorted_metadata)),
        progress,
    )


def build_corpus_metadata(
    facts: Iterable[tuple[str, int | None, Sequence[str]]], progress: Progress
) -> CorpusMetadata:
    """Build it from (docno, year, fields), sorted by docno descending."""
    docnos: list[str] = []
    years, in_field, of_paper = array("h"), array("i"), array("i")
    numbers: dict[str, int] = {}
    for ordinal, (docno, year, paper_fields) in enumerate(facts):
        docnos.append(docno)
        years.append(NO_YEAR if year is None else year)
        for field in dict.fromkeys(paper_fields):
            in_field.append(numbers.setdefault(field, len(numbers)))
            of_paper.append(ordinal)
        if len(docnos) % BEAT == 0:
            progress(0)
    fields = sorted(numbers)
    new_numbers = np.array([0] * len(fields), dtype=np.int32)
    new_numbers[[numbers[field] for field in fields]] = np.arange(len(fields), dtype=np.int32)
    members = OrdinalLists.by_group(
        new_numbers[_int32_array(in_field)], _int32_array(of_paper), len(fields)
    )
    return CorpusMetadata(docnos, _as_array(years, np.int16), tuple(fields), members)


def read_citations(
    sorted_metadata: SortedTexts, docnos: Sequence[str], progress: Progress
) -> Citations:
    """Read every citation once, without self-citations; uses about 12 bytes of memory each."""
    ordinals = {docno: ordinal for ordinal, docno in enumerate(docnos)}
    citing, cited, citing_outside, outside = array("i"), array("i"), array("i"), array("Q")
    for ordinal, paper in enumerate(read_metadata(sorted_metadata)):
        for reference in dict.fromkeys(paper.references):
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
    hashes = _as_array(outside, np.uint64)
    return Citations(
        _int32_array(citing), _int32_array(cited), _int32_array(citing_outside), hashes
    )


def docno_hash(docno: str) -> int:
    """A 64-bit hash for a docno outside the corpus.

    Among 20 million docnos, two share a hash with a probability of 1 in 100,000. They would then
    count as the same paper.
    """
    return int.from_bytes(hashlib.sha256(docno.encode()).digest()[:8], "big")


def _int32_array(values: array[int]) -> Ordinals:
    ints: Ordinals = _as_array(values, np.int32)
    return ints


def _as_array(values: array[int], dtype: type[np.generic]) -> Any:
    # numpy rejects an empty buffer.
    return np.frombuffer(values, dtype=dtype) if values else np.empty(0, dtype=dtype)
