"""The check that the numbers of the manifest are those of the files. Pure.

README.md, datasheet.md and CHANGELOG.md are for readers. Their words may change between versions of
the software, so no check reads a number from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bundle.citation_labels import count_citations, known_sources_by_paper
from bundle.interchange import InterchangedQuery
from bundle.names import MANIFEST, SETTINGS
from bundle.reading.collection_files import read_settings
from bundle.reading.pools import read_pools
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure

# The numbers of a facet in the manifest about judging, beside its pairs.
JUDGED = (
    *("queries_opened", "pairs_judged", "unjudged", "agreed"),
    *("adjudicated", "overruled", "set_aside", "due"),
)


def wrong_counts(data: ReleaseData) -> Iterator[Failure]:
    """Numbers of the manifest that differ from the files, and numbers that it lacks."""
    yield from _differing('of "counts"', data.manifest.counts, _counts(data))
    facets = data.manifest.counts.get("facets")
    stated = facets if isinstance(facets, dict) else {}
    keys = [facet.key for facet in read_settings(data.bundle).facets]
    for key in sorted(stated.keys() - set(keys)):
        yield Failure(MANIFEST, None, f"{key!r} is not a facet of {SETTINGS}.")
    for key in keys:
        yield from _differing(f"of {key!r}", stated.get(key), _facet_counts(data, key))


def _differing(of: str, stated: Any, expected: Mapping[str, Any]) -> Iterator[Failure]:
    numbers = stated if isinstance(stated, dict) else {}
    for name, number in expected.items():
        if numbers.get(name) != number:
            reason = f'"{name}" {of} is {numbers.get(name)}, in the files {number}.'
            yield Failure(MANIFEST, None, reason)


def _counts(data: ReleaseData) -> dict[str, Any]:
    judges = {
        judgment.annotator
        for pairs in data.ratings.values()
        for pair in pairs.values()
        for judgment in pair.judgments
    }
    return {
        "query_papers": len({data.paper_of[query] for query in data.queries}),
        "queries": len(data.queries),
        "queries_labelled": len(data.labels),
        "pooled_documents": sum(map(len, data.pools.values())),
        "annotators": len(judges),
        "adjudicators": len(
            {one.adjudicator for some in data.decisions.values() for one in some.values()}
        ),
        "labels": sum(map(len, data.labels.values())),
        **({} if data.manifest.is_judged else {"citations": _citations(data)}),
    }


def _citations(data: ReleaseData) -> dict[str, Any]:
    """A pool without a build, which the check `pools` finds, has no labels."""
    known = known_sources_by_paper(data.manifest.builds)
    pooled = (row for _, row in read_pools(data.bundle) if row.query_paper in known)
    return count_citations(pooled, data.manifest.builds)._asdict()


def _facet_counts(data: ReleaseData, facet: str) -> dict[str, Any]:
    """The counts that follow from the files, under the names of the manifest."""
    queries = [query for query in data.queries.values() if query.facet == facet]
    grades = Counter(
        grade for query in queries for grade in data.labels.get(query.name, {}).values()
    )
    return {
        "queries": len(queries),
        "labels": grades.total(),
        "labels_by_grade": {
            str(grade): grades[grade] for grade in range(data.manifest.highest_grade + 1)
        },
        **(_judging(data, queries) if data.manifest.is_judged else _no_judging(grades.total())),
    }


def _no_judging(labels: int) -> dict[str, int]:
    """Every pair of a release of citations has a label, and no pair was judged."""
    return {"pairs": labels, **dict.fromkeys(JUDGED, 0)}


def _judging(data: ReleaseData, queries: Sequence[InterchangedQuery]) -> dict[str, int]:
    pairs = agreed = 0
    decided = []
    for query in queries:
        decisions = data.decisions.get(query.name, {})
        for docno, pair in data.ratings.get(query.name, {}).items():
            if (both := pair.grades) is not None:
                pairs += 1
                agreed += data.is_agreed(query.name, docno, both)
                decided += [decisions[docno]] if docno in decisions else []
    unjudged = sum(len(query.unjudged) for query in queries)
    return {
        "queries_opened": sum(query.guideline is not None for query in queries),
        "pairs": pairs + unjudged,
        "pairs_judged": pairs,
        "unjudged": unjudged,
        "agreed": agreed,
        "adjudicated": sum(decision.grade is not None for decision in decided),
        "overruled": sum(decision.overruled for decision in decided),
        "set_aside": sum(decision.grade is None for decision in decided),
        "due": pairs - agreed - len(decided),
    }
