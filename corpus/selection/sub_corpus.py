"""Sampled sub-corpora: query papers, what they cite, and a sample of what their fields cite. Pure.

MDCR's candidate corpora are made so (Medić & Šnajder, SDP 2022, §3.2): everything that the queries
cite, and a random sample of what papers of the queries' field cite. Its queries are 200 papers of
2019 in each field.

The rules of the recipe come first: documents that break one are neither kept, nor do they cite. A
paper's field is the first of its fields, as in `curation.samples`; papers without one are together.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from corpus.formats.document_lines import BadLine, DocumentLine, DocumentRecord
from corpus.ordering import order_key
from corpus.selection.docno_lists import docnos_sha256, parse_docnos
from corpus.selection.filters import (
    FilterRule,
    Recipe,
    RecipeError,
    Years,
    broken_rule,
    parse_years,
)
from corpus.selection.selected_source import Choice
from web.words import count_noun

LARGEST = 10_000_000  # documents
MOST_PER_FIELD = 10_000
DEFAULT_SEED = "1"
PARTS = 64
BUFFERED = 500_000  # citations
_DOCUMENT = np.dtype([("id", "i8"), ("key", "u8"), ("position", "i8")])
_CITATION = np.dtype([("id", "i8"), ("field", "i4")])
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class SubCorpus:
    """The size with all documents, the seed of the sample, and the query papers.

    The query papers are `query_papers`, by docno as in the source; or `per_field` papers of each
    field, of `years`, drawn with `query_seed`. `query_fields` are the fields to draw from, without
    regard to case; without any, every field.
    """

    name: ClassVar = "sub_corpus"
    rules_first: ClassVar = True
    size: int
    seed: str = DEFAULT_SEED
    query_papers: tuple[str, ...] = ()
    per_field: int = 0
    years: Years | None = None
    query_fields: tuple[str, ...] = ()
    query_seed: str = DEFAULT_SEED

    def __post_init__(self) -> None:
        if not 1 <= self.size <= LARGEST:
            raise RecipeError(
                f"The size must be from 1 to {LARGEST:,} documents, got {self.size:,}.",
                "sample_size",
            )
        if not 0 <= self.per_field <= MOST_PER_FIELD:
            raise RecipeError(
                f"The query papers of each field must be from 0 to {MOST_PER_FIELD:,}, "
                f"got {self.per_field:,}.",
                "queries_per_field",
            )
        if bool(self.query_papers) == bool(self.per_field):
            found = "both" if self.per_field else "neither"
            raise RecipeError(
                "A sampled sub-corpus needs a list of query papers, or a number of query papers of "
                f"each field, got {found}. Give one of them.",
                "query_papers",
            )

    @classmethod
    def parsed(
        cls,
        size: int,
        *,
        seed: str = "",
        query_papers: str = "",
        per_field: int = 0,
        years: str = "",
        query_fields: Sequence[str] = (),
        query_seed: str = "",
    ) -> SubCorpus:
        """From docnos on a line each, and years as in a recipe. Raises RecipeError."""
        return cls(
            size,
            seed.strip() or DEFAULT_SEED,
            parse_docnos(query_papers, "query paper", "query_papers"),
            per_field,
            _years(years),
            tuple(dict.fromkeys(filter(None, (" ".join(name.split()) for name in query_fields)))),
            query_seed.strip() or DEFAULT_SEED,
        )

    @property
    def as_json(self) -> Mapping[str, object]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values = {name: value for name, value in values.items() if value}
        if self.years is not None:
            values["years"] = str(self.years)
        if self.query_papers:
            del values["query_seed"]
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SubCorpus:
        lists = {name: tuple(values.get(name, ())) for name in ("query_papers", "query_fields")}
        return cls(**{**values, **lists, "years": _years(values.get("years", ""))})

    @property
    def summary(self) -> Mapping[str, object]:
        """The query papers can be many, so a digest stands for them."""
        if not self.query_papers:
            return self.as_json
        return {
            **self.as_json,
            "query_papers": len(self.query_papers),
            "query_papers_sha256": docnos_sha256(self.query_papers),
        }

    @property
    def reason(self) -> str:
        return f"not in the sampled sub-corpus of {count_noun(self.size, 'document')}"

    def characters_read(self, recipe: Recipe) -> int | None:
        return recipe.abstract_characters

    def begin(self, rules: Sequence[FilterRule], folder: Path | None) -> Choice:
        return _SampleChoice(self, rules, folder)


def _years(text: str) -> Years | None:
    try:
        return parse_years(text)
    except RecipeError as error:
        raise RecipeError(str(error), "query_years") from error


class _SampleChoice:
    """The documents and citations of a source, by Python's 64-bit hash of their docnos.

    It is constant within a process, and no order comes from it. Among a hundred million docnos, two
    have the same hash in one of four thousand sources; then one of them may be kept for the other.
    """

    def __init__(
        self, sub_corpus: SubCorpus, rules: Sequence[FilterRule], folder: Path | None
    ) -> None:
        self.filtered: Counter[str] = Counter()
        self.counts: dict[str, int] = {}
        self._sub_corpus, self._rules = sub_corpus, rules
        self._queries = (
            _ListedQueries(sub_corpus) if sub_corpus.query_papers else _DrawnQueries(sub_corpus)
        )
        self._fields: dict[str, int] = {}
        self._documents = _Rows(_DOCUMENT, folder)
        self._citations = _Rows(_CITATION, folder)
        self._empty_buffers()

    def close(self) -> None:
        self._documents.close()
        self._citations.close()

    def add(self, first: int, lines: Sequence[DocumentLine | BadLine]) -> None:
        for position, line in enumerate(lines, first):
            if isinstance(line, BadLine):
                continue
            record = line.record
            rule = broken_rule(record, self._rules) if self._rules else None
            if rule is not None:
                self.filtered[rule.name] += 1
                continue
            cited = [*map(hash, record.references)]
            self._queries.add(record, cited)
            key = order_key(self._sub_corpus.seed, "sub-corpus", "", record.docno)
            self._ids.append(hash(record.docno))
            self._keys.append(int(key[:16], 16))
            self._positions.append(position)
            self._citing.append(self._fields.setdefault(_field_of(record), len(self._fields)))
            self._cited.extend(cited)
            self._numbers.append(len(cited))
        if len(self._cited) + len(self._ids) > BUFFERED:
            self._flush()

    def choose(self) -> Iterator[int]:
        self._flush()
        queries, cited, names = self._queries.found()
        base = np.union1d(queries, cited)
        numbers = np.array([self._fields[name] for name in names], np.int32)
        kept: list[Ids] = []
        found = population = available = 0
        sample = _Smallest(self._sub_corpus.size)
        for part in range(PARTS):
            documents = self._documents.part(part)
            rows = self._citations.part(part)
            field_cites = np.unique(rows["id"][np.isin(rows["field"], numbers)])
            is_cited = np.isin(documents["id"], field_cites)
            in_base = np.isin(documents["id"], base)
            kept.append(documents["position"][in_base])
            found += _distinct(documents["id"][np.isin(documents["id"], cited)])
            population += _distinct(documents["id"][is_cited])
            rest = documents[is_cited & ~in_base]
            available += _distinct(rest["id"])
            sample.add(rest)
        base_size = len(queries) + found - len(np.intersect1d(queries, cited))
        room = self._sub_corpus.size - base_size
        if room < 0:
            raise RecipeError(
                f"The query papers and the documents that they cite are {base_size:,} documents, "
                f"and the sub-corpus may have {self._sub_corpus.size:,}. Choose a larger size or "
                "fewer query papers.",
                "sample_size",
            )
        kept.append(sample.positions(room))
        sampled = min(room, available)
        self.counts |= {
            "query_papers": len(queries),
            "query_papers_missing": max(0, len(self._sub_corpus.query_papers) - len(queries)),
            "cited": found,
            "cited_missing": len(cited) - found,
            "population": population,
            "sampled": sampled,
            "shortfall": room - sampled,
        }
        return iter(np.sort(np.concatenate(kept)).tolist())

    def _flush(self) -> None:
        documents = np.empty(len(self._ids), _DOCUMENT)
        documents["id"], documents["key"] = self._ids, self._keys
        documents["position"] = self._positions
        self._documents.add(documents)
        citations = np.empty(len(self._cited), _CITATION)
        citations["id"] = self._cited
        citations["field"] = np.repeat(self._citing, self._numbers)
        self._citations.add(citations)
        self._empty_buffers()

    def _empty_buffers(self) -> None:
        self._ids, self._keys, self._positions = array("q"), array("Q"), array("q")
        self._citing, self._numbers, self._cited = array("i"), array("i"), array("q")


class _ListedQueries:
    """The query papers of a list."""

    def __init__(self, sub_corpus: SubCorpus) -> None:
        self._docnos = frozenset(sub_corpus.query_papers)
        self._ids, self._cited = array("q"), array("q")
        self._names: set[str] = set()

    def add(self, record: DocumentRecord, cited: list[int]) -> None:
        if record.docno in self._docnos:
            self._ids.append(hash(record.docno))
            self._cited.extend(cited)
            self._names.add(_field_of(record))

    def found(self) -> tuple[Ids, Ids, set[str]]:
        """The query papers, what they cite, and their fields. Raises RecipeError."""
        if not self._ids:
            papers = count_noun(len(self._docnos), "query paper")
            raise RecipeError(
                f"None of the {papers} is in the files and within the filter. Write docnos as the "
                f"files have them, without a prefix, such as {min(self._docnos)}.",
                "query_papers",
            )
        return _unique(self._ids), _unique(self._cited), self._names


class _DrawnQueries:
    """Query papers drawn from each field, by the order of `curation.samples`.

    So a sample of the sub-corpus with the same seed, number, years and strata by field has these
    papers, without a list of them. As there, a paper needs a text.
    """

    def __init__(self, sub_corpus: SubCorpus) -> None:
        self._sub_corpus = sub_corpus
        self._wanted = {name.casefold() for name in sub_corpus.query_fields}
        self._papers: dict[str, dict[int, tuple[int, list[int]]]] = {}
        self._heaps: dict[str, list[int]] = {}

    def add(self, record: DocumentRecord, cited: list[int]) -> None:
        name, years = _field_of(record), self._sub_corpus.years
        if not (record.sentences and name):
            return
        if self._wanted and name.casefold() not in self._wanted:
            return
        if years is not None and (record.year is None or not years.contain(record.year)):
            return
        key = int(order_key(self._sub_corpus.query_seed, "sample", name, record.docno), 16)
        papers, heap = self._papers.setdefault(name, {}), self._heaps.setdefault(name, [])
        if key in papers or (len(heap) == self._sub_corpus.per_field and key > -heap[0]):
            return
        papers[key] = (hash(record.docno), cited)
        heapq.heappush(heap, -key)
        if len(heap) > self._sub_corpus.per_field:
            del papers[-heapq.heappop(heap)]

    def found(self) -> tuple[Ids, Ids, set[str]]:
        """As of _ListedQueries."""
        papers = [paper for papers in self._papers.values() for paper in papers.values()]
        if not papers:
            raise RecipeError(
                "No paper within the filter can be a query paper: each needs an abstract, a field "
                "and a year as required. Choose other years, fields or rules.",
                "queries_per_field",
            )
        cited = array("q", (docno for _, cited in papers for docno in cited))
        return _unique(array("q", (paper for paper, _ in papers))), _unique(cited), {*self._papers}


class _Rows:
    """Rows on disk, in parts by their `id`, so that memory holds one part at a time."""

    def __init__(self, dtype: np.dtype[Any], folder: Path | None) -> None:
        self._dtype = dtype
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 (closed by close)
        self._blocks: list[NDArray[np.int64]] = []  # (PARTS + 1,) where parts begin, in rows
        self._count = 0

    def close(self) -> None:
        self._file.close()

    def add(self, rows: NDArray[Any]) -> None:
        parts = rows["id"] % PARTS
        order = np.argsort(parts, kind="stable")
        self._file.write(rows[order].tobytes())
        self._blocks.append(self._count + np.searchsorted(parts[order], np.arange(PARTS + 1)))
        self._count += len(rows)

    def part(self, number: int) -> NDArray[Any]:
        found = [np.empty(0, self._dtype)]
        for starts in self._blocks:
            first, last = int(starts[number]), int(starts[number + 1])
            self._file.seek(first * self._dtype.itemsize)
            content = self._file.read((last - first) * self._dtype.itemsize)
            found.append(np.frombuffer(content, self._dtype))
        return np.concatenate(found)


class _Smallest:
    """The documents with the smallest keys, at most `size`. Lines of one docno have the same key.

    The key is the first 64 bits of the order key.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._keys, self._positions = np.empty(0, np.uint64), np.empty(0, np.int64)

    def add(self, documents: NDArray[Any]) -> None:
        self._keys = np.concatenate([self._keys, documents["key"]])
        self._positions = np.concatenate([self._positions, documents["position"]])
        self._cut(self._size)

    def positions(self, size: int) -> Ids:
        self._cut(size)
        return self._positions

    def _cut(self, size: int) -> None:
        keys = np.unique(self._keys)
        if len(keys) > size:
            kept = self._keys < keys[size]
            self._keys, self._positions = self._keys[kept], self._positions[kept]


def _field_of(record: DocumentRecord) -> str:
    return record.fields[0] if record.fields else ""


def _unique(numbers: array[int]) -> Ids:
    return np.unique(np.frombuffer(numbers, np.int64))


def _distinct(ids: Ids) -> int:
    return len(np.unique(ids))
