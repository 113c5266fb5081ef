"""Checks that the layouts of a release, which repeat its labels, all have the same. Pure."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from bundle.names import QRELS, RATINGS, SPLITS
from bundle.reading.fields import each_line
from bundle.reading.opened import NOT_OURS, BundleError, OpenedBundle, read_json, read_lines
from bundle.reading.rows import read_qrels, read_ratings
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from corpus.formats.document_lines import excerpt

SET = re.compile(r"(?:(?P<facet>.+)_)?(?P<set>fold[1-9]\d*_(?:dev|test))")
NOT_DRAWN = -1
PLAIN = frozenset({"PLAIN", "RLE"})  # encodings of the Parquet of a release
BEIR_HEADER = ["query-id", "corpus-id", "score"]

Row = tuple[int | None, str, str, int]  # line, query, docno, grade


def same_labels(
    data: ReleaseData, file: str, rows: Iterable[Row], queries: Container[str]
) -> Iterator[Failure]:
    """Rows of a file that differ from the qrels, and labels of these queries that it lacks."""
    found: dict[str, set[str]] = {}
    for query, of_query in groupby(rows, itemgetter(1)):
        labels = data.labels.get(query, {})
        docnos = found.setdefault(data.once(query), set())
        is_here = query in queries
        for line, _, docno, grade in of_query:
            expected = labels.get(docno)
            if not is_here:
                yield Failure(file, line, f"the labels of {query} are not for this file.")
            elif expected is None:
                yield Failure(file, line, f"{query} {docno} has no label in {QRELS}.")
            elif expected != grade:
                reason = f"{query} {docno} has the label {grade}, in {QRELS} {expected}."
                yield Failure(file, line, reason)
            if docno in docnos:
                yield Failure(file, line, f"{query} {docno} has a second label.")
            docnos.add(data.once(docno))
    for query, labels in data.labels.items():
        if query in queries:
            for docno in sorted(labels.keys() - found.get(query, set())):
                yield Failure(file, None, f"{query} {docno} is missing.")


def wrong_trec_files(data: ReleaseData) -> Iterator[Failure]:
    """The qrels by facet, and the files for samples."""
    facets = {data.facet_of(query) for query in data.labels} - {""}
    for facet in sorted(facets):
        if f"trec/qrels.{facet}.txt" not in data.bundle.names:
            yield Failure(f"trec/qrels.{facet}.txt", None, "is missing.")
    for name in _files(data.bundle, "trec/", ".txt"):
        kind, _, part = name.removeprefix("trec/").removesuffix(".txt").partition(".")
        reader = TREC_FILES.get(kind)
        if reader is not None and name != QRELS:
            queries = _queries_of(data, "" if part == "all" else part)
            yield from same_labels(data, name, reader(data.bundle, name), queries)


def _qrels(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    for line, label in read_qrels(bundle, name):
        yield line, label.query, label.docno, label.grade


def _prels(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    for line, (query, docno, grade, _, chance) in _columns(bundle, name, 5):
        if not 0 < _number(chance) <= 1:
            raise BundleError(name, line, f"the probability must be above 0, to 1, got {chance}.")
        yield line, query, docno, _grade(grade, name, line)


def _sampleval(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    for line, (query, _, docno, _, grade) in _columns(bundle, name, 5):
        if grade != str(NOT_DRAWN):
            yield line, query, docno, _grade(grade, name, line)


TREC_FILES: dict[str, Callable[[OpenedBundle, str], Iterator[Row]]] = {
    "qrels": _qrels,
    "prels": _prels,
    "sampleval": _sampleval,
}


def _columns(bundle: OpenedBundle, name: str, number: int) -> Iterator[tuple[int, list[str]]]:
    for line, text in read_lines(bundle, name):
        cells = text.split(" ")
        if len(cells) != number:
            raise BundleError(name, line, f"must have {number} columns, got {len(cells)}.")
        yield line, cells


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _grade(text: str, name: str, line: int | None) -> int:
    if not (text.isascii() and text.isdigit()):
        raise BundleError(name, line, f"the grade must be a whole number, got {text[:60]!r}.")
    return int(text[:9])


def _queries_of(data: ReleaseData, facet: str) -> set[str]:
    """The labelled queries of a facet; all of them without one."""
    return {query for query in data.labels if not facet or data.facet_of(query) == facet}


def _files(bundle: OpenedBundle, start: str, end: str) -> list[str]:
    """The files of one folder, and not of those in it."""
    return sorted(
        name
        for name in bundle.names
        if name.startswith(start) and name.endswith(end) and "/" not in name.removeprefix(start)
    )


def wrong_beir_files(data: ReleaseData) -> Iterator[Failure]:
    for name in _files(data.bundle, "beir/qrels/", ".tsv"):
        split = name.removeprefix("beir/qrels/").removesuffix(".tsv")
        yield from same_labels(data, name, _beir_rows(data.bundle, name), _split(data, split))
    if "beir/corpus.jsonl" in data.bundle.names:
        ids = (fields.text("_id") for fields in each_line(data.bundle, "beir/corpus.jsonl"))
        yield from _wrong_ids("beir/corpus.jsonl", ids, data.docnos, _labelled(data))
    if "beir/queries.jsonl" in data.bundle.names:
        ids = (fields.text("_id") for fields in each_line(data.bundle, "beir/queries.jsonl"))
        yield from _wrong_ids("beir/queries.jsonl", ids, data.queries, _queries_with_text(data))


def _beir_rows(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    lines = read_lines(bundle, name)
    _, header = next(lines, (1, ""))
    if header.split("\t") != BEIR_HEADER:
        raise BundleError(name, 1, f"must be the columns {', '.join(BEIR_HEADER)}.")
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) != len(BEIR_HEADER):
            raise BundleError(name, line, f"must have 3 columns, got {len(cells)}.")
        yield line, cells[0], cells[1], _grade(cells[2], name, line)


def _split(data: ReleaseData, split: str) -> set[str]:
    """The labelled queries of a split: all, a facet, or a set of `splits.json`."""
    facets = {query.facet for query in data.queries.values()}
    if split in facets:
        return _queries_of(data, split)
    match = SET.fullmatch(split)
    if match is None:
        return set(data.labels)
    splits = read_json(data.bundle, SPLITS)
    sets = splits.get(match["facet"] or "all") if isinstance(splits, dict) else None
    names = sets.get(match["set"]) if isinstance(sets, dict) else None
    return set(map(str, names or ())) & data.labels.keys()


def _wrong_ids(
    file: str, ids: Iterable[str], known: Container[str], needed: set[str]
) -> Iterator[Failure]:
    found: set[str] = set()
    for identifier in ids:
        if identifier in found:
            yield Failure(file, None, f"{identifier!r} is there twice.")
        elif identifier not in known:
            yield Failure(file, None, f"{identifier!r} is unknown.")
        found.add(identifier)
    for identifier in sorted(needed - found):
        yield Failure(file, None, f"{identifier!r} is missing.")


def _labelled(data: ReleaseData) -> set[str]:
    return {docno for labels in data.labels.values() for docno in labels}


def _queries_with_text(data: ReleaseData) -> set[str]:
    """The labelled queries whose text is in the release; without texts, those of topics."""
    if data.manifest.options.texts.included:
        return set(data.labels)
    topics = {name for name, paper in data.papers.items() if paper.topic is not None}
    return {query for query in data.labels if data.paper_of.get(query) in topics}


def wrong_parquet_files(data: ReleaseData) -> Iterator[Failure]:
    """Needs pyarrow, which `has_pyarrow` looks for."""
    qrels = _files(data.bundle, "hf/qrels/", ".parquet")
    rows: Iterable[Row] = (
        (None, str(row["query-id"]), str(row["corpus-id"]), int(row["score"]))
        for name in qrels
        for row in _parquet(data.bundle, name)
    )
    if qrels:
        yield from same_labels(data, "hf/qrels", rows, set(data.labels))
    for name, known, needed in (
        ("hf/corpus.parquet", data.docnos, _labelled(data)),
        ("hf/queries.parquet", data.queries, _queries_with_text(data)),
    ):
        if name in data.bundle.names:
            ids = (str(row["_id"]) for row in _parquet(data.bundle, name, ["_id"]))
            yield from _wrong_ids(name, ids, known, needed)
    if "hf/top_ranked.parquet" in data.bundle.names:
        ranked = _parquet(data.bundle, "hf/top_ranked.parquet")
        found = {str(row["query-id"]): sorted(row["corpus-ids"]) for row in ranked}
        for query, labels in data.labels.items():
            if found.get(query) != sorted(labels):
                reason = f"the documents of {query} are not those with a label."
                yield Failure("hf/top_ranked.parquet", None, reason)
    if "hf/annotations.parquet" in data.bundle.names:
        yield from _wrong_annotations(data)


def _wrong_annotations(data: ReleaseData) -> Iterator[Failure]:
    name = "hf/annotations.parquet"
    columns = ["query", "docno", "slot", "annotator", "grade"]
    found = (
        tuple(row[column] for column in columns) for row in _parquet(data.bundle, name, columns)
    )
    for line, rating in read_ratings(data.bundle):
        expected = (rating.query, rating.docno, rating.slot, rating.annotator, rating.grade)
        if next(found, None) != expected:
            yield Failure(name, None, f"the row of {RATINGS}:{line} differs or is missing.")
            return
    if next(found, None) is not None:
        yield Failure(name, None, f"has more rows than {RATINGS}.")


def has_pyarrow() -> bool:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return False
    return True


def _parquet(
    bundle: OpenedBundle, name: str, columns: list[str] | None = None
) -> Iterator[Mapping[str, Any]]:
    import pyarrow
    from pyarrow import parquet

    with bundle.open(name) as file:
        try:
            table = parquet.ParquetFile(file)
            if _can_grow(table.metadata, bundle.size(name)):
                raise BundleError(
                    name,
                    None,
                    f"has compressed values, but the Parquet of a release does not. {NOT_OURS}",
                )
            # Group by group, without threads: all groups at once take sixty times as long and keep
            # the memory.
            for group in range(table.num_row_groups):
                batches = table.iter_batches(
                    4096, row_groups=[group], columns=columns, use_threads=False
                )
                for batch in batches:
                    yield from batch.to_pylist()
        # pyarrow raises OSError for most damage, and passes on the errors of the zip.
        except (
            *(pyarrow.ArrowException, LookupError, OSError, EOFError, OverflowError),
            *(zipfile.BadZipFile, UnicodeDecodeError),
        ) as error:
            raise BundleError(name, None, f"cannot be read as Parquet ({error}).") from error


def _can_grow(metadata: Any, size: int) -> bool:
    """Return whether the values may need far more memory than the bytes of the file.

    A row of a release has at least one value of four bytes.
    """
    columns = (
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    )
    return metadata.num_rows > size or any(
        column.compression != "UNCOMPRESSED" or not PLAIN.issuperset(column.encodings)
        for column in columns
    )


def wrong_csfcube_files(data: ReleaseData) -> Iterator[Failure]:
    """The labels, the grades and the pools in CSFCube's form."""
    start = f"csfcube/test-pid2anns-{data.manifest.slug}-"
    needed = {data.facet_of(query) for query in data.labels if _is_whole_paper(data, query)}
    for name in _files(data.bundle, start, ".json"):
        facet = name.removeprefix(start).removesuffix(".json")
        needed.discard(facet)
        yield from _wrong_annotation_file(data, name, facet, read_json(data.bundle, name))
    for facet in sorted(needed):
        yield Failure(f"{start}{facet}.json", None, "is missing.")
    for name in _files(data.bundle, "csfcube/test-pid2pool-", ".json"):
        pools = read_json(data.bundle, name, _without_sources)
        for paper, entry in _objects(name, pools):
            if entry.get("cands") != list(data.pools.get(paper, ())):
                yield Failure(name, None, f"the pool of {paper} differs from pools/pool.jsonl.")


def _without_sources(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. The sources of the pools, which need 90 MB, are not compared."""
    return {
        key: value for key, value in pairs if key != "cand_source" or not isinstance(value, list)
    }


def _wrong_annotation_file(
    data: ReleaseData, name: str, facet: str, entries: Any
) -> Iterator[Failure]:
    names = {f"{paper}_{facet}": entry for paper, entry in _objects(name, entries)}
    rows = (
        (None, query, str(docno), grade)
        for query, entry in names.items()
        for docno, grade in _pairs(name, entry, "relevance_adju")
    )
    whole = {query for query in _queries_of(data, facet) if _is_whole_paper(data, query)}
    yield from same_labels(data, name, rows, whole)
    for query, entry in names.items():
        columns = [key for key in entry if key.startswith("relevance_ann")]
        if len(columns) != 2:
            yield Failure(name, None, f"{query} has {len(columns)} annotators, not 2.")
            continue
        given = [dict(_pairs(name, entry, column)) for column in columns]
        for docno in given[0]:
            grades = data.grades_of(query, docno) or ()
            both = sorted(NOT_DRAWN if grade is None else grade for grade in grades)
            if both != sorted(one[docno] for one in given):
                yield Failure(name, None, f"the grades of {query} {docno} differ from {RATINGS}.")


def _is_whole_paper(data: ReleaseData, query: str) -> bool:
    known = data.queries.get(query)
    return (
        known is not None
        and not known.sentences
        and data.papers[data.paper_of[query]].topic is None
    )


def _objects(name: str, value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(value, dict):
        raise BundleError(name, None, "must be an object.")
    for key, entry in value.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("cands"), list):
            raise BundleError(name, None, f'{key} must be an object with "cands".')
        yield key, entry


def _pairs(name: str, entry: Mapping[str, Any], column: str) -> Iterator[tuple[str, int]]:
    values = entry.get(column)
    docnos = entry["cands"]
    if not isinstance(values, list) or len(values) != len(docnos):
        raise BundleError(name, None, f'"{column}" must have a grade for each of "cands".')
    for docno, value in zip(docnos, values, strict=True):
        if not isinstance(value, int):
            raise BundleError(
                name, None, f'"{column}" must have whole numbers, got {excerpt(value)}.'
            )
        yield str(docno), value
