"""The changes between two files of qrels. Pure.

Both are read in the order of their lines, by query id and then docno, so neither has to be in
memory.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

Label = tuple[tuple[str, str], str]  # (query, docno), grade


class LabelPair(NamedTuple):
    """A pair with its grade before and after; None where it has no label."""

    query: str
    docno: str
    before: str | None
    after: str | None

    @property
    def kind(self) -> str:
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        return "changed" if self.before != self.after else "same"


KINDS = ("added", "removed", "changed", "same")


def read_labels(lines: Iterable[bytes]) -> Iterator[Label]:
    """The labels of the lines of a file of qrels."""
    for line in lines:
        query, _, docno, grade = line.decode().split()
        yield (query, docno), grade


def aligned(before: Iterable[Label], after: Iterable[Label]) -> Iterator[LabelPair]:
    """Every pair with a label in one of the two, in their order."""
    old, new = iter(before), iter(after)
    left, right = next(old, None), next(new, None)
    while left or right:
        if left and (right is None or left[0] < right[0]):
            yield LabelPair(*left[0], left[1], None)
            left = next(old, None)
        elif right and (left is None or right[0] < left[0]):
            yield LabelPair(*right[0], None, right[1])
            right = next(new, None)
        elif left and right:
            yield LabelPair(*left[0], left[1], right[1])
            left, right = next(old, None), next(new, None)


class Difference(NamedTuple):
    """Labels that came, went, or got another grade since the version `since`."""

    since: str
    added: int
    removed: int
    changed: int


def compare(since: str, before: Iterable[Label], after: Iterable[Label]) -> Difference:
    """Both in the order of their files, so that neither has to be in memory."""
    kinds = Counter(pair.kind for pair in aligned(before, after))
    return Difference(since, kinds["added"], kinds["removed"], kinds["changed"])


class FacetChanges:
    """The labels of a facet by their grades before and after."""

    def __init__(self) -> None:
        self.grades: Counter[tuple[str | None, str | None]] = Counter()

    def count(self, kind: str) -> int:
        return sum(
            number
            for (before, after), number in self.grades.items()
            if LabelPair("", "", before, after).kind == kind
        )


class LabelSummary(NamedTuple):
    """The changes by facet; the queries that have labels in one of the two only; the first."""

    facets: dict[str, FacetChanges]
    queries_added: list[str]
    queries_removed: list[str]
    first_changed: list[LabelPair]


def summarise(
    pairs: Iterable[LabelPair], facets: Mapping[str, str], *, shown: int = 0
) -> LabelSummary:
    """Count the pairs. `facets` has the facet of each query; `shown` changed pairs are returned."""
    counted: dict[str, FacetChanges] = defaultdict(FacetChanges)
    sides: dict[str, list[bool]] = {}  # of each query: labels before, labels after
    first: list[LabelPair] = []
    for pair in pairs:
        counted[facets.get(pair.query, "")].grades[pair.before, pair.after] += 1
        side = sides.setdefault(pair.query, [False, False])
        side[0] |= pair.before is not None
        side[1] |= pair.after is not None
        if pair.kind == "changed" and len(first) < shown:
            first.append(pair)
    return LabelSummary(
        facets=dict(counted),
        queries_added=[query for query, (old, _) in sides.items() if not old],
        queries_removed=[query for query, (_, new) in sides.items() if not new],
        first_changed=first,
    )


def facets_in(manifest: Mapping[str, object]) -> dict[str, str]:
    """The facet of each query that was judged under a guideline, from a manifest."""
    guidelines = manifest.get("guidelines", [])
    return {
        query: guideline["facet"]
        for guideline in guidelines  # type: ignore[attr-defined]
        for query in guideline["queries"]
    }
