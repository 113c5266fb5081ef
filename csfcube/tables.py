"""The tables of the release: pools, ratings and the list of queries. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from csfcube.records import CSFCubeError, PooledPaper, PublishedRating, QueryKey, Ratings

GRADES = (0, 1, 2, 3)
MISSING = -1
_ANNOTATOR = re.compile(r"relevance_ann(\d+)")
_PID = re.compile("[^\\s\x00\ud800-\udfff]{1,200}")
_SOURCE = re.compile("[^\x00\ud800-\udfff]{1,60}")
_FACET = re.compile(r"[-a-zA-Z0-9_]{1,30}")


def read_queries(text: str, file: str) -> dict[QueryKey, dict[str, str]]:
    """The listed queries, each with the columns that are not part of its name.

    Raises:
        CSFCubeError: a column or a name is missing, a query occurs twice, or two rows
            disagree on one paper.
    """
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    queries: dict[QueryKey, dict[str, str]] = {}
    try:
        columns = next(rows, [])
        _check_columns(columns, file)
        for row in rows:
            if row:
                key, value = _query(columns, row, f"line {rows.line_num}", file)
                if key in queries:
                    raise CSFCubeError(file, f"line {rows.line_num}", f"{key.name} occurs twice")
                queries[key] = value
    except csv.Error as error:
        raise CSFCubeError(file, f"line {rows.line_num}", f"not CSV ({error})") from error
    if not queries:
        raise CSFCubeError(file, "", "contains no query")
    _check_metadata(queries, file)
    return queries


def _check_columns(columns: list[str], file: str) -> None:
    missing = [name for name in ("pid", "facet", "year", "title") if name not in columns]
    if missing:
        raise CSFCubeError(file, "line 1", f"has no column {' and no column '.join(missing)}")
    if len(set(columns)) < len(columns):
        raise CSFCubeError(file, "line 1", "two columns have the same name")


def _query(
    columns: list[str], row: list[str], place: str, file: str
) -> tuple[QueryKey, dict[str, str]]:
    if len(row) != len(columns):
        raise CSFCubeError(
            file, place, f"expected {len(columns)} columns as in line 1, got {len(row)}"
        )
    cells = dict(zip(columns, row, strict=True))
    key = QueryKey(cells.pop("pid"), cells.pop("facet"))
    if not _PID.fullmatch(key.pid) or not _FACET.fullmatch(key.facet):
        raise CSFCubeError(file, place, f"invalid name of a query: {key.name!r}")
    if cells["year"] and not re.fullmatch(r"\d{1,4}", cells["year"]):
        raise CSFCubeError(
            file, place, f"year must be a number of up to 4 digits, got {cells['year']!r}"
        )
    return key, cells


def _check_metadata(queries: Mapping[QueryKey, dict[str, str]], file: str) -> None:
    first_rows: dict[str, tuple[QueryKey, dict[str, str]]] = {}
    for key, cells in queries.items():
        earlier, first = first_rows.setdefault(key.pid, (key, cells))
        if first != cells:
            raise CSFCubeError(
                file, key.name, f"the paper's columns differ from those of {earlier.name}"
            )


def read_pools(content: Mapping[str, Any], file: str) -> dict[str, tuple[PooledPaper, ...]]:
    """The pools by query paper, candidates in the order they were drawn.

    Raises:
        CSFCubeError: a list is missing, lists differ in length, a candidate occurs twice or has no
            source.
    """
    return {pid: _pool(pid, pool, file) for pid, pool in content.items()}


def _pool(pid: str, pool: Any, file: str) -> tuple[PooledPaper, ...]:
    if not _PID.fullmatch(pid):
        raise CSFCubeError(file, repr(pid), "is not a valid paper id")
    candidates = _candidates(pool, file, pid)
    sources = _list(pool, "cand_source", file, pid)
    _check_lengths({"cands": candidates, "cand_source": sources}, file, pid)
    documents = []
    for number, (docno, names) in enumerate(zip(candidates, sources, strict=True)):
        place = f"{pid}, cand_source[{number}]"
        if not isinstance(names, list) or not names:
            raise CSFCubeError(file, place, f"must be a list of sources, got {names!r}")
        if not all(isinstance(name, str) and _SOURCE.fullmatch(name) for name in names):
            raise CSFCubeError(file, place, f"must be a list of names, got {names!r}")
        if len(set(names)) < len(names):
            raise CSFCubeError(file, place, f"a source occurs twice in {names!r}")
        documents.append(PooledPaper(docno, tuple(names)))
    return tuple(documents)


def read_ratings(content: Mapping[str, Any], facet: str, file: str) -> dict[QueryKey, Ratings]:
    """The ratings of one facet by query.

    Raises:
        CSFCubeError: a list is missing, lists differ in length, there are not two annotators, a
            rating is invalid, or both annotators agree and the final label differs.
    """
    return {
        QueryKey(pid, facet): _ratings(QueryKey(pid, facet), entry, file)
        for pid, entry in content.items()
    }


def _ratings(key: QueryKey, entry: Any, file: str) -> Ratings:
    candidates = _candidates(entry, file, key.pid)
    annotators = sorted(int(match[1]) for name in entry if (match := _ANNOTATOR.fullmatch(name)))
    if len(annotators) != 2:
        columns_text = ", ".join(f"relevance_ann{number}" for number in annotators) or "none"
        raise CSFCubeError(file, key.pid, f"every query needs two annotators, got {columns_text}")
    names = [f"relevance_ann{number}" for number in annotators] + ["relevance_adju"]
    lists = {name: _list(entry, name, file, key.pid) for name in names}
    _check_lengths({"cands": candidates, **lists}, file, key.pid)
    ratings = []
    for number, docno in enumerate(candidates):
        first, second, final = (
            _grade(lists[name][number], file, f"{key.pid}, {name}[{number}]") for name in names
        )
        if first is not None and first == second and final != first:
            reason = (
                f"both annotators gave candidate {docno} of {key.name} the grade {first}, "
                "but its final label differs"
            )
            raise CSFCubeError(file, f"{key.pid}, relevance_adju[{number}]", reason)
        ratings.append(PublishedRating(docno, first, second, final))
    return Ratings(file, (annotators[0], annotators[1]), tuple(ratings))


def _grade(value: Any, file: str, place: str) -> int | None:
    if isinstance(value, bool) or value not in (MISSING, *GRADES) or not isinstance(value, int):
        raise CSFCubeError(file, place, f"must be a rating from -1 to 3, got {value!r}")
    return None if value == MISSING else value


def _candidates(entry: Any, file: str, pid: str) -> list[str]:
    candidates = _list(entry, "cands", file, pid)
    docnos = set()
    for number, docno in enumerate(candidates):
        place = f"{pid}, cands[{number}]"
        if not isinstance(docno, str) or not _PID.fullmatch(docno):
            raise CSFCubeError(file, place, f"not a valid paper id: {docno!r}")
        if docno in docnos:
            raise CSFCubeError(file, place, f"candidate {docno} occurs twice")
        docnos.add(docno)
    return candidates


def _list(entry: Any, name: str, file: str, pid: str) -> list[Any]:
    if not isinstance(entry, dict) or not isinstance(entry.get(name), list):
        raise CSFCubeError(file, pid, f"has no list {name}")
    values: list[Any] = entry[name]
    return values


def _check_lengths(lists: Mapping[str, list[Any]], file: str, pid: str) -> None:
    if len({len(values) for values in lists.values()}) > 1:
        lengths = ", ".join(f"{name} {len(values)}" for name, values in lists.items())
        raise CSFCubeError(file, pid, f"the lists differ in length: {lengths}")
