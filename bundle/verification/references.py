"""Checks that the files of a release name the same queries, documents and runs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from bundle.interchange import FoldSettings
from bundle.layouts import trec
from bundle.names import (
    ADJUDICATIONS,
    GUIDELINES,
    IMPORTED_SPLITS,
    MADE_SPLITS,
    MANIFEST,
    POOLS,
    QRELS,
    QUERY_PAPERS,
    QUERY_TABLE,
    RATINGS,
    SETTINGS,
    SPLITS,
)
from bundle.reading.collection_files import read_corpus_imports, read_guidelines, read_settings
from bundle.reading.fields import Fields
from bundle.reading.opened import BundleError, read_lines, read_whole
from bundle.reading.pools import pool_digest, read_pools
from bundle.reading.trec import read_query_table
from bundle.records import PooledDocument
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from bundle.verification.sums import listed_files
from corpus.digests import json_digest
from scoring.folds import Folds, SplitsError, read_splits


def unreadable_files(data: ReleaseData) -> Iterator[Failure]:
    """Files that the other checks compare and that are not in their format: the first place."""
    readers: tuple[Callable[[], object], ...] = (
        lambda: data.manifest,
        lambda: data.queries,
        lambda: data.docnos,
        lambda: data.labels,
        lambda: data.ratings,
        lambda: data.decisions,
        lambda: data.pools,
        lambda: read_settings(data.bundle),
        lambda: read_corpus_imports(data.bundle),
    )
    for read in readers:
        try:
            read()
        except BundleError as error:
            yield Failure(error.file, error.line, error.reason)


def unknown_queries(data: ReleaseData) -> Iterator[Failure]:
    """Queries of other files that `collection/query_papers.jsonl` does not have."""
    known = data.queries.keys()
    for file, queries in (
        (QRELS, data.labels),
        (RATINGS, data.ratings),
        (ADJUDICATIONS, data.decisions),
    ):
        for query in sorted(queries.keys() - known):
            yield Failure(file, None, f"the query {query!r} is not in {QUERY_PAPERS}.")
    if QUERY_TABLE in data.bundle.names:
        yield from _wrong_query_table(data)


def _wrong_query_table(data: ReleaseData) -> Iterator[Failure]:
    listed = set()
    for number, (query, paper, facet) in read_query_table(data.bundle):
        listed.add(query)
        if query not in data.queries:
            reason = f"the query {query!r} is not in {QUERY_PAPERS}."
        elif (paper, facet) != (data.paper_of[query], data.facet_of(query)):
            reason = f"{query} has another query paper or facet than in {QUERY_PAPERS}."
        else:
            continue
        yield Failure(QUERY_TABLE, number, reason)
    for query in sorted(data.queries.keys() - listed):
        yield Failure(QUERY_TABLE, None, f"the query {query} is missing.")


def unknown_documents(data: ReleaseData) -> Iterator[Failure]:
    """Documents with a label or in a pool that the corpus does not have."""
    reported: set[str] = set()
    for paper, pool in data.pools.items():
        for docno, pooled in pool.items():
            if docno not in data.docnos and docno not in reported:
                reported.add(docno)
                reason = f"{docno!r}, pooled for {paper}, is not among the documents."
                yield Failure(POOLS, pooled.line, reason)
    for query, labels in data.labels.items():
        for docno in labels:
            if docno not in data.docnos and docno not in reported:
                reported.add(docno)
                reason = f"{docno!r}, labelled for {query}, is not among the documents."
                yield Failure(QRELS, None, reason)
    for query_paper in data.papers.values():
        if query_paper.topic is None and query_paper.name not in data.docnos:
            reason = f"{query_paper.name!r} is not among the documents."
            yield Failure(QUERY_PAPERS, None, reason)


def wrong_pools(data: ReleaseData) -> Iterator[Failure]:
    """Pools that differ from their manifests, and judged pairs outside the pools."""
    builds = {
        paper: build.manifest for build in data.manifest.builds for paper in build.query_papers
    }
    for paper in sorted(builds.keys() ^ data.pools.keys()):
        where = POOLS if paper in builds else MANIFEST
        yield Failure(where, None, f"the pool of {paper} is missing.")
    for paper, lines in groupby(read_pools(data.bundle), lambda row: row[1].query_paper):
        rows = list(lines)
        yield from _wrong_pool(data, paper, rows, builds.get(paper))
    yield from _outside_pools(data)


def _wrong_pool(
    data: ReleaseData, paper: str, rows: list[tuple[int, PooledDocument]], manifest: Any
) -> Iterator[Failure]:
    line = rows[0][0]
    if paper not in data.papers:
        yield Failure(POOLS, line, f"{paper!r} is not in {QUERY_PAPERS}.")
    if [pooled.position for _, pooled in rows] != list(range(1, len(rows) + 1)):
        yield Failure(POOLS, line, f"the positions in the pool of {paper} are not 1, 2, ….")
    if len({pooled.docno for _, pooled in rows}) != len(rows):
        yield Failure(POOLS, line, f"the pool of {paper} has a document twice.")
    for number, pooled in rows:
        if sum(source.drawn for source in pooled.sources) > 1:
            yield Failure(POOLS, number, f"several sources drew {pooled.docno} for {paper}.")
    expected = _digest_in(manifest, paper)
    pool = [pooled for _, pooled in rows if pooled.round == 1]
    if expected and expected != pool_digest(
        pool, manifest.get("forced") or (), is_judged=data.manifest.is_judged
    ):
        yield Failure(
            POOLS,
            line,
            f"the pool of {paper} does not have the digest {expected} of its build in {MANIFEST}.",
        )


def _digest_in(manifest: Any, paper: str) -> str:
    try:
        return str(manifest["pools"]["query_papers"][paper]["sha256"])
    except (KeyError, TypeError):
        return ""  # an imported pool


def _outside_pools(data: ReleaseData) -> Iterator[Failure]:
    for file, pairs in ((RATINGS, data.ratings), (QRELS, data.labels)):
        for query, docnos in pairs.items():
            pool = data.pools.get(data.paper_of.get(query, ""), {})
            for docno in docnos:
                pooled = pool.get(docno)
                if pooled is None:
                    yield Failure(file, None, f"{query} {docno} is not in the pool of its paper.")
                elif pooled.is_excluded:
                    yield Failure(file, None, f"{query} {docno} is excluded from judging.")


def wrong_folds(data: ReleaseData) -> Iterator[Failure]:
    """Folds that overlap, name unknown queries, differ between files, or are not what is stated."""
    settings = read_settings(data.bundle).folds
    imported = {query.name: query.fold for query in data.queries.values() if query.fold is not None}
    is_imported = bool(settings.imported_from if settings else imported)
    yield from _wrong_names_of_splits(data, is_imported=is_imported)
    found = {}
    for name in (SPLITS, IMPORTED_SPLITS, MADE_SPLITS):
        if name not in data.bundle.names:
            continue
        try:
            found[name] = read_splits(read_whole(data.bundle, name), name=name)
        except SplitsError as error:
            yield Failure(name, None, str(error).removeprefix(f"{name}: "))
            continue
        for query in sorted(found[name].numbers.keys() - data.queries.keys()):
            yield Failure(name, None, f"the query {query!r} is not in {QUERY_PAPERS}.")
    whole = found.get(SPLITS, Folds())
    for name, folds in found.items():
        for query, number in sorted(folds.numbers.items()):
            if whole.numbers.get(query) != number:
                yield Failure(name, None, f"{query} is in another fold than in {SPLITS}.")
            if is_imported and imported.get(query) != number:
                yield Failure(name, None, f"{query} is in another fold than in {QUERY_PAPERS}.")
    yield from _wrong_statement(data, whole.count, settings)


def _wrong_names_of_splits(data: ReleaseData, *, is_imported: bool) -> Iterator[Failure]:
    name, origin = (MADE_SPLITS, "imported") if is_imported else (IMPORTED_SPLITS, "made")
    if name in data.bundle.names:
        yield Failure(name, None, f"the folds are {origin}, so they have another name.")


def _wrong_statement(
    data: ReleaseData, count: int, settings: FoldSettings | None
) -> Iterator[Failure]:
    """The faults in the manifest's entry about the folds; releases before that have none."""
    stated = data.manifest.content.get("folds")
    if not isinstance(stated, dict):
        return
    if stated.get("number") != count:
        reason = f'"number" of "folds" is {stated.get("number")}, in {SPLITS} {count}.'
        yield Failure(MANIFEST, None, reason)
    name = settings.imported_from if settings else ""
    if count and stated.get("imported_from", "") != name:
        reason = f'"imported_from" of "folds" differs from {SETTINGS}.'
        yield Failure(MANIFEST, None, reason)


def wrong_runs(data: ReleaseData) -> Iterator[Failure]:
    """Runs that are not those of the manifest, or rank for unknown queries."""
    listed = listed_files(data.bundle)
    for run in data.manifest.runs:
        if run.file and listed.get(run.file, {}).get("sha256") != run.sha256:
            yield Failure(run.file, None, f"does not have the SHA-256 of the run {run.name}.")
        if run.file:
            yield from _unknown_topics(data, run.file, data.papers)
            of_queries = f"{trec.FOLDER}{run.file}"
            if of_queries in data.bundle.names:
                yield from _unknown_topics(data, of_queries, data.queries)
    for pool_round in data.manifest.rounds:
        for run in Fields(pool_round.manifest, MANIFEST).values("runs"):
            file = pool_round.files[run["name"]]
            if listed.get(file, {}).get("sha256") != run["sha256"]:
                reason = f"does not have the SHA-256 of {run['name']} in round {pool_round.number}."
                yield Failure(file, None, reason)
            yield from _unknown_topics(data, file, {**data.papers, **data.queries})


def _unknown_topics(data: ReleaseData, file: str, known: Iterable[str]) -> Iterator[Failure]:
    known, reported = set(known), set()
    for number, line in read_lines(data.bundle, file):
        topic = line.partition(" ")[0]
        if topic not in known and topic not in reported:
            reported.add(topic)
            yield Failure(file, number, f"the query {topic!r} is not in the release.")


def wrong_guidelines(data: ReleaseData) -> Iterator[Failure]:
    """Guidelines that are not those of the manifest, or of no query."""
    texts = {(row.facet, row.version): row for row in read_guidelines(data.bundle)}
    of_queries: dict[tuple[str, int], list[str]] = {
        (data.queries[query].facet, judgment.guideline): []
        for query, pairs in data.ratings.items()
        if query in data.queries
        for pair in pairs.values()
        for judgment in pair.judgments
    }
    for query in data.queries.values():
        if query.guideline is not None:
            of_queries.setdefault((query.facet, query.guideline), []).append(query.name)
    entries = Fields(data.manifest.content, MANIFEST).each(
        "guidelines",
        lambda row: (
            (row.text("facet", default=""), row.whole("version")),
            row.text("sha256", default=""),
            sorted(row.texts("queries")),
        ),
    )
    for key, sha256, queries in entries:
        text = texts.get(key)
        name = f"Version {key[1]} of {key[0]!r}"
        if text is None:
            yield Failure(GUIDELINES, None, f"{name} is missing.")
        elif sha256 != json_digest([text.instructions, list(text.grades)]):
            yield Failure(GUIDELINES, None, f"{name} does not have the digest of {MANIFEST}.")
        if sorted(of_queries.pop(key, [])) != queries:
            yield Failure(QUERY_PAPERS, None, f"{name} has other queries than in {MANIFEST}.")
    for facet, version in sorted(of_queries):
        yield Failure(MANIFEST, None, f"Version {version} of {facet!r} is missing.")
