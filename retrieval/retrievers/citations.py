"""Retrievers that read no text: citation graph, most cited papers, random papers.

MDCR uses these sources beside its models (Medić & Šnajder, SDP 2022, §4.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.ordering import order_key, shuffled
from retrieval.formats import Scored
from retrieval.indexes.arrays import open_array
from retrieval.indexes.external_sort import BEAT, SortedTexts
from retrieval.indexes.folders import FolderRetriever, IndexDraft
from retrieval.interface import (
    IndexedText,
    NothingToIndex,
    PaperRanker,
    Progress,
    QueryText,
    Retriever,
)
from retrieval.retrievers.metadata import (
    Citations,
    CorpusMetadata,
    OrdinalLists,
    Ordinals,
    Requirements,
    docno_hash,
    read_citations,
    read_corpus_metadata,
    sort_metadata,
)
from retrieval.retrievers.tfidf import top_ordinals

TOP = 200
DEFAULT = Requirements()

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Graph(FolderRetriever):
    """Neighbours of the query paper's references, reference by reference.

    A neighbour of a reference cites it or is cited by it. The references are ordered by their
    overlap with the query paper, highest first; all neighbours of a reference are ranked before
    those of the next. For the query paper q and a reference c the overlap is, in [0, 1],

        |out(q) ∩ (in(c) ∪ out(c))| / |out(q) ∪ in(c) ∪ out(c)|

    where out(p) is the set of papers that p cites and in(p) the set of papers that cite p, q among
    in(c). References with equal overlap are ordered by docno descending, and so are the neighbours
    of one reference. MDCR's order of references is by overlap too, but its exact formula is not
    preserved.

    References outside the corpus count: two papers that cite the same unknown book are linked by
    it. The references of the book are unknown.
    """

    required: Requirements = DEFAULT

    kind = "graph"
    version = "2"

    @property
    def name(self) -> str:
        return f"graph{self.required.suffix}"

    @property
    def parameters(self) -> dict[str, object]:
        return asdict(self.required)

    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> Sequence[str]:
        papers, sorted_metadata = _write_papers(documents, place, progress)
        citations = read_citations(sorted_metadata, papers.docnos, progress)
        if not len(citations.citing) and not len(citations.citing_outside):
            raise _no_citations()
        _write_graph(place.draft, citations, len(papers.docnos))
        return papers.docnos

    def read(self, folder: Path, docnos: Sequence[str]) -> _GraphSource:
        return _GraphSource(
            CorpusMetadata.open(folder, docnos),
            self.required,
            OrdinalLists.open(folder, "cites"),
            OrdinalLists.open(folder, "citers"),
            open_array(folder, "outside"),
        )


@dataclass(frozen=True)
class MostCited(FolderRetriever):
    """A random order of the `top` most cited papers of the query paper's fields.

    Citations are counted within the corpus; a paper without a citation there is not ranked. For a
    query paper without a field, all papers of the corpus are used.
    """

    required: Requirements = DEFAULT
    top: int = TOP
    seed: str = ""

    kind = "most_cited"
    version = "1"

    @property
    def name(self) -> str:
        top = "" if self.top == TOP else f".top{self.top}"
        return f"most_cited{self.required.suffix}{top}"

    @property
    def parameters(self) -> dict[str, object]:
        return {
            **asdict(replace(self.required, same_field=True)),
            "top": self.top,
            "seed": self.seed,
        }

    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> Sequence[str]:
        papers, sorted_metadata = _write_papers(documents, place, progress)
        citations = read_citations(sorted_metadata, papers.docnos, progress)
        if not len(citations.cited):
            raise _no_citations()
        counts = np.bincount(citations.cited, minlength=len(papers.docnos))
        np.save(place.draft / "counts.npy", counts.astype(np.float32))
        return papers.docnos

    def read(self, folder: Path, docnos: Sequence[str]) -> _MostCitedSource:
        papers, counts = CorpusMetadata.open(folder, docnos), open_array(folder, "counts")
        required = replace(self.required, same_field=True)
        return _MostCitedSource(papers, required, counts, self.top, self.seed)


@dataclass(frozen=True)
class RandomPapers(FolderRetriever):
    """Papers in random order, a different order for every query paper.

    Every paper has a key from the SHA-256 of seed and docno, and so has the query paper. Papers are
    sorted by a mix of both keys. Hashing every docno again for each query paper, as
    `corpus.ordering` does, takes two seconds per query at two million papers. Both orders are
    reproducible, and in both a new paper changes the order of no others.
    """

    required: Requirements = DEFAULT
    seed: str = ""

    kind = "random"
    version = "1"

    @property
    def name(self) -> str:
        return f"random{self.required.suffix}"

    @property
    def parameters(self) -> dict[str, object]:
        return {**asdict(self.required), "seed": self.seed}

    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> Sequence[str]:
        papers, _ = _write_papers(documents, place, progress)
        keys = np.empty(len(papers.docnos), dtype=np.uint64)
        for ordinal, docno in enumerate(papers.docnos):
            keys[ordinal] = self.key("", docno)
            if ordinal % BEAT == 0:
                progress(ordinal)
        np.save(place.draft / "keys.npy", keys)
        progress(len(keys))
        return papers.docnos

    def read(self, folder: Path, docnos: Sequence[str]) -> _RandomSource:
        papers, keys = CorpusMetadata.open(folder, docnos), open_array(folder, "keys")
        return _RandomSource(papers, self, keys)

    def key(self, query: str, docno: str) -> int:
        """The first 64 bits of the SHA-256 of a paper, or of a query paper if `docno` is ""."""
        return int(order_key(self.seed, "random", query, docno)[:16], 16)


@dataclass(frozen=True)
class _GraphSource(PaperRanker):
    """Citations. A paper's number is its ordinal; cited papers outside the corpus follow."""

    papers: CorpusMetadata
    required: Requirements
    cites: OrdinalLists  # for every paper, the numbers of the papers that it cites
    citers: OrdinalLists  # for every paper, then every cited paper outside, its citing papers
    outside: Keys  # (cited papers outside,) their hashes, ascending

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        eligible = self.papers.eligible(query, self.required)
        neighbour_lists: list[Ordinals] = []
        for number in self._by_overlap(query):
            reference_neighbours = self._neighbours(number)
            neighbours = reference_neighbours[reference_neighbours < len(self.papers.docnos)]
            neighbours = neighbours[eligible[neighbours]]
            eligible[neighbours] = False
            neighbour_lists.append(neighbours)
            if sum(map(len, neighbour_lists)) >= depth:
                break
        if not neighbour_lists:
            return []
        return _scored_by_rank(
            [self.papers.docnos[ordinal] for ordinal in np.concatenate(neighbour_lists)[:depth]]
        )

    def _by_overlap(self, query: QueryText) -> list[int]:
        """The numbers of the query paper's references, sorted by overlap, highest first."""
        references = set(query.references) - {query.docno}
        numbers = {docno: self._number(docno) for docno in references}
        number_of = {docno: number for docno, number in numbers.items() if number is not None}
        cited = np.array(sorted(set(number_of.values())), dtype=np.int32)
        itself = None if query.is_topic else self._number(query.docno)

        def overlap(number: int) -> float:
            neighbours = self._neighbours(number)
            neighbours = neighbours if itself is None else neighbours[neighbours != itself]
            shared_count = int(np.isin(cited, neighbours, assume_unique=True).sum())
            # The query paper cites the reference, so the union has it even if the index does not.
            return shared_count / (len(references) + len(neighbours) - shared_count + 1)

        overlaps = [(overlap(number), docno) for docno, number in number_of.items()]
        return [number_of[docno] for _, docno in sorted(overlaps, reverse=True)]

    def _number(self, docno: str) -> int | None:
        """The paper's number; None for a paper outside the corpus without citing papers."""
        ordinal = self.papers.ordinal(docno)
        if ordinal is not None:
            return ordinal
        target = np.uint64(docno_hash(docno))
        position = int(np.searchsorted(self.outside, target))
        is_known = position < len(self.outside) and self.outside[position] == target
        return len(self.papers.docnos) + position if is_known else None

    def _neighbours(self, number: int) -> Ordinals:
        """The numbers of the papers that cite this paper or are cited by it, ascending, unique."""
        if number >= len(self.papers.docnos):
            return np.unique(self.citers[number])
        return np.union1d(self.cites[number], self.citers[number])


@dataclass(frozen=True)
class _MostCitedSource(PaperRanker):
    papers: CorpusMetadata
    required: Requirements
    counts: NDArray[np.float32]  # (papers,) the number of citing papers in the corpus
    top: int
    seed: str

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        eligible = self.papers.eligible(query, self.required)
        cited = top_ordinals(np.where(eligible, self.counts, 0).astype(np.float32), self.top)
        docnos = [self.papers.docnos[ordinal] for ordinal in cited]
        return _scored_by_rank(
            shuffled(docnos, seed=self.seed, purpose="most-cited", query=query.docno)[:depth]
        )


@dataclass(frozen=True)
class _RandomSource(PaperRanker):
    papers: CorpusMetadata
    retriever: RandomPapers
    keys: Keys  # (papers,)

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        ordinals = np.flatnonzero(self.papers.eligible(query, self.retriever.required))
        order = mix_keys(self.keys[ordinals] ^ np.uint64(self.retriever.key(query.docno, "")))
        if len(ordinals) > depth:
            last = np.partition(order, depth - 1)[depth - 1]
            ordinals, order = ordinals[order <= last], order[order <= last]
        best = ordinals[np.lexsort((ordinals, order))][:depth]
        return _scored_by_rank([self.papers.docnos[ordinal] for ordinal in best])


def mix_keys(keys: Keys) -> Keys:
    """Mix the bits of every key by SplitMix64's finaliser (Steele et al., 2014).

    It is one-to-one, so different keys stay different. Integer arithmetic modulo 2^64 gives the
    same result on every machine.
    """
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def metadata_retriever(name: str) -> Graph | MostCited | RandomPapers | None:
    """The retriever of a name like `graph` or `random.same_field.not_later`; None for other names.

    Raises ValueError for an unknown requirement, and for a `top` below 1.
    """
    base, *suffixes = name.split(".")
    if base not in METADATA_RETRIEVERS:
        return None
    source = METADATA_RETRIEVERS[base][0]
    if isinstance(source, MostCited):
        tops = [suffix for suffix in suffixes if _TOP.fullmatch(suffix)]
        suffixes = [suffix for suffix in suffixes if suffix not in tops]
        if tops:
            source = replace(source, top=_top(tops))
    required = Requirements.from_suffix("".join(f".{suffix}" for suffix in suffixes))
    return replace(source, required=required)


def _top(suffixes: Sequence[str]) -> int:
    top = int(suffixes[0].removeprefix("top"))
    if len(suffixes) > 1 or top < 1:
        raise ValueError(
            f"{'.'.join(suffixes)!r} must be a single number of at least 1, as in top{TOP}."
        )
    return top


def with_seed(retriever: Retriever, seed: str) -> Retriever:
    """The same retriever; if its order is random, with this seed."""
    return (
        replace(retriever, seed=seed)
        if isinstance(retriever, MostCited | RandomPapers)
        else retriever
    )


_TOP = re.compile("top[0-9]{1,9}")

METADATA_RETRIEVERS: dict[str, tuple[Graph | MostCited | RandomPapers, str]] = {
    "graph": (
        Graph(),
        "Papers that cite or are cited by what the query cites, closest reference first",
    ),
    "most_cited": (
        MostCited(),
        f"The {TOP} most cited papers in the query's field, in random order",
    ),
    "random": (RandomPapers(), "Any papers, in random order"),
}


def _write_papers(
    documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
) -> tuple[CorpusMetadata, SortedTexts]:
    sorted_metadata = sort_metadata(documents, place.scratch, progress)
    papers = read_corpus_metadata(sorted_metadata, progress)
    papers.write(place.draft)
    return papers, sorted_metadata


def _write_graph(draft: Path, citations: Citations, papers: int) -> None:
    outside, places = np.unique(citations.outside, return_inverse=True)
    np.save(draft / "outside.npy", outside)
    citing = np.concatenate((citations.citing, citations.citing_outside))
    cited = np.concatenate((citations.cited, (places + papers).astype(np.int32)))
    OrdinalLists.by_group(citing, cited, papers).save(draft, "cites")
    OrdinalLists.by_group(cited, citing, papers + len(outside)).save(draft, "citers")


def _no_citations() -> NothingToIndex:
    return NothingToIndex("no document cites another, so there is nothing to index")


def _scored_by_rank(docnos: Sequence[str]) -> list[Scored]:
    """Give scores 1, 1/2, 1/3 …, because these sources have an order but no scores."""
    return [Scored(docno, 1 / rank) for rank, docno in enumerate(docnos, start=1)]
