"""Retrievers that read no text: the citation graph, the most cited, and chance.

MDCR's sources beside its models (Medić & Šnajder, SDP 2022, §4.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.ordering import order_key, shuffled
from pooling.formats import Scored
from pooling.retrievers.folders import IndexCorrupt, build_folder, check_folder
from pooling.retrievers.interface import (
    IndexedText,
    NothingToIndex,
    Progress,
    QueryText,
    Retriever,
    check_depth,
)
from pooling.retrievers.papers import (
    Citations,
    Lists,
    Ordinals,
    Papers,
    Requirements,
    docno_hash,
    mapped,
    read_citations,
    read_papers,
    spool_facts,
)
from pooling.retrievers.spool import BEAT, Spool
from pooling.retrievers.tfidf import top_ordinals

TOP = 200
DEFAULT = Requirements()

Keys = NDArray[np.uint64]


class _Source(Protocol):
    """What ranks one query paper."""

    def best(self, query: QueryText, depth: int) -> list[Scored]: ...


@dataclass(frozen=True)
class LinkedRanker:
    """An opened index, whichever of the three it is."""

    source: _Source

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """See Ranker.rank."""
        check_depth(depth)
        for done, query in enumerate(queries, start=1):
            yield query.docno, self.source.best(query, depth)
            progress(done)


@dataclass(frozen=True)
class Graph:
    """Neighbours of the query paper's references, reference by reference.

    A neighbour of a reference cites it or is cited by it. The references are ordered by their
    overlap with the query paper, highest first; of each, all neighbours are ranked before those of
    the next. For the query paper q and a reference c the overlap is, in [0, 1],

        |out(q) ∩ (in(c) ∪ out(c))| / |out(q) ∪ in(c) ∪ out(c)|

    where out(p) is the set of papers that p cites and in(p) the set of papers that cite p, q among
    in(c). References with equal overlap are ordered by docno descending, and so are the neighbours
    of one reference. MDCR's order of references is by overlap too, but its exact formula is not
    preserved.

    References outside the corpus count: two papers that cite the same unknown book are linked by
    it. What such a reference cites itself is unknown.
    """

    required: Requirements = DEFAULT

    kind = "graph"
    version = "2"

    @property
    def name(self) -> str:
        return f"graph{self.required.suffix}"

    @property
    def parameters(self) -> dict[str, object]:
        return _parameters(self.required)

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """See Retriever.build."""

        def write(draft: Path, scratch: Path) -> Sequence[str]:
            papers, spooled = _papers(documents, draft, scratch, progress)
            citations = read_citations(spooled, papers.docnos, progress)
            if not len(citations.citing) and not len(citations.citing_outside):
                raise _no_citations()
            _write_graph(draft, citations, len(papers.docnos))
            return papers.docnos

        build_folder(folder, self, write)

    def open(self, folder: Path) -> LinkedRanker:
        """See Retriever.open."""
        docnos = check_folder(folder, self)
        try:
            papers = Papers.open(folder, docnos)
            cites, citers = Lists.mapped(folder, "cites"), Lists.mapped(folder, "citers")
            graph = _Graph(papers, self.required, cites, citers, mapped(folder, "outside"))
        except (OSError, ValueError) as error:
            raise IndexCorrupt(folder, str(error)) from error
        return LinkedRanker(graph)


@dataclass(frozen=True)
class MostCited:
    """A random order of the `top` most cited papers of the query paper's fields.

    Citations are counted within the corpus; a paper without a citation there is not ranked. For a
    query paper without a field the whole corpus is its field.
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
            **_parameters(replace(self.required, same_field=True)),
            "top": self.top,
            "seed": self.seed,
        }

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """See Retriever.build."""

        def write(draft: Path, scratch: Path) -> Sequence[str]:
            papers, spooled = _papers(documents, draft, scratch, progress)
            citations = read_citations(spooled, papers.docnos, progress)
            if not len(citations.cited):
                raise _no_citations()
            counts = np.bincount(citations.cited, minlength=len(papers.docnos))
            np.save(draft / "counts.npy", counts.astype(np.float32))
            return papers.docnos

        build_folder(folder, self, write)

    def open(self, folder: Path) -> LinkedRanker:
        """See Retriever.open."""
        docnos = check_folder(folder, self)
        required = replace(self.required, same_field=True)
        try:
            papers, counts = Papers.open(folder, docnos), mapped(folder, "counts")
        except (OSError, ValueError) as error:
            raise IndexCorrupt(folder, str(error)) from error
        return LinkedRanker(_Counts(papers, required, counts, self.top, self.seed))


@dataclass(frozen=True)
class RandomPapers:
    """Papers in an order of chance, another for every query paper.

    Every paper has a key of its own, out of the SHA-256 of seed and docno, and so has the query
    paper; papers are ordered by the two, mixed. Hashing every docno anew for each query paper, as
    `corpus.ordering` does, would take two seconds a query at two million papers. It is as
    reproducible, and here too a new paper moves no other.
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
        return {**_parameters(self.required), "seed": self.seed}

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """See Retriever.build."""

        def write(draft: Path, scratch: Path) -> Sequence[str]:
            papers, _ = _papers(documents, draft, scratch, progress)
            keys = np.empty(len(papers.docnos), dtype=np.uint64)
            for ordinal, docno in enumerate(papers.docnos):
                keys[ordinal] = self.key("", docno)
                if ordinal % BEAT == 0:
                    progress(ordinal)
            np.save(draft / "keys.npy", keys)
            progress(len(keys))
            return papers.docnos

        build_folder(folder, self, write)

    def open(self, folder: Path) -> LinkedRanker:
        """See Retriever.open."""
        docnos = check_folder(folder, self)
        try:
            papers, keys = Papers.open(folder, docnos), mapped(folder, "keys")
        except (OSError, ValueError) as error:
            raise IndexCorrupt(folder, str(error)) from error
        return LinkedRanker(_Chance(papers, self, keys))

    def key(self, query: str, docno: str) -> int:
        """64 bits of the SHA-256 of a paper, or of a query paper when docno is ""."""
        return int(order_key(self.seed, "random", query, docno)[:16], 16)


@dataclass(frozen=True)
class _Graph:
    """Citations. A paper's number is its ordinal; cited papers outside the corpus come after."""

    papers: Papers
    required: Requirements
    cites: Lists  # of every paper, the numbers of those that it cites
    citers: Lists  # of every paper, then of every cited paper outside, those that cite it
    outside: Keys  # (cited papers outside,) their hashes, ascending

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        may = self.papers.eligible(query, self.required)
        found: list[Ordinals] = []
        for number in self._by_overlap(query):
            linked = self._linked(number)
            neighbours = linked[linked < len(self.papers.docnos)]
            neighbours = neighbours[may[neighbours]]
            may[neighbours] = False
            found.append(neighbours)
            if sum(map(len, found)) >= depth:
                break
        if not found:
            return []
        return _by_place([self.papers.docnos[at] for at in np.concatenate(found)[:depth]])

    def _by_overlap(self, query: QueryText) -> list[int]:
        """The numbers of the query paper's references, in the order in which they are taken."""
        references = set(query.references) - {query.docno}
        numbers = {docno: self._number(docno) for docno in references}
        known = {docno: number for docno, number in numbers.items() if number is not None}
        cited = np.array(sorted(set(known.values())), dtype=np.int32)
        itself = self.papers.ordinal(query.docno)

        def overlap(number: int) -> float:
            linked = self._linked(number)
            linked = linked if itself is None else linked[linked != itself]
            shared = int(np.isin(cited, linked, assume_unique=True).sum())
            # The query paper cites the reference, so it is in the union, in the index or not.
            return shared / (len(references) + len(linked) - shared + 1)

        overlaps = [(overlap(number), docno) for docno, number in known.items()]
        return [known[docno] for _, docno in sorted(overlaps, reverse=True)]

    def _number(self, docno: str) -> int | None:
        """None for a paper outside that no paper in the index cites."""
        ordinal = self.papers.ordinal(docno)
        if ordinal is not None:
            return ordinal
        sought = np.uint64(docno_hash(docno))
        place = int(np.searchsorted(self.outside, sought))
        known = place < len(self.outside) and self.outside[place] == sought
        return len(self.papers.docnos) + place if known else None

    def _linked(self, number: int) -> Ordinals:
        """The number of each paper that this one cites or is cited by, ascending, each once."""
        if number >= len(self.papers.docnos):
            return np.unique(self.citers[number])
        return np.union1d(self.cites[number], self.citers[number])


@dataclass(frozen=True)
class _Counts:
    papers: Papers
    required: Requirements
    counts: NDArray[np.float32]  # (papers,) how many papers of the corpus cite each
    top: int
    seed: str

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        may = self.papers.eligible(query, self.required)
        cited = top_ordinals(np.where(may, self.counts, 0).astype(np.float32), self.top)
        docnos = [self.papers.docnos[ordinal] for ordinal in cited]
        return _by_place(
            shuffled(docnos, seed=self.seed, purpose="most-cited", query=query.docno)[:depth]
        )


@dataclass(frozen=True)
class _Chance:
    papers: Papers
    retriever: RandomPapers
    keys: Keys  # (papers,)

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        may = np.flatnonzero(self.papers.eligible(query, self.retriever.required))
        order = mixed(self.keys[may] ^ np.uint64(self.retriever.key(query.docno, "")))
        if len(may) > depth:
            last = np.partition(order, depth - 1)[depth - 1]
            may, order = may[order <= last], order[order <= last]
        best = may[np.lexsort((may, order))][:depth]
        return _by_place([self.papers.docnos[ordinal] for ordinal in best])


def mixed(keys: Keys) -> Keys:
    """Every bit of a key spread over all of them: SplitMix64's finaliser (Steele et al., 2014).

    One-to-one, so different keys stay different. Integer arithmetic modulo 2^64: the same
    everywhere.
    """
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def linked(name: str) -> Graph | MostCited | RandomPapers | None:
    """The retriever of a name like `graph` or `random.same_field.not_later`; None if there is none.

    Raises ValueError for a requirement that does not exist, and for a `top` that is not 1 or more.
    """
    base, *suffixes = name.split(".")
    if base not in LINKED:
        return None
    source = LINKED[base][0]
    if isinstance(source, MostCited):
        tops = [suffix for suffix in suffixes if _TOP.fullmatch(suffix)]
        suffixes = [suffix for suffix in suffixes if suffix not in tops]
        if tops:
            source = replace(source, top=_top(tops))
    required = Requirements.named("".join(f".{suffix}" for suffix in suffixes))
    return replace(source, required=required)


def _top(suffixes: Sequence[str]) -> int:
    top = int(suffixes[0].removeprefix("top"))
    if len(suffixes) > 1 or top < 1:
        raise ValueError(f"{'.'.join(suffixes)!r} must be one number from 1 up, as in top{TOP}.")
    return top


def seeded(one: Retriever, seed: str) -> Retriever:
    """The same retriever, its order of chance drawn from this seed if it has one."""
    return replace(one, seed=seed) if isinstance(one, MostCited | RandomPapers) else one


_TOP = re.compile("top[0-9]{1,9}")

LINKED: dict[str, tuple[Graph | MostCited | RandomPapers, str]] = {
    "graph": (
        Graph(),
        "Papers that cite or are cited by what the query paper cites, closest reference first",
    ),
    "most_cited": (
        MostCited(),
        f"The {TOP} most cited papers in the query paper's field, in random order",
    ),
    "random": (RandomPapers(), "Any papers, in random order"),
}


def _parameters(required: Requirements) -> dict[str, object]:
    return {
        "same_field": required.same_field,
        "not_later": required.not_later,
        "without_known": required.without_known,
    }


def _papers(
    documents: Iterable[IndexedText], draft: Path, scratch: Path, progress: Progress
) -> tuple[Papers, Spool]:
    spooled = spool_facts(documents, scratch, progress)
    papers = read_papers(spooled, progress)
    papers.write(draft)
    return papers, spooled


def _write_graph(draft: Path, citations: Citations, papers: int) -> None:
    outside, places = np.unique(citations.outside, return_inverse=True)
    np.save(draft / "outside.npy", outside)
    citing = np.concatenate((citations.citing, citations.citing_outside))
    cited = np.concatenate((citations.cited, (places + papers).astype(np.int32)))
    Lists.grouped(citing, cited, papers).save(draft, "cites")
    Lists.grouped(cited, citing, papers + len(outside)).save(draft, "citers")


def _no_citations() -> NothingToIndex:
    return NothingToIndex("no document cites another, so there are no citations to go by")


def _by_place(docnos: Sequence[str]) -> list[Scored]:
    """Scores 1, 1/2, 1/3 …: these sources have an order and no score of their own."""
    return [Scored(docno, 1 / rank) for rank, docno in enumerate(docnos, start=1)]
