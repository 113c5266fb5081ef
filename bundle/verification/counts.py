"""The check that the numbers of the manifest are those of the files. Pure.

README.md, datasheet.md and CHANGELOG.md are for readers. Their words may change between versions of
the software, so no check reads a number from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bundle.citation_labels import CitationCounts, count_citations, known_sources_by_paper
from bundle.counts import FacetCounts, ReleaseCounts, RoundCounts, count_rounds
from bundle.names import MANIFEST, SETTINGS
from bundle.reading.collection_files import read_settings
from bundle.reading.pools import read_pools
from bundle.verification.data import FIRST, ReleaseData
from bundle.verification.failures import Failure


def wrong_counts(data: ReleaseData) -> Iterator[Failure]:
    """Numbers of the manifest that differ from the files, and numbers that it lacks."""
    keys = [facet.key for facet in read_settings(data.bundle).facets]
    expected = _counts(data, keys).as_json()
    facet_counts = expected.pop("facets")
    yield from _differing('of "counts"', data.manifest.counts, expected)
    facets = data.manifest.counts.get("facets")
    stated = facets if isinstance(facets, dict) else {}
    for key in sorted(stated.keys() - set(keys)):
        yield Failure(MANIFEST, None, f"{key!r} is not a facet of {SETTINGS}.")
    for key in keys:
        yield from _differing(f"of {key!r}", stated.get(key), facet_counts[key])


def _differing(of: str, stated: Any, expected: Mapping[str, Any]) -> Iterator[Failure]:
    numbers = stated if isinstance(stated, dict) else {}
    for name, number in expected.items():
        if numbers.get(name) != number:
            reason = f'"{name}" {of} is {numbers.get(name)}, in the files {number}.'
            yield Failure(MANIFEST, None, reason)


def _counts(data: ReleaseData, facets: Iterable[str]) -> ReleaseCounts:
    """The counts that follow from the files."""
    judges = {
        judgment.annotator
        for pairs in data.ratings.values()
        for pair in pairs.values()
        for judgment in pair.judgments
    }
    decisions = [decision for some in data.decisions.values() for decision in some.values()]
    return ReleaseCounts(
        query_papers=len({data.paper_of[query] for query in data.queries}),
        queries=len(data.queries),
        queries_labelled=len(data.labels),
        pooled_documents=sum(map(len, data.pools.values())),
        annotators=len(judges),
        adjudicators=len({decision.adjudicator for decision in decisions}),
        labels=sum(map(len, data.labels.values())),
        facets={key: _facet_counts(data, key) for key in facets},
        citations=None if data.manifest.is_judged else _citations(data),
        rounds=_rounds(data),
    )


def _rounds(data: ReleaseData) -> dict[str, RoundCounts]:
    """A document that is in no pool, which the check `pools` finds, counts for the first round."""
    if not data.manifest.rounds:
        return {}
    last = 1 + len(data.manifest.rounds)
    graded = (
        (min(pool.get(docno, FIRST).round, last), grade)
        for query, labels in data.labels.items()
        for pool in [data.pools.get(data.paper_of.get(query, ""), {})]
        for docno, grade in labels.items()
    )
    return count_rounds(graded, last, data.manifest.highest_grade)


def _citations(data: ReleaseData) -> CitationCounts:
    """A pool without a build, which the check `pools` finds, has no labels."""
    known = known_sources_by_paper(data.manifest.builds)
    pooled = (row for _, row in read_pools(data.bundle) if row.query_paper in known)
    return count_citations(pooled, data.manifest.builds)


def _facet_counts(data: ReleaseData, facet: str) -> FacetCounts:
    queries = [query for query in data.queries.values() if query.facet == facet]
    grades = Counter(
        grade for query in queries for grade in data.labels.get(query.name, {}).values()
    )
    labels = grades.total()
    by_grade = {str(grade): grades[grade] for grade in range(data.manifest.highest_grade + 1)}
    if not data.manifest.is_judged:  # every pair has a label, and none was judged
        return FacetCounts(len(queries), labels, by_grade, pairs=labels)
    judged = agreed = 0
    decided = []
    for query in queries:
        decisions = data.decisions.get(query.name, {})
        for docno, pair in data.ratings.get(query.name, {}).items():
            if (both := pair.grades) is not None:
                judged += 1
                agreed += data.is_agreed(query.name, docno, both)
                decided += [decisions[docno]] if docno in decisions else []
    unjudged = sum(len(query.unjudged) for query in queries)
    return FacetCounts(
        queries=len(queries),
        labels=labels,
        labels_by_grade=by_grade,
        pairs=judged + unjudged,
        queries_opened=sum(query.guideline is not None for query in queries),
        pairs_judged=judged,
        unjudged=unjudged,
        agreed=agreed,
        adjudicated=sum(decision.grade is not None for decision in decided),
        overruled=sum(decision.overruled for decision in decided),
        set_aside=sum(decision.grade is None for decision in decided),
        due=judged - agreed - len(decided),
    )
