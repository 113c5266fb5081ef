"""`csfcube/`: the files of CSFCube's own release, which its evaluation scripts read.

Only for collections with facets and query papers. Its files have one query for a paper and a
facet, so queries by sentences are left out. Pairs without a final label are left out too, because
CSFCube's scripts would count a label that is missing as a grade of -1.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import Any

from adjudication.standing import LabelledPair
from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.formats.csfcube import (
    MISSING,
    QUERY_COLUMNS,
    WORDS,
    RatedCandidate,
    RatedQuery,
    abstract_line,
    annotations_entry,
    pool_entry,
    query_rows,
    readable_candidate,
    readable_document,
    readable_query,
)
from bundle.layouts.splits import splits_payload
from bundle.names import IMPORTED_SPLITS, MADE_SPLITS, POOLS, RATINGS
from bundle.options import LabelSource
from bundle.reading.opened import BundleError, read_json
from bundle.records import Rating, ReleasedQuery
from bundle.snapshot import Snapshot
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from bundle.verification.label_copies import (
    labelled_queries,
    require_folder,
    same_labels,
    varying_names,
)
from bundle.zip.draft_files import DraftFile, DraftFolder, PartsByKey
from bundle.zip.writing import StoredFile
from corpus.formats.document_lines import excerpt

FOLDER = "csfcube/"
RATED, POOLED = "csfcube/test-pid2anns-", "csfcube/test-pid2pool-"
READABLE = "csfcube/readable_annotations/"
QUERIES = "csfcube/queries-release.csv"
FINAL, ANNOTATOR = "relevance_adju", "relevance_ann"  # columns of RATED
FILES = (
    FileNote(
        f"{RATED}<facet>.json",
        "the final labels and both annotators' grades by query paper, in CSFCube's form",
    ),
    FileNote(f"{POOLED}<name>.json", "the pools with their sources, in CSFCube's form"),
    FileNote(IMPORTED_SPLITS, "the folds, {folds}, in CSFCube's form"),
    FileNote(MADE_SPLITS, "the folds, {folds}, in CSFCube's form"),
    FileNote(QUERIES, "the queries, in CSFCube's form"),
    FileNote(
        f"{READABLE}<query>-adju.txt",
        "the rated candidates of a query with their texts, the best first, to be read",
    ),
    FileNote(
        f"{FOLDER}abstracts-<name>-preds.jsonl",
        "the documents: title, sentences and the label of each sentence, in CSFCube's form",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    if not snapshot.collection.has_facets or snapshot.options.labels is not LabelSource.JUDGED:
        return {}
    with ExitStack() as parts:
        pools, texts = (parts.enter_context(folder.parts_by_key()) for _ in range(2))
        files: Files = {}
        queries, pooled = _write_pools(folder, snapshot, pools, files)
        if not queries:
            return {}
        if snapshot.folds.number:
            name = IMPORTED_SPLITS if snapshot.folds.imported else MADE_SPLITS
            splits = splits_payload(snapshot.folds, queries)
            files[name] = formats.write_json(splits)
        files[QUERIES] = formats.write_csv(
            QUERY_COLUMNS, query_rows(queries, with_titles=snapshot.options.texts.included)
        )
        if snapshot.options.texts.included:
            _write_texts(folder, snapshot, pooled, texts, files)
        rated = _rated_queries(snapshot, queries, pools, content.counts.annotators)
        _write_annotations(folder, snapshot, rated, texts, files)
    return files


def _write_pools(
    folder: DraftFolder, snapshot: Snapshot, pools: PartsByKey, files: Files
) -> tuple[list[ReleasedQuery], set[str]]:
    """Write the pools, and keep each in `pools`. The queries with a pool, and the documents."""
    by_paper: dict[str, list[ReleasedQuery]] = {}
    for query in snapshot.queries:
        if not query.is_topic and not query.sentences:
            by_paper.setdefault(query.query_paper, []).append(query)
    queries: list[ReleasedQuery] = []
    documents = set(by_paper)
    entries = JsonObject(folder.draft())
    for paper, group in groupby(snapshot.pools, attrgetter("query_paper")):
        if paper in by_paper:
            members = list(group)
            entry = pool_entry(paper, members)
            entries.add(entry)
            pools[paper] = entry.encode()
            queries += by_paper[paper]
            documents.update(member.docno for member in members)
    files[f"{POOLED}{snapshot.collection.slug}.json"] = entries.stored()
    return sorted(queries, key=attrgetter("name")), documents


def _write_texts(
    folder: DraftFolder, snapshot: Snapshot, pooled: set[str], texts: PartsByKey, files: Files
) -> None:
    """Write the abstracts, and keep the text of each pooled document in `texts`."""
    abstracts = folder.draft()
    for document in snapshot.documents:
        if document.sentences:
            abstracts.write(abstract_line(document).encode())
        if document.docno in pooled:
            texts[document.docno] = readable_document(document).encode()
    files[f"{FOLDER}abstracts-{snapshot.collection.slug}-preds.jsonl"] = abstracts.stored()


def _rated_queries(
    snapshot: Snapshot, queries: Iterable[ReleasedQuery], pools: PartsByKey, annotators: int
) -> Iterator[RatedQuery]:
    """The queries with a final label, by their ids."""
    by_name = {query.name: query for query in queries}
    for name, pairs, ratings in _by_query(snapshot):
        query = by_name.get(name)
        if query is None:
            continue
        final = {pair.docno: pair for pair in pairs if pair.final is not None}
        if final:
            candidates = list(_candidates(pools[query.query_paper], final))
            yield RatedQuery(query, _annotators(ratings, annotators), candidates)


def _by_query(snapshot: Snapshot) -> Iterator[tuple[str, list[LabelledPair], list[Rating]]]:
    """The pairs and the judgments of each query. Both are in the order of the query ids."""
    ratings = ((name, list(some)) for name, some in groupby(snapshot.ratings, attrgetter("query")))
    current = next(ratings, None)
    for name, pairs in groupby(snapshot.pairs, attrgetter("query")):
        while current is not None and current[0] < name:
            current = next(ratings, None)
        yield name, list(pairs), current[1] if current and current[0] == name else []


def _candidates(pool: bytes, final: Mapping[str, LabelledPair]) -> Iterator[RatedCandidate]:
    (lists,) = json.loads(f"{{{pool.decode()}}}").values()
    for docno, sources in zip(lists["cands"], lists["cand_source"], strict=True):
        if (pair := final.get(docno)) is not None and pair.final is not None:
            yield RatedCandidate(docno, pair.first, pair.second, pair.final, sources)


def _annotators(ratings: Iterable[Rating], people: int) -> tuple[int, int]:
    """The numbers of the annotators in slots 1 and 2, as in their pseudonyms.

    If more than two people judged the query, CSFCube's two columns cannot name them. Then the
    columns get the next two numbers, which are of no person.
    """
    of_slot = {1: set[str](), 2: set[str]()}
    for rating in ratings:
        of_slot[rating.slot].add(rating.annotator)
    first, second = of_slot.values()
    if len(first) == len(second) == 1 and first != second:
        return _number_of(*first), _number_of(*second)
    return people + 1, people + 2


def _number_of(pseudonym: str) -> int:
    return int(pseudonym.rpartition("-")[2])


def _write_annotations(
    folder: DraftFolder,
    snapshot: Snapshot,
    rated_queries: Iterable[RatedQuery],
    texts: PartsByKey,
    files: Files,
) -> None:
    slug = snapshot.collection.slug
    words = _words(snapshot)
    file_parts = _file_parts(query.query_paper for query in snapshot.queries)
    entries: dict[str, JsonObject] = defaultdict(lambda: JsonObject(folder.draft()))
    for rated in rated_queries:
        query = rated.query
        entries[query.facet].add(annotations_entry(rated))
        if snapshot.options.texts.included:
            name = f"{file_parts[query.query_paper]}-{query.facet}-adju.txt"
            files[f"{READABLE}{name}"] = folder.write(
                _readable(rated, words[query.facet, query.guideline], texts)
            )
    for facet, facet_entries in entries.items():
        files[f"{RATED}{slug}-{facet}.json"] = facet_entries.stored()


def _readable(rated: RatedQuery, words: Sequence[str], texts: PartsByKey) -> Iterator[bytes]:
    yield readable_query(texts[rated.query.query_paper].decode()).encode()
    for candidate in rated.by_grade:
        text = texts[candidate.docno].decode()
        word = words[candidate.final]
        yield readable_candidate(candidate, rated.annotators, word, text).encode()


def _words(snapshot: Snapshot) -> dict[tuple[str, int | None], Sequence[str]]:
    """The names of the grades by facet and guideline. Of four grades, CSFCube's own names."""
    if len(snapshot.collection.grades) == len(WORDS):
        return {(query.facet, query.guideline): WORDS for query in snapshot.queries}
    return {
        (guideline.facet, guideline.version): [
            str(grade.get("name", "")) for grade in guideline.grades
        ]
        for guideline in snapshot.guidelines
    }


def _file_parts(papers: Iterable[str]) -> dict[str, str]:
    """Each docno as a part of a file name, unique without regard to case."""
    docnos = set(papers)
    plain = {docno: re.sub(r"^\.+|[^A-Za-z0-9._-]+", "-", docno) for docno in docnos}
    number = Counter(name.lower() for name in plain.values())
    return {
        docno: name
        if name == docno and number[name.lower()] == 1
        else f"{name}-{sha256(docno.encode()).hexdigest()[:8]}"
        for docno, name in plain.items()
    }


class JsonObject:
    """A JSON object in a file, written entry by entry."""

    def __init__(self, draft: DraftFile) -> None:
        self._draft = draft
        self._separator = b"{\n"

    def add(self, entry: str) -> None:
        """Write `"key": value`."""
        self._draft.write(self._separator + entry.encode())
        self._separator = b",\n"

    def stored(self) -> StoredFile:
        self._draft.write(b"\n}\n" if self._separator == b",\n" else b"{}\n")
        return self._draft.stored()


def check(data: ReleaseData) -> Iterator[Failure]:
    """The labels, the grades and the pools in CSFCube's form."""
    require_folder(data.bundle, FOLDER)
    start = f"{RATED}{data.manifest.slug}-"
    needed = {data.facet_of(query) for query in data.labels if _is_whole_paper(data, query)}
    for name, facet in varying_names(data.bundle, start, ".json"):
        needed.discard(facet)
        yield from _wrong_ratings(data, name, facet, read_json(data.bundle, name))
    for facet in sorted(needed):
        yield Failure(f"{start}{facet}.json", None, "is missing.")
    for name, _ in varying_names(data.bundle, POOLED, ".json"):
        for paper, entry in _entries(name, read_json(data.bundle, name, _without_sources)):
            if entry.get("cands") != list(data.pools.get(paper, ())):
                yield Failure(name, None, f"the pool of {paper} differs from {POOLS}.")


def _without_sources(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. The sources of the pools, which need 90 MB, are not compared."""
    return {
        key: value for key, value in pairs if key != "cand_source" or not isinstance(value, list)
    }


def _wrong_ratings(data: ReleaseData, name: str, facet: str, content: Any) -> Iterator[Failure]:
    entries = {f"{paper}_{facet}": entry for paper, entry in _entries(name, content)}
    rows = (
        (None, query, str(docno), grade)
        for query, entry in entries.items()
        for docno, grade in _grades(name, entry, FINAL)
    )
    whole = {query for query in labelled_queries(data, facet) if _is_whole_paper(data, query)}
    yield from same_labels(data, name, rows, whole)
    for query, entry in entries.items():
        columns = [key for key in entry if key.startswith(ANNOTATOR)]
        if len(columns) != 2:
            yield Failure(name, None, f"{query} has {len(columns)} annotators, not 2.")
            continue
        given = [dict(_grades(name, entry, column)) for column in columns]
        for docno in given[0]:
            grades = data.grades_of(query, docno) or ()
            both = sorted(MISSING if grade is None else grade for grade in grades)
            if both != sorted(grades_of_one[docno] for grades_of_one in given):
                yield Failure(name, None, f"the grades of {query} {docno} differ from {RATINGS}.")


def _is_whole_paper(data: ReleaseData, query: str) -> bool:
    known = data.queries.get(query)
    return (
        known is not None
        and not known.sentences
        and data.papers[data.paper_of[query]].topic is None
    )


def _entries(name: str, value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(value, dict):
        raise BundleError(name, None, "must be an object.")
    for key, entry in value.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("cands"), list):
            raise BundleError(name, None, f'{key} must be an object with "cands".')
        yield key, entry


def _grades(name: str, entry: Mapping[str, Any], column: str) -> Iterator[tuple[str, int]]:
    values, docnos = entry.get(column), entry["cands"]
    if not isinstance(values, list) or len(values) != len(docnos):
        raise BundleError(name, None, f'"{column}" must have a grade for each of "cands".')
    for docno, value in zip(docnos, values, strict=True):
        if not isinstance(value, int):
            reason = f'"{column}" must have whole numbers, got {excerpt(value)}.'
            raise BundleError(name, None, reason)
        yield str(docno), value
