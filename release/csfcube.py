"""The release of CSFCube (Mysore et al., 2021) as a collection: its files read and checked, then written at once."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import FACETS, GRADES, Collection, User
from annotation.default_guideline import default_guideline
from annotation.models import Reason
from corpus.formats.documents import document_of, read_documents
from corpus.formats.reading import BadLines, Problem
from release.importing import Content, write_collection
from retrieval.citations import CITED
from web.errors import BadInput

QUERIES = "queries-release.csv"
POOLS = "test-pid2pool-csfcube.json"
RATINGS = "test-pid2anns-csfcube-*.json"
SPLITS = "evaluation_splits.json"
ABSTRACTS = "abstracts-csfcube-preds.jsonl"
TEXTS = "readable_annotations/*.txt"  # have the same texts, of judged papers only
MISSING = -1
PAPER = re.compile(r"\s*paper_id: (\S+); YEAR: (\d+|None)\s*\n(?:(?!TITLE: ).*\n)*TITLE: (.*)\nABSTRACT: ((?s:.*))")

DESCRIPTION = "Faceted query by example in scientific papers (Mysore et al., NeurIPS Datasets and Benchmarks 2021)."
NOT_IN_RELEASE = "Missing in the published ratings."


@dataclass(frozen=True)
class Ratings:
    """Of a query: its two annotators as the file names them ("ann1"), and docno, both grades and label of each pair."""

    annotators: tuple[str, str]
    pairs: list[tuple[str, int | None, int | None, int | None]]


@dataclass(frozen=True)
class Release:
    """`papers`: fields of documents by docno. `pools`: docnos with their sources, who drew it first, by query paper.

    `queries`: rows of the list, by the query's id. Those in `ratings` were judged. `folds`: which fold tests a query.
    """

    papers: dict[str, dict[str, Any]]
    pools: dict[str, list[tuple[str, list[str]]]]
    queries: dict[str, dict[str, str]]
    ratings: dict[str, Ratings]
    folds: dict[str, int]


def read_release(folder: Path) -> Release:
    """A checkout of the release, whichever facets it holds. BadInput where its files are broken or contradict."""
    rows = csv.DictReader(io.StringIO(_text(folder, QUERIES), newline=""))
    queries = {f"{row.get('pid')}_{row.get('facet')}": row for row in rows}
    pools = {paper: _pool(paper, entry) for paper, entry in _json(folder, POOLS).items()}
    for name, row in queries.items():
        if row.get("pid") not in pools or not (row.get("year") or "").isdigit():
            raise BadInput(f"{QUERIES}: {name} needs a year, and a pool in {POOLS}.")
    ratings: dict[str, Ratings] = {}
    for path in sorted(folder.glob(RATINGS)):
        facet = path.stem.rpartition("-")[2]
        for paper, entry in _json(folder, path.name).items():
            ratings[f"{paper}_{facet}"] = _ratings(f"{path.name}: {paper}", entry)
    if not ratings:
        raise BadInput(f"{folder} has no file {RATINGS}. Give a checkout of CSFCube's release.")
    papers = {paper["docno"]: paper for paper in _papers(folder)}
    for name, rated in ratings.items():
        if name not in queries:
            raise BadInput(f"{name} has ratings, but {QUERIES} does not list it.")
        paper = queries[name]["pid"]
        rated_docnos = {docno for docno, *_ in rated.pairs}
        if without := ({paper} | rated_docnos) - {*papers}:
            raise BadInput(f"{min(without)} is judged for {name}, but has no text in {ABSTRACTS} or {TEXTS}.")
        if others := rated_docnos - {docno for docno, _ in pools[paper]}:
            raise BadInput(f"{min(others)} is rated for {name}, but is not in the pool of {paper} in {POOLS}.")
    splits = _json(folder, SPLITS) if (folder / SPLITS).exists() else {}
    folds = {
        name: int(key[4:-5])
        for sets in splits.values()
        for key, names in sets.items()
        if re.fullmatch(r"fold\d+_test", key)
        for name in names
    }
    return Release(papers, pools, queries, ratings, folds)


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{folder / name} cannot be read: {error}.") from error


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        content = json.loads(_text(folder, name))
    except ValueError as error:
        raise BadInput(f"{name} is not JSON: {error}.") from error
    if not isinstance(content, dict) or not all(isinstance(entry, dict) for entry in content.values()):
        raise BadInput(f"{name} must have an object for each paper.")
    return content


def _lists(place: str, entry: dict[str, Any], names: list[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of lists that belong together; the first one has docnos, each once."""
    lists = [entry[name] for name in names if isinstance(entry.get(name), list)]
    if len(lists) < len(names) or len(set(map(len, lists))) > 1:
        raise BadInput(f"{place} needs the lists {', '.join(names)}, all of one length.")
    if len(set(lists[0])) < len(lists[0]):
        raise BadInput(f"{place}: a candidate is there twice.")
    return zip(*lists, strict=True)


def _pool(paper: str, entry: dict[str, Any]) -> list[tuple[str, list[str]]]:
    rows = list(_lists(f"{POOLS}: {paper}", entry, ["cands", "cand_source"]))
    if without := next((docno for docno, sources in rows if not sources), None):
        raise BadInput(f"{POOLS}: {paper}: {without} has no source.")
    return rows


def _ratings(place: str, entry: dict[str, Any]) -> Ratings:
    judges = sorted(name for name in entry if name.startswith("relevance_ann"))
    if len(judges) != 2:
        raise BadInput(f"{place} needs the ratings of two annotators, got {', '.join(judges) or 'none'}.")
    pairs = []
    for docno, *grades in _lists(place, entry, ["cands", *judges, "relevance_adju"]):
        if wrong := [grade for grade in grades if grade not in (MISSING, 0, 1, 2, 3)]:
            raise BadInput(f"{place}: a rating of {docno} is {wrong[0]!r}. Ratings are -1 (missing) to 3.")
        first, second, final = (None if grade == MISSING else int(grade) for grade in grades)
        if first is not None and first == second != final:
            raise BadInput(f"{place}: both annotators gave {docno} a {first}, but its label is {final}.")
        pairs.append((docno, first, second, final))
    return Ratings((judges[0].removeprefix("relevance_"), judges[1].removeprefix("relevance_")), pairs)


def _papers(folder: Path) -> Iterator[dict[str, Any]]:
    if (folder / ABSTRACTS).exists():
        with (folder / ABSTRACTS).open("rb") as file:
            documents = read_documents(file, ABSTRACTS, bad_lines=BadLines(), limit=settings.UPLOAD_MAX_BYTES)
            yield from (document for _, document in documents)
        return
    for path in sorted(folder.glob(TEXTS)):
        blocks = re.split(r"^={5,}\s*$", _text(path.parent, path.name), flags=re.MULTILINE)
        for number, block in enumerate(blocks[1:], 1):
            place = f"{path.name}: paper {number}"
            try:
                yield document_of(_paper(place, block))
            except Problem as problem:
                raise BadInput(f"{place}: {problem}") from problem


def _paper(place: str, block: str) -> dict[str, Any]:
    """Id and year, for a candidate three lines on its ratings, the title, and a sentence a line, after its label."""
    paper = PAPER.fullmatch(block)
    if paper is None:
        raise BadInput(f"{place} needs lines that begin with paper_id, TITLE and ABSTRACT.")
    *head, abstract = paper.groups()
    sentences = [line.partition("_label: ") for line in abstract.split("\n") if line.strip()]  # they may hold U+2028
    if wrong := next((line for line, *rest in sentences if not all(rest)), None):
        raise BadInput(f"{place}: a sentence begins with its label, as in method_label: We …; got {wrong[:60]!r}.")
    return {
        "paper_id": head[0],
        "year": head[1].removeprefix("None"),
        "title": head[2],
        "abstract": [text for _, _, text in sentences],
        "pred_labels": [label for label, _, _ in sentences],
    }


def import_csfcube(*, folder: Path, slug: str, admin: User | None) -> Collection:
    """A new collection with the release's documents, queries, pools, judgments, decisions, labels and folds.

    What the release does not say stays empty: ranks and scores of the pools' sources, times, notes.
    """
    return write_collection(content_of(read_release(folder)), slug=slug, admin=admin)


def content_of(release: Release) -> Content:
    sources = {name for pool in release.pools.values() for _, found in pool for name in found} - {CITED}
    return Content(
        about={
            "name": "CSFCube",
            "description": DESCRIPTION,
            "licence": "CC-BY-NC-4.0",
            "facets": [*FACETS, *sorted({row["facet"] for row in release.queries.values()} - {*FACETS})],
            "grades": GRADES,
            "relevant_from": 2,
            "seed": "csfcube",
        },
        merged_labels={"objective": "background"},
        guidelines=[{"facet": facet, "version": 1, **default_guideline(facet)} for facet in FACETS],
        documents=list(_documents(release)),
        queries=[
            {
                "name": name,
                "docno": row["pid"],
                "facet": row["facet"],
                "paper_type": row.get("paper type") or "",
                "fold": release.folds.get(name),
            }
            for name, row in release.queries.items()
        ],
        runs=[{"name": name, "kind": "published"} for name in sorted(sources)],
        pool_sets=[{"round": 1, "manifest": {}, "queries": list(release.queries)}],
        candidates=[
            {"query": name, "round": 1, "position": position, "docno": docno, "source": found[0], "runs": _runs(found)}
            for name, row in release.queries.items()
            for position, (docno, found) in enumerate(release.pools[row["pid"]], 1)
        ],
        ratings=[
            _rating(release, name, docno, slot, grade)
            for name, rated in release.ratings.items()
            for docno, *grades, _ in rated.pairs
            for slot, grade in enumerate(grades, 1)
        ],
        decisions=[
            {"query": name, "docno": docno, "adjudicator": "adjudicator", "grade": final}
            for name, rated in release.ratings.items()
            for docno, first, second, final in rated.pairs
            if first is None or first != second
        ],
    )


def _documents(release: Release) -> Iterator[dict[str, Any]]:
    """Every paper that the release names. One without a text has the title and year of the list of queries, if any."""
    listed = {row["pid"]: {"title": row["title"], "year": int(row["year"])} for row in release.queries.values()}
    pooled = {docno for pool in release.pools.values() for docno, _ in pool}
    for docno in sorted(pooled | {*listed} | {*release.papers}):
        document = {"docno": docno} | listed.get(docno, {}) | release.papers.get(docno, {})
        # The labels of query papers were corrected by hand.
        yield document | {"labels_predicted": bool(document.get("labels")) and docno not in listed}


def _runs(sources: list[str]) -> list[dict[str, Any]]:
    """Those who found a candidate; the first one drew it."""
    names = [name for name in dict.fromkeys(sources) if name != CITED]
    return [{"run": name, "rank": None, "score": None, "drawn": name == sources[0]} for name in names]


def _rating(release: Release, query: str, docno: str, slot: int, grade: int | None) -> dict[str, Any]:
    return {
        "query": query,
        "docno": docno,
        "slot": slot,
        "annotator": release.ratings[query].annotators[slot - 1],
        "grade": grade,
        "reason": Reason.OTHER if grade is None else "",
        "note": NOT_IN_RELEASE if grade is None else "",
        "guideline": 1 if release.queries[query]["facet"] in FACETS else 0,
        "seconds": None,
        "digest": "",
    }
