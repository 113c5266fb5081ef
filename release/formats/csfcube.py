"""`csfcube/`: the files of CSFCube's own release (Mysore et al., 2021), which its evaluation scripts read.

They are by query paper and facet, so topics, whole papers and queries by chosen sentences are left out. Pairs
without a label are, too: the scripts would count a missing label as a grade of -1.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from release.formats import Files, json_file, json_lines, release_format
from release.tables import PUBLISHED, Row, Tables

MISSING = -1  # a judgment without a grade, as CSFCube writes it
NO_LABEL = "other"


@release_format("csfcube")
def csfcube(tables: Tables) -> Files:
    queries = {
        query["name"]: query for query in tables.queries if query["name"] == f"{query['docno']}_{query['facet']}"
    }
    pools = pools_by_paper(queries, tables.candidates)
    if not pools:
        return {}
    slug = tables.collection.slug
    files = {f"csfcube/test-pid2pool-{slug}.json": json_object(pools)}
    for facet, papers in ratings_by_facet(tables, queries, pools).items():
        files[f"csfcube/test-pid2anns-{slug}-{facet}.json"] = json_object(papers)
    if any(query["fold"] for query in queries.values()):
        files["csfcube/evaluation_splits.json"] = json_file(splits(queries.values()))
    if tables.with_texts:
        files[f"csfcube/abstracts-{slug}-preds.jsonl"] = json_lines(map(abstract, tables.documents))
    return files


def pools_by_paper(queries: dict[str, Row], candidates: Iterable[Row]) -> dict[str, Row]:
    """cands and cand_source by query paper, in the order of the draw: who drew a candidate, then who else has it."""
    pools: dict[str, dict[str, set[str] | list[str]]] = defaultdict(dict)
    for candidate in candidates:
        if query := queries.get(candidate["query"]):
            others = {each["run"] for each in candidate["runs"]} - {candidate["source"]}
            pools[query["docno"]].setdefault(candidate["docno"], [candidate["source"], *sorted(others)])
    return {
        paper: {"cands": list(pool), "cand_source": [list(sources) for sources in pool.values()]}
        for paper, pool in sorted(pools.items())
    }


def ratings_by_facet(tables: Tables, queries: dict[str, Row], pools: dict[str, Row]) -> dict[str, dict[str, Row]]:
    """By facet, then query paper: the grades of both judges and the label of each candidate, as lists."""
    labels: dict[str, dict[str, Row]] = defaultdict(dict)
    judges: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for label in tables.qrels:
        if label["how"] == PUBLISHED:  # by nobody that is known, and each is of two people in these files
            continue
        labels[label["query"]][label["docno"]] = label
    for rating in tables.ratings:
        judges[rating["query"]][rating["slot"] - 1].add(rating["annotator"])
    nobody = len({rating["annotator"] for rating in tables.ratings})
    found: dict[str, dict[str, Row]] = defaultdict(dict)
    for name, query in queries.items():
        rated = [
            labels[name][docno] for docno in pools.get(query["docno"], {"cands": []})["cands"] if docno in labels[name]
        ]
        if not rated:
            continue
        one, two = judges[name]
        # CSFCube's two columns name two people. Where more judged a query, the columns get numbers of nobody.
        are_two = len(one) == len(two) == 1 and one != two
        numbers = (*one, *two) if are_two else (f"-{nobody + 1}", f"-{nobody + 2}")
        first, second = ([MISSING if row[side] is None else row[side] for row in rated] for side in ("first", "second"))
        found[query["facet"]][query["docno"]] = {
            "cands": [row["docno"] for row in rated],
            "relevance_max": list(map(max, first, second)),
            "relevance_min": list(map(min, first, second)),
            f"relevance_ann{numbers[0].rpartition('-')[2]}": first,
            f"relevance_ann{numbers[1].rpartition('-')[2]}": second,
            "relevance_adju": [row["grade"] for row in rated],
        }
    return found


def splits(queries: Iterable[Row]) -> dict[str, dict[str, list[str]]]:
    """`fold` is the fold that tests a query; the other folds have it for development. `all` has every facet's."""
    tested: dict[str, dict[str, int]] = defaultdict(dict)
    for query in queries:
        if query["fold"]:
            for name in (query["facet"], "all"):
                tested[name][query["name"]] = query["fold"]
    last = max(max(folds.values()) for folds in tested.values())
    found: dict[str, dict[str, list[str]]] = {}
    for name, folds in tested.items():
        found[name] = {}
        for fold in range(1, last + 1):
            found[name][f"fold{fold}_dev"] = sorted(query for query in folds if folds[query] != fold)
            found[name][f"fold{fold}_test"] = sorted(query for query in folds if folds[query] == fold)
    return found


def abstract(document: Row) -> Row:
    labels = [*document["labels"], *[""] * len(document["sentences"])][: len(document["sentences"])]
    return {
        "paper_id": document["docno"],
        "metadata": {key: document[key] for key in ("title", "authors", "venue", "year")},
        "title": document["title"],
        "abstract": document["sentences"],
        "pred_labels": [f"{label or NO_LABEL}_label" for label in labels],
    }


def json_object(entries: dict[str, Any]) -> bytes:
    """One entry a line."""
    lines = [
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(entries[key], ensure_ascii=False)}"
        for key in sorted(entries)
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
