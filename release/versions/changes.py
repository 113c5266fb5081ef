"""The changes between two published versions, from their files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from django.core.cache import cache
from django.db.models import QuerySet

from bundle.label_changes import (
    KINDS,
    Difference,
    LabelPair,
    aligned,
    compare,
    read_labels,
    summarise,
)
from bundle.names import QRELS
from bundle.reading.opened import ZipBundle
from release.models import Release
from release.versions.published_files import (
    Unreadable,
    check_file,
    lines_of,
    published_facets,
)

CACHE_VERSION = 2
CACHE_SECONDS = 7 * 24 * 60 * 60
PAGE_ROWS = 50
NAMED = 20  # queries


class ChangeSummary(NamedTuple):
    """All changes. Of each facet, the number of labels by their grades before and after.

    Of the queries that have labels in one version only, there are the number and the first.
    """

    facets: dict[str, list[tuple[str | None, str | None, int]]]
    queries_added: tuple[int, list[str]]
    queries_removed: tuple[int, list[str]]


class FacetChangeLine(NamedTuple):
    """The changes of a facet. A cell of the matrix is a number of labels, None if it is 0."""

    facet: str
    counts: dict[str, int]
    pairs_before: int
    pairs_after: int
    grades: list[str]
    matrix: list[tuple[str, list[tuple[int, bool]]]]  # a row for each grade before

    @property
    def has_changes(self) -> bool:
        return any(number for kind, number in self.counts.items() if kind != "same")


def earlier_versions(release: Release) -> QuerySet[Release]:
    """The versions that were published before, the newest first."""
    return release.collection.releases.filter(pk__lt=release.pk)


def label_pairs(before: Release, after: Release) -> Iterator[LabelPair]:
    """Every pair with a label in one of the two. Raises Unreadable before the first."""
    for release in (before, after):
        check_file(release, QRELS)
    return aligned(*(read_labels(lines_of(release, QRELS)) for release in (before, after)))


def difference_to(before: Release, bundle: BinaryIO) -> Difference | None:
    """The changes from a published version to a new bundle; None if that cannot be read."""
    try:
        check_file(before, QRELS)
        with ZipBundle(bundle).open(QRELS) as after:
            old = read_labels(lines_of(before, QRELS))
            return compare(before.version, old, read_labels(after))
    except Unreadable:
        return None


def changed_pairs(
    before: Release, after: Release, *, facet: str | None = None, kind: str = ""
) -> Iterator[tuple[str, LabelPair]]:
    """The pairs that differ with their facets; only of a facet or a kind if asked for.

    Raises Unreadable before the first.
    """
    facets = facets_of(before, after)
    rows = ((facets.get(pair.query, ""), pair) for pair in label_pairs(before, after))
    return (
        (its_facet, pair)
        for its_facet, pair in rows
        if pair.kind != "same" and kind in {"", pair.kind} and facet in {None, its_facet}
    )


def page_of_pairs(pairs: Iterator[tuple[str, LabelPair]], number: int) -> list[Any]:
    """The rows of that page, from 1, and one more if there is a next page."""
    start = (number - 1) * PAGE_ROWS
    return list(islice(pairs, start, start + PAGE_ROWS + 1))


def facets_of(before: Release, after: Release) -> dict[str, str]:
    return published_facets(before) | published_facets(after)


def summary_of(before: Release, after: Release) -> ChangeSummary:
    """The summary of all changes. It is cached, because both files never change.

    Raises Unreadable.
    """
    key = f"label-changes:{CACHE_VERSION}:{before.sha256}:{after.sha256}"
    if stored := cache.get(key):
        return ChangeSummary._make(stored)
    summary = _compute(before, after)
    cache.set(key, tuple(summary), CACHE_SECONDS)
    return summary


def _compute(before: Release, after: Release) -> ChangeSummary:
    found = summarise(label_pairs(before, after), facets_of(before, after))
    return ChangeSummary(
        facets={
            facet: [(*grades, number) for grades, number in sorted_grades(changes.grades)]
            for facet, changes in sorted(found.facets.items())
        },
        queries_added=(len(found.queries_added), found.queries_added[:NAMED]),
        queries_removed=(len(found.queries_removed), found.queries_removed[:NAMED]),
    )


def sorted_grades(grades: Any) -> list[Any]:
    return sorted(grades.items(), key=lambda item: tuple(grade or "" for grade in item[0]))


def facet_lines(before: Release, after: Release, summary: ChangeSummary) -> list[FacetChangeLine]:
    return [_facet_line(before, after, facet, cells) for facet, cells in summary.facets.items()]


def _facet_line(before: Release, after: Release, facet: str, cells: list[Any]) -> FacetChangeLine:
    counts = dict.fromkeys(KINDS, 0)
    numbers: dict[tuple[str, str], int] = {}
    for old, new, number in cells:
        counts[LabelPair("", "", old, new).kind] += number
        numbers[old or "", new or ""] = number
    grades = sorted(
        {grade for cell in numbers for grade in cell}, key=lambda grade: (not grade, grade)
    )
    return FacetChangeLine(
        facet=facet,
        counts=counts,
        pairs_before=_pairs(before, facet),
        pairs_after=_pairs(after, facet),
        grades=grades,
        matrix=[
            (old, [(numbers.get((old, new), 0), old == new) for new in grades]) for old in grades
        ],
    )


def _pairs(release: Release, facet: str) -> int:
    return int(release.manifest["counts"]["facets"].get(facet, {}).get("pairs", 0))
