"""The check that labels which are citations follow from the sources of the pools. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from bundle.citation_labels import known_sources_by_paper
from bundle.names import QRELS
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from retrieval.run_names import CITED


def wrong_labels(data: ReleaseData) -> Iterator[Failure]:
    """Labels that are not 1 for a candidate of a source of known positives, and 0 for others.

    These sources are `cited` and those that the build of the pool forced. Excluded candidates have
    no label. All queries of a paper have the same labels.
    """
    yield from data.repeated_labels
    forced = known_sources_by_paper(data.manifest.builds)
    for query, paper in data.paper_of.items():
        labels = data.labels.get(query, {})
        pool = data.pools.get(paper, {})
        for docno, pooled in pool.items():
            known = not forced.get(paper, frozenset({CITED})).isdisjoint(pooled.sources)
            expected = None if pooled.is_excluded else int(known)
            if labels.get(docno) != expected:
                yield Failure(
                    QRELS,
                    None,
                    f"{query} {docno} has the label {labels.get(docno, 'none')}, and its sources "
                    f"give {'none' if expected is None else expected}.",
                )
        for docno in sorted(labels.keys() - pool.keys()):
            reason = f"{query} {docno} has a label, but is not in the pool of {paper}."
            yield Failure(QRELS, None, reason)
