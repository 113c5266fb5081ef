"""The facts about qrels over sampled pools beside the grades. Pure.

Documents without text could not be judged, so they are in no count: neither in the size of a
stratum nor in what was drawn from it. A simple random sample of N documents, n of them drawn, is
also one of the N′ among them that have a text, n′ of them drawn. So their probability is n′/N′,
here as in the strata, and not the n/N that the pool has on record.

Two formats that tools read: the five columns of statAP's `prels` (Aslam & Pavlu, 2007; TREC's
Million Query Track) and those of `sample_eval.pl` (Yilmaz, Kanoulas & Aslam, 2008).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from bundle.records import Label
from bundle.snapshot import Snapshot
from corpus.digests import canonical_json

if TYPE_CHECKING:
    from pooling.services.samples import StratifiedPool
    from pooling.strategies import Stratum

CERTAIN = 0  # the stratum of what was in the pool for certain


class Probable(NamedTuple):
    """A final label and the probability with which its document came to be judged."""

    query: str
    docno: str
    grade: int
    inclusion: float


class DeepMember(NamedTuple):
    """A document of a deep pool. `grade` is None where there is no final label."""

    query: str
    docno: str
    stratum: int
    grade: int | None


class DeepPools:
    """The pools of a snapshot, and of the sampled ones what they were drawn from."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._paper_of = {query.name: query.query_paper for query in snapshot.queries}
        self._samples = {sample.query_paper: sample for sample in snapshot.samples}
        # By query paper: docno to whether it is judged. Sources would be too much for memory.
        self._judged: dict[str, dict[str, bool]] = defaultdict(dict)
        for document in snapshot.pools:
            self._judged[document.query_paper][document.docno] = not document.excluded

    def paper_of(self, query: str) -> str:
        return self._paper_of[query]

    def to_judge(self, query: str) -> list[str]:
        """The documents of a sampled pool that are to be judged; empty for another pool."""
        paper = self._paper_of[query]
        judged = self._judged[paper] if paper in self._samples else {}
        return [docno for docno, is_judged in judged.items() if is_judged]

    def chances(self, query_paper: str, stratum: Stratum) -> list[tuple[str, float]]:
        """The documents that were drawn from the stratum, each with its probability."""
        pooled = self._judged[query_paper]
        drawn = [docno for docno in stratum.docnos if docno in pooled]
        return [(docno, len(drawn) / len(stratum.docnos)) for docno in drawn]

    def probable(self, labels: Iterable[Label]) -> Iterator[Probable]:
        """The labels with their probabilities: 1 for what no chance was needed to pool."""
        for query, some in groupby(labels, attrgetter("query")):
            paper = self._paper_of[query]
            chances = dict(
                drawn for stratum in self._strata(paper) for drawn in self.chances(paper, stratum)
            )
            for label in some:
                yield Probable(query, label.docno, label.grade, chances.get(label.docno, 1.0))

    def members(self, labels: Iterable[Label]) -> Iterator[DeepMember]:
        """For every query with a label the whole deep pool, drawn or not.

        A stratum is numbered from 1 by best rank. What was pooled for certain, because it was
        forced or the pool is not a sample, is in stratum 0. The labels of a query follow one
        another.
        """
        for query, some in groupby(labels, attrgetter("query")):
            grades = {label.docno: label.grade for label in some}
            paper = self._paper_of[query]
            stratum_of = {
                docno: number
                for number, stratum in enumerate(self._strata(paper), start=1)
                for docno in stratum.docnos
            }
            stratum_of |= {
                docno: CERTAIN
                for docno, is_judged in self._judged[paper].items()
                if docno not in stratum_of and (docno in grades or is_judged)
            }
            for docno, number in stratum_of.items():
                yield DeepMember(query, docno, number, grades.get(docno))

    def _strata(self, query_paper: str) -> Sequence[Stratum]:
        sample = self._samples.get(query_paper)
        return sample.strata if sample else ()


class SampledStratum(NamedTuple):
    """The strata of equal parameters and number in all pools, together.

    `documents` counts all that have a text, `drawn` those of them that were drawn, and `inclusion`
    is the least and the greatest probability, None if none was drawn.
    """

    strategy: str
    parameters: Mapping[str, Any]
    stratum: int
    best_ranks: tuple[int, int]
    query_papers: int
    documents: int
    drawn: int
    inclusion: tuple[float, float] | None


class ReleasedSample(NamedTuple):
    """The facts about sampled pools that the manifest and the README state."""

    query_papers: int
    query_papers_labelled: int
    drawn_pairs_without_label: int
    strata: tuple[SampledStratum, ...]

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "strata": [stratum._asdict() for stratum in self.strata]}


def describe_sample(snapshot: Snapshot) -> ReleasedSample | None:
    """The facts about the sampled pools; None if no pool is a sample."""
    if not snapshot.samples:
        return None
    deep = DeepPools(snapshot)
    papers, missing = set(), 0
    for query, labels in groupby(snapshot.labels, attrgetter("query")):
        papers.add(deep.paper_of(query))
        labelled = {label.docno for label in labels}
        missing += sum(docno not in labelled for docno in deep.to_judge(query))
    strata = tuple(_strata(snapshot.samples, deep))
    return ReleasedSample(len(snapshot.samples), len(papers), missing, strata)


def _strata(samples: Iterable[StratifiedPool], deep: DeepPools) -> Iterator[SampledStratum]:
    groups = defaultdict(list)
    for sample in samples:
        kind = sample.strategy, canonical_json(sample.parameters), sample.parameters
        for number, stratum in enumerate(sample.strata, start=1):
            drawn = deep.chances(sample.query_paper, stratum)
            groups[kind[:2], number].append((sample, stratum, drawn))
    for (_, number), found in sorted(groups.items()):
        sample, stratum, _ = found[0]
        chances = [chance for *_, drawn in found for _, chance in drawn]
        yield SampledStratum(
            strategy=sample.strategy,
            parameters=dict(sample.parameters),
            stratum=number,
            best_ranks=(stratum.first, stratum.last),
            query_papers=len(found),
            documents=sum(len(stratum.docnos) for _, stratum, _ in found),
            drawn=sum(len(drawn) for *_, drawn in found),
            inclusion=(min(chances), max(chances)) if chances else None,
        )
