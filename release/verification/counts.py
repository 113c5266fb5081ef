"""Checks that the numbers of the manifest and the README are those of the files. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from release.bundle_reading import MANIFEST
from release.opened_bundle import read_lines
from release.verification.data import ReleaseData
from release.verification.failures import Failure

README = "README.md"
# By a pattern of the words before the number. Labels that are citations are not called final.
IN_WORDS = {
    "Query papers": "query_papers",
    "Queries": "queries",
    "Pooled documents": "pooled_documents",
    "(?:Final labels|Labels)": "labels",
    "Annotators": "annotators",
    "Adjudicators": "adjudicators",
}
ABOUT_JUDGING = ("annotators", "adjudicators")


def wrong_counts(data: ReleaseData) -> Iterator[Failure]:
    """Numbers of the manifest that differ from the files."""
    expected = _counts(data)
    stated = data.manifest.counts
    for name, number in expected.items():
        if stated.get(name) != number:
            reason = f'"{name}" of "counts" is {stated.get(name)}, in the files {number}.'
            yield Failure(MANIFEST, None, reason)
    facets = stated.get("facets")
    for facet, numbers in (facets if isinstance(facets, dict) else {}).items():
        for name, number in _facet_counts(data, facet).items():
            if numbers.get(name) != number:
                yield Failure(
                    MANIFEST,
                    None,
                    f'"{name}" of {facet!r} is {numbers.get(name)}, in the files {number}.',
                )


def _counts(data: ReleaseData) -> dict[str, int]:
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
    }


def _facet_counts(data: ReleaseData, facet: str) -> dict[str, Any]:
    """What follows from the files, under the names of the manifest."""
    queries = [query for query in data.queries.values() if query.facet == facet]
    grades = Counter(
        grade for query in queries for grade in data.labels.get(query.name, {}).values()
    )
    counts: dict[str, Any] = {
        "queries": len(queries),
        "labels": grades.total(),
        "labels_by_grade": {
            str(grade): grades[grade] for grade in range(data.manifest.highest_grade + 1)
        },
    }
    if not data.manifest.is_judged:
        return counts
    pairs = agreed = 0
    decided = []
    for query in queries:
        decisions = data.decisions.get(query.name, {})
        for docno, pair in data.ratings.get(query.name, {}).items():
            if (both := pair.grades) is not None:
                pairs += 1
                agreed += both[0] is not None and both[0] == both[1]
                decided += [decisions[docno]] if docno in decisions else []
    unjudged = sum(len(query.unjudged) for query in queries)
    return {
        **counts,
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


def wrong_readme(data: ReleaseData) -> Iterator[Failure]:
    """Numbers of the README that differ from the manifest."""
    counts = data.manifest.counts
    found: set[str] = set()
    header: list[str] = []
    for line, text in read_lines(data.bundle, README):
        for words, name in IN_WORDS.items():
            match = re.search(rf"(?<!\w){words}: ([\d,]+)\.", text)
            if match and name not in found:
                found.add(name)
                if match[1].replace(",", "") != str(counts.get(name)):
                    reason = f'"{match[0]}" differs from {MANIFEST}, which has {counts.get(name)}.'
                    yield Failure(README, line, reason)
        cells = [cell.strip() for cell in text.strip("| \n").split("|")]
        if "labels" in cells and "grade 0" in cells:
            header = cells
        elif header and text.startswith("|") and len(cells) == len(header):
            yield from _wrong_row(line, dict(zip(header, cells, strict=True)), counts)
        else:
            header = []
    wanted = set(IN_WORDS.values()) - (set() if data.manifest.is_judged else set(ABOUT_JUDGING))
    for name in sorted(wanted - found):
        yield Failure(README, None, f"does not state {name!r}.")


def _wrong_row(line: int, row: Mapping[str, str], counts: Mapping[str, Any]) -> Iterator[Failure]:
    """A row of the table of sizes."""
    numbers = counts.get("facets", {}).get(row.get("facet", ""))
    if not isinstance(numbers, dict):
        return  # the line below the head
    for column, cell in row.items():
        name = column.replace(" ", "_")
        grade = column.removeprefix("grade ")
        expected = (
            numbers.get("labels_by_grade", {}).get(grade) if grade != column else numbers.get(name)
        )
        if column != "facet" and expected is not None and cell != str(expected):
            reason = f"{column!r} is {cell}, in {MANIFEST} {expected}."
            yield Failure(README, line, reason)
