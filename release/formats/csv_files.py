"""The release's own tables as CSV: queries, pools, ratings, decisions, labels.

Ids are written as they are, because programs read these files. Names of sources, runs and types of papers, which
people choose, are kept from running as formulas in a spreadsheet.
"""

from __future__ import annotations

from collections.abc import Iterable

from release.formats import Files, release_format
from release.tables import Row, Tables
from web.csv import csv_lines, defused

COLUMNS = {
    "queries.csv": ("name", "facet", "docno", "fold", "sentence_numbers", "paper_type"),
    "labels.csv": ("query", "facet", "docno", "how", "grade", "first", "second"),
    "ratings.csv": (
        "query",
        "facet",
        "docno",
        "slot",
        "annotator",
        "grade",
        "reason",
        "guideline",
        "seconds",
        "digest",
    ),
    "decisions.csv": ("query", "facet", "docno", "adjudicator", "grade"),
    "published.csv": ("query", "docno", "grade", "qrels"),
    "CHANGES.csv": ("query", "docno", "before", "after"),
    "models/labels.csv": ("query", "facet", "docno", "grade", "problem"),
    "pools.csv": ("query", "round", "position", "docno", "source", "run", "rank", "score", "drawn"),
}
NO_RUN: Row = {"run": None, "rank": None, "score": None, "drawn": None}


@release_format("csv")
def csv_files(tables: Tables) -> Files:
    files = {
        "queries.csv": table("queries.csv", map(query_row, tables.queries)),
        "labels.csv": table("labels.csv", tables.labels),
        "ratings.csv": table("ratings.csv", tables.ratings),
        "decisions.csv": table("decisions.csv", tables.decisions),
        "pools.csv": table("pools.csv", pool_rows(tables.candidates)),
    }
    if tables.published:
        files["published.csv"] = table("published.csv", tables.published)
    return files


def table(name: str, rows: Iterable[Row]) -> bytes:
    columns = COLUMNS[name]
    lines = csv_lines([columns, *([row[column] for column in columns] for row in rows)], safe=False)
    return "".join(lines).encode()


def query_row(query: Row) -> Row:
    numbers = " ".join(map(str, query["sentence_numbers"]))
    return query | {"sentence_numbers": numbers, "paper_type": defused(query["paper_type"])}


def pool_rows(candidates: Iterable[Row]) -> Iterable[Row]:
    """A row for each run that ranks a candidate; one without a run for a candidate that no run ranks."""
    for candidate in candidates:
        for found in candidate["runs"] or [NO_RUN]:
            yield candidate | found | {"source": defused(candidate["source"]), "run": defused(found["run"])}
