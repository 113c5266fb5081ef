"""The label of each candidate in a release whose labels are citations. Pure.

The rule, which writing and verifying a release share:

- Every candidate of a pool has a label for each query of its query paper, the same for all of them.
  A candidate that is `excluded` has none.
- The label is 1 if a source of known positives has the candidate, and otherwise 0.
- The sources of known positives are `cited` and the sources that the pool's build forced. If the
  build did not force `cited`, then `cited` is a source in such a release of each candidate that the
  query paper cites.

So the labels follow from `pools/pool.jsonl` and from `forced` in the builds of the manifest.
Known positives that are not in the references of the collection can be forced as a run: MDCR's five
are a sample of them, and a corpus may have no references at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from bundle.records import FoundBy, PooledDocument, ReleasedBuild
from retrieval.run_names import CITED

HIGHEST_GRADE = 1
RELEVANT_FROM = 1
POSITIVES = "true"  # the type of known positives, as in MDCR


def known_sources(manifest: Mapping[str, Any]) -> frozenset[str]:
    """The sources of known positives in the pools of a build."""
    return frozenset((CITED, *(manifest.get("forced") or ())))


def known_sources_by_paper(builds: Iterable[ReleasedBuild]) -> dict[str, frozenset[str]]:
    """The sources of known positives by query paper."""
    return {
        paper: sources
        for build in builds
        for sources in [known_sources(build.manifest)]
        for paper in build.query_papers
    }


def is_completed(manifest: Mapping[str, Any]) -> bool:
    """Return whether `cited` becomes a source of all cited candidates of the build.

    The pools of a build that forced `cited` stay as they are. They have all that was cited when
    they were drawn, and their sources are under the digests of the manifest.
    """
    return CITED not in (manifest.get("forced") or ())


def papers_to_complete(builds: Iterable[ReleasedBuild]) -> frozenset[str]:
    """The query papers for whose cited candidates `cited` becomes a source."""
    return frozenset(
        paper for build in builds if is_completed(build.manifest) for paper in build.query_papers
    )


def citation_label(document: PooledDocument, known: Container[str]) -> int | None:
    """1 or 0; None for a candidate without a label."""
    if document.excluded:
        return None
    return int(any(source.source in known for source in document.sources))


def candidate_type(document: PooledDocument, known: Container[str]) -> str | None:
    """The type of a candidate: `true` for the known positives, otherwise the run that drew it.

    A run that is called `true` draws negatives, too, which must not be among the positives. A
    candidate without a label has the type None.
    """
    label = citation_label(document, known)
    if label is None:
        return None
    drawer = document.drawn_by or ""
    return POSITIVES if label else f"{drawer} (run)" if drawer == POSITIVES else drawer


def with_citation(document: PooledDocument, references: Container[str]) -> PooledDocument:
    """The document with `cited` among its sources if it is in the references of its query paper."""
    if document.docno not in references or any(
        source.source == CITED for source in document.sources
    ):
        return document
    return document._replace(sources=(*document.sources, FoundBy(CITED, None, None, False)))


class CitationCounts(NamedTuple):
    """The labels of the candidates, each counted once and not once for every facet.

    `by_source` counts the positives of each source of known positives; several can have one.
    `not_cited` are the positives that the references of the collection do not have.
    """

    positives: int
    negatives: int
    not_cited: int
    by_source: Mapping[str, int]
    query_papers_without_positive: int


def count_citations(
    documents: Iterable[PooledDocument], builds: Iterable[ReleasedBuild]
) -> CitationCounts:
    """The counts of all pools. The documents are read once."""
    known = known_sources_by_paper(builds)
    labels: Counter[int] = Counter()
    by_source: Counter[str] = Counter()
    positive, not_cited = set(), 0
    for document in documents:
        sources = known[document.query_paper]
        label = citation_label(document, sources)
        if label is None:
            continue
        labels[label] += 1
        if label:
            positive.add(document.query_paper)
            found = {source.source for source in document.sources} & sources
            by_source.update(found)
            not_cited += CITED not in found
    return CitationCounts(
        labels[1],
        labels[0],
        not_cited,
        dict(sorted(by_source.items())),
        len(known) - len(positive),
    )
