"""What differs between the labels of two versions."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable

from release.models import Release
from release.tables import Row

Grades = dict[tuple[str, str], int]  # by query and docno


def grades_of(labels: Iterable[Row]) -> Grades:
    return {(label["query"], label["docno"]): label["grade"] for label in labels}


def published_grades(release: Release) -> Grades:
    rows = csv.DictReader(io.StringIO(release.read("labels.csv"), newline=""))
    return {(row["query"], row["docno"]): int(row["grade"]) for row in rows if row["grade"]}


def changed_rows(before: Grades, after: Grades) -> list[Row]:
    """Pairs with another grade, by query and docno; None where there is no label."""
    return [
        {"query": query, "docno": docno, "before": before.get((query, docno)), "after": after.get((query, docno))}
        for query, docno in sorted(before.keys() | after.keys())
        if before.get((query, docno)) != after.get((query, docno))
    ]


def summary(since: str, before: Grades, rows: list[Row]) -> Row:
    kinds = Counter(kind(row) for row in rows)
    grades = Counter((row["before"], row["after"]) for row in rows)
    return {
        "since": since,
        "added": kinds["added"],
        "removed": kinds["removed"],
        "changed": kinds["changed"],
        "same": len(before) - kinds["removed"] - kinds["changed"],
        "grades": [
            {"before": old, "after": new, "number": grades[old, new]}
            for old, new in sorted(grades, key=lambda pair: tuple(-1 if grade is None else grade for grade in pair))
        ],
    }


def kind(row: Row) -> str:
    if row["before"] is None:
        return "added"
    return "removed" if row["after"] is None else "changed"
