"""What qrels over sampled pools have to say beside the grades. Pure.

Documents without text could not be judged, so they are in no count: neither in the size of a
stratum nor in what was drawn from it. A simple random sample of N documents, n of them drawn, is
also one of the N′ among them that have a text, n′ of them drawn. So their probability is n′/N′,
here as in the strata, and not the n/N that the pool has on record.

Two formats that tools read: the five columns of statAP's `prels` (Aslam & Pavlu, 2007; TREC's
Million Query Track) and those of `sample_eval.pl` (Yilmaz, Kanoulas & Aslam, 2008).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from corpus.texts import canonical_json
from release.records import Label, PooledDocument, Snapshot

if TYPE_CHECKING:
    from pooling.strategies import Stratum

CERTAIN = 0  # the stratum of what was in the pool for certain


class Probable(NamedTuple):
    """A final label and the probability with which its document came to be judged."""

    query: str
    docno: str
    grade: int
    inclusion: float


class Member(NamedTuple):
    """A document of a deep pool. `grade` is None where there is no final label."""

    query: str
    docno: str
    stratum: int
    grade: int | None


def probable(snapshot: Snapshot, labels: Sequence[Label]) -> Iterator[Probable]:
    """The labels with their probabilities: 1 for what no chance was needed to pool."""
    papers, pooled = _papers(snapshot), _pooled(snapshot)
    chances = {
        (sample.query_paper, docno): chance
        for sample in snapshot.samples
        for stratum in sample.strata
        for docno, chance in _chances(stratum, pooled[sample.query_paper])
    }
    for label in labels:
        chance = chances.get((papers[label.query], label.docno), 1.0)
        yield Probable(label.query, label.docno, label.grade, chance)


def _chances(stratum: Stratum, pooled: Container[str]) -> Iterator[tuple[str, float]]:
    """The documents that were drawn from the stratum, each with its probability."""
    drawn = [docno for docno in stratum.docnos if docno in pooled]
    for docno in drawn:
        yield docno, len(drawn) / len(stratum.docnos)


def members(snapshot: Snapshot, labels: Sequence[Label]) -> Iterator[Member]:
    """For every query with a label the whole deep pool, drawn or not.

    A stratum is numbered from 1 by best rank. What was pooled for certain, because it was forced
    or the pool is no sample, is in stratum 0.
    """
    papers, pooled = _papers(snapshot), _pooled(snapshot)
    samples = {one.query_paper: one for one in snapshot.samples}
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for label in labels:
        grades[label.query][label.docno] = label.grade
    for query, judged in grades.items():
        sample = samples.get(papers[query])
        stratum_of = {
            docno: number
            for number, stratum in enumerate(sample.strata if sample else (), start=1)
            for docno in stratum.docnos
        }
        stratum_of |= {
            docno: CERTAIN
            for docno, document in pooled[papers[query]].items()
            if docno not in stratum_of and (docno in judged or not document.excluded)
        }
        for docno, number in stratum_of.items():
            yield Member(query, docno, number, judged.get(docno))


def describe_sample(snapshot: Snapshot) -> dict[str, Any] | None:
    """The strata as JSON types, those of equal parameters together; None if nothing is a sample.

    `documents` counts all of a stratum that have a text, `drawn` those of them that were drawn,
    and `inclusion` is the least and the greatest probability.
    """
    if not snapshot.samples:
        return None
    papers = _papers(snapshot)
    return {
        "query_papers": len(snapshot.samples),
        "query_papers_labelled": len({papers[label.query] for label in snapshot.labels}),
        "drawn_pairs_without_label": _without_label(snapshot),
        "strata": list(_strata(snapshot)),
    }


def _strata(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    pooled, groups = _pooled(snapshot), defaultdict(list)
    for sample in snapshot.samples:
        kind = sample.strategy, canonical_json(sample.parameters), sample.parameters
        for number, stratum in enumerate(sample.strata, start=1):
            drawn = list(_chances(stratum, pooled[sample.query_paper]))
            groups[kind[:2], number].append((sample, stratum, drawn))
    for (_, number), found in sorted(groups.items()):
        sample, stratum, _ = found[0]
        chances = [chance for *_, drawn in found for _, chance in drawn]
        yield {
            "strategy": sample.strategy,
            "parameters": dict(sample.parameters),
            "stratum": number,
            "best_ranks": [stratum.first, stratum.last],
            "query_papers": len(found),
            "documents": sum(len(one.docnos) for _, one, _ in found),
            "drawn": sum(len(drawn) for *_, drawn in found),
            "inclusion": [min(chances), max(chances)] if chances else None,
        }


def _without_label(snapshot: Snapshot) -> int:
    """Pairs of a query with labels and a drawn document that nobody could give a grade."""
    sampled = {one.query_paper for one in snapshot.samples}
    papers, pooled = _papers(snapshot), _pooled(snapshot)
    labelled: dict[str, set[str]] = defaultdict(set)
    for label in snapshot.labels:
        labelled[label.query].add(label.docno)
    return sum(
        docno not in docnos
        for query, docnos in labelled.items()
        if papers[query] in sampled
        for docno, document in pooled[papers[query]].items()
        if not document.excluded
    )


def _papers(snapshot: Snapshot) -> Mapping[str, str]:
    return {query.name: query.query_paper for query in snapshot.queries}


def _pooled(snapshot: Snapshot) -> Mapping[str, Mapping[str, PooledDocument]]:
    pooled: dict[str, dict[str, PooledDocument]] = defaultdict(dict)
    for document in snapshot.pools:
        pooled[document.query_paper][document.docno] = document
    return pooled
