"""Retrievers that read no text: the citation graph, the most cited, and chance.

MDCR's sources beside its models (Medić & Šnajder, SDP 2022, §4.1).
"""

from __future__ import annotations

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

TOP = 100
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
    """Papers that cite, or are cited by, papers that the query paper cites.

    A paper's score is how many of the query paper's references it cites or is cited by. References
    outside the corpus count too: two papers that cite the same unknown book are linked by it.
    """

    required: Requirements = DEFAULT

    kind = "graph"
    version = "1"

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
            links = _Links(papers, self.required, cites, citers, mapped(folder, "outside"))
        except (OSError, ValueError) as error:
            raise IndexCorrupt(folder, str(error)) from error
        return LinkedRanker(links)


@dataclass(frozen=True)
class MostCited:
    """A random order of the `top` most cited papers of the query paper's fields.

    Citations are counted within the corpus; a paper that nobody there cites is not ranked. For a
    query paper without a field the whole corpus is its field.
    """

    required: Requirements = DEFAULT
    top: int = TOP
    seed: str = ""

    kind = "most_cited"
    version = "1"

    @property
    def name(self) -> str:
        return f"most_cited{self.required.suffix}"

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
class _Links:
    papers: Papers
    required: Requirements
    cites: Lists  # of every paper, those in the corpus that it cites
    citers: Lists  # of every paper, then of every cited paper outside, those that cite it
    outside: Keys  # (cited papers outside,) their hashes, ascending

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        references = dict.fromkeys(one for one in query.references if one != query.docno)
        linked = [self._neighbours(reference) for reference in references]
        if not linked:
            return []
        found, counts = np.unique(np.concatenate(linked), return_counts=True)
        may = self.papers.eligible(query, self.required)[found]
        found, counts = found[may], counts[may]
        best = np.lexsort((found, -counts))[:depth]
        return [Scored(self.papers.docnos[found[one]], float(counts[one])) for one in best]

    def _neighbours(self, docno: str) -> Ordinals:
        """Each paper once that cites the one of this docno or is cited by it."""
        place = self.papers.ordinal(docno)
        if place is not None:
            return np.union1d(self.cites[place], self.citers[place])
        sought = np.uint64(docno_hash(docno))
        place = int(np.searchsorted(self.outside, sought))
        if place == len(self.outside) or self.outside[place] != sought:
            return np.empty(0, dtype=np.int32)
        return self.citers[len(self.papers.docnos) + place]


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

    Raises ValueError for a requirement that does not exist.
    """
    base, dot, rest = name.partition(".")
    if base not in LINKED:
        return None
    return replace(LINKED[base][0], required=Requirements.named(dot + rest))


def seeded(one: Retriever, seed: str) -> Retriever:
    """The same retriever, its order of chance drawn from this seed if it has one."""
    return replace(one, seed=seed) if isinstance(one, MostCited | RandomPapers) else one


LINKED: dict[str, tuple[Graph | MostCited | RandomPapers, str]] = {
    "graph": (
        Graph(),
        "Papers that cite or are cited by what the query paper cites, most links first",
    ),
    "most_cited": (
        MostCited(),
        f"The {TOP} most cited papers of the query paper's field, in an order of chance",
    ),
    "random": (RandomPapers(), "Any papers, in an order of chance"),
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
    citing, cited = citations.citing, citations.cited
    Lists.grouped(citing, cited, papers).save(draft, "cites")
    outside, places = np.unique(citations.outside, return_inverse=True)
    np.save(draft / "outside.npy", outside)
    groups = np.concatenate((cited, (places + papers).astype(np.int32)))
    members = np.concatenate((citing, citations.citing_outside))
    Lists.grouped(groups, members, papers + len(outside)).save(draft, "citers")


def _no_citations() -> NothingToIndex:
    return NothingToIndex("no document cites another, so there are no citations to go by")


def _by_place(docnos: Sequence[str]) -> list[Scored]:
    """Scores 1, 1/2, 1/3 …: all that an order of chance says is the order."""
    return [Scored(docno, 1 / rank) for rank, docno in enumerate(docnos, start=1)]
