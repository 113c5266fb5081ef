"""Reading a whole release and checking that its files agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from csfcube.files import Checkout
from csfcube.readable_annotations import read_papers
from csfcube.records import CSFCubeError, Paper, PooledPaper, PublishedRelease, QueryKey, Ratings
from csfcube.tables import read_pools, read_queries, read_ratings
from scoring.folds import Folds, SplitsError, read_splits

QUERIES = "queries-release.csv"
POOLS = "test-pid2pool-csfcube.json"
RATINGS = "test-pid2anns-csfcube-{}.json"
TEXTS = "readable_annotations"
SPLITS = "evaluation_splits.json"
_TEXTS_OF_A_QUERY = re.compile(rf"{TEXTS}/(?P<pid>.+)-(?P<facet>[^-]+)-adju\.txt")


def read_release(path: Path) -> PublishedRelease:
    """A checkout of the release, whichever facets it holds.

    Raises:
        CSFCubeError: a file is missing, broken, or contradicts another.
    """
    folder = Checkout(path)
    queries = read_queries(folder.text(QUERIES), QUERIES)
    pools = read_pools(folder.json_object(POOLS), POOLS)
    ratings = _ratings(folder)
    _check_queries(queries, pools)
    for key, query_ratings in ratings.items():
        _check_ratings(key, query_ratings, queries, pools)
    papers = _papers(folder, ratings)
    for key, query_ratings in ratings.items():
        _check_texts(key, query_ratings, papers)
    folds = _folds(folder, ratings)
    return PublishedRelease(papers, pools, queries, ratings, folder.sha256, folds)


def _folds(folder: Checkout, ratings: Mapping[QueryKey, Ratings]) -> Folds | None:
    """The folds of the release, which may also have queries of facets that are not there."""
    if not folder.names(SPLITS):
        return None
    try:
        folds = read_splits(folder.text(SPLITS).encode(), name=SPLITS)
    except SplitsError as error:
        raise CSFCubeError(SPLITS, "", str(error).removeprefix(f"{SPLITS}: ")) from error
    for key in ratings:
        if key.name not in folds.numbers:
            raise CSFCubeError(SPLITS, "", f"the rated query {key.name} is in no fold")
    return folds


def _ratings(folder: Checkout) -> dict[QueryKey, Ratings]:
    before, after = RATINGS.split("{}")
    ratings: dict[QueryKey, Ratings] = {}
    for name in folder.names(RATINGS.format("*")):
        facet = name.removeprefix(before).removesuffix(after)
        ratings |= read_ratings(folder.json_object(name), facet, name)
    if not ratings:
        raise CSFCubeError(RATINGS.format("*"), "", f"no such file in {folder.path}")
    return ratings


def _papers(folder: Checkout, ratings: Mapping[QueryKey, Ratings]) -> dict[str, Paper]:
    names = folder.names(f"{TEXTS}/*.txt")
    if not names:
        raise CSFCubeError(TEXTS, "", f"no such folder in {folder.path}, or no .txt file in it")
    papers: dict[str, Paper] = {}
    first_file: dict[str, str] = {}
    for name in names:
        in_file: set[str] = set()
        for paper in read_papers(folder.text(name), name):
            if papers.setdefault(paper.pid, paper) != paper:
                reason = f"has another text, title or year in {first_file[paper.pid]}"
                raise CSFCubeError(name, f"paper {paper.pid}", reason)
            first_file.setdefault(paper.pid, name)
            in_file.add(paper.pid)
        _check_complete(name, in_file, ratings)
    return papers


def _check_complete(file: str, pids: set[str], ratings: Mapping[QueryKey, Ratings]) -> None:
    """Check a file against its query's ratings, which show if whole blocks are cut off."""
    match = _TEXTS_OF_A_QUERY.fullmatch(file)
    query_ratings = ratings.get(QueryKey(match["pid"], match["facet"])) if match else None
    if query_ratings is None:
        return
    missing = [rating.docno for rating in query_ratings.rated if rating.docno not in pids]
    if missing:
        reason = f"ends without {len(missing)} of the rated candidates, the first is {missing[0]}"
        raise CSFCubeError(file, "end", reason)


def _check_queries(
    queries: Mapping[QueryKey, Mapping[str, str]], pools: Mapping[str, tuple[PooledPaper, ...]]
) -> None:
    pids = {key.pid for key in queries}
    for key in queries:
        if key.pid not in pools:
            raise CSFCubeError(QUERIES, key.name, f"{POOLS} has no pool of this paper")
    for pid in pools:
        if pid not in pids:
            raise CSFCubeError(POOLS, pid, f"{QUERIES} lists no query of this paper")


def _check_ratings(
    key: QueryKey,
    ratings: Ratings,
    queries: Mapping[QueryKey, Mapping[str, str]],
    pools: Mapping[str, tuple[PooledPaper, ...]],
) -> None:
    if key not in queries:
        raise CSFCubeError(ratings.file, key.pid, f"{QUERIES} does not list {key.name}")
    pool_docnos = {candidate.docno for candidate in pools[key.pid]}
    for number, rating in enumerate(ratings.rated):
        if rating.docno not in pool_docnos:
            reason = f"candidate {rating.docno} is not in the pool of {key.pid} in {POOLS}"
            raise CSFCubeError(ratings.file, f"{key.pid}, cands[{number}]", reason)


def _check_texts(key: QueryKey, ratings: Ratings, papers: Mapping[str, Paper]) -> None:
    for pid in (key.pid, *(rating.docno for rating in ratings.rated)):
        if pid not in papers:
            reason = f"paper {pid} is rated, but no file of {TEXTS} has its text"
            raise CSFCubeError(ratings.file, key.pid, reason)
