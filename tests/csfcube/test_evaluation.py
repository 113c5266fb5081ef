"""SPECTER's released rankings give the published figures of CSFCube, and its script's per query."""

from __future__ import annotations

import json
import math

import pytest

from evaluation.leaderboard.report import NamedLists, Options, evaluation_report
from scoring.measures.scopes import Scope
from scoring.results import per_query
from scoring.services import evaluate
from scoring.systems.lists import system_lists
from scoring.systems.services import RunPath, import_system

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]

# design.md section 5 of the published figures, in percent: Mysore et al. (2021), table 3.
PUBLISHED = {
    "background": {"RP": 24.81, "P@20": 35.31, "R@20": 57.45, "NDCG%20": 66.70, "NDCG%100": 82.24},
    "method": {"RP": 11.72, "P@20": 13.58, "R@20": 40.81, "NDCG%20": 37.41, "NDCG%100": 62.77},
}


# What the published script prints for the development set, which is that of fold 1 alone.
PUBLISHED_DEV = {
    "background": {"RP": 27.63, "P@20": 32.50, "R@20": 53.84, "NDCG%20": 62.97, "NDCG%100": 81.11},
    "method": {"RP": 11.61, "P@20": 14.38, "R@20": 40.48, "NDCG%20": 37.30, "NDCG%100": 63.19},
}


@pytest.fixture
def specter(released, csfcube):
    folder = csfcube / "eval_scripts" / "sample_ranked_pools"
    files = [RunPath(path, path.name) for path in sorted(folder.iterdir())]
    system = import_system(collection=released, name="specter", files=files)
    evaluate(collection=released)
    return system


def test_the_released_rankings_score_the_published_figures(specter):
    """With the folds of the release, which come with its import."""
    rows = specter.scores.get(profile="csfcube").summary
    found = {
        split: {
            row["facet"]: {name: round(100 * value, 2) for name, value in row["measures"].items()}
            for row in rows
            if row["split"] == split and row["facet"] != "all"
        }
        for split in ("test", "dev")
    }

    assert found == {"test": PUBLISHED, "dev": PUBLISHED_DEV}
    assert specter.collection.fold_plan.imported_from == "evaluation_splits.json"


def test_a_run_of_the_whole_corpus_is_restricted_to_the_judged_pool(specter, ratings):
    """Unpooled documents in front of every list change open figures, and no closed one."""
    pooled = {query: set(entry["cands"]) for query, entry in ratings.items()}
    outside = sorted(
        set(specter.collection.documents.values_list("docno", flat=True))
        - set().union(*pooled.values())
    )[:5]
    lists = {query: [*outside, *docnos] for query, docnos in system_lists(specter)}

    def figures(**options):
        report = evaluation_report(
            specter.collection, [NamedLists("s", lambda: lists)], Options("csfcube", **options)
        ).as_json()
        (system,) = report["systems"]
        rows = {(row["facet"], row["split"]): row["measures"] for row in system["rows"]}
        return rows["method", "test"], system["unjudged_documents"]

    closed, unjudged = figures()
    assert {name: round(100 * value, 2) for name, value in closed.items()} == PUBLISHED["method"]
    assert unjudged == 5 * 33
    assert figures(scope=Scope.OPEN)[0]["NDCG%20"] < closed["NDCG%20"]


def test_each_query_has_the_value_that_the_published_definitions_give(specter, csfcube, ratings):
    """Computed here from the files alone, document by document, as the scripts are described."""
    tables = {name: per_query(specter.collection, name)["specter"] for name in PUBLISHED["method"]}
    compared = 0
    for facet in PUBLISHED:
        name = f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
        content = (csfcube / "eval_scripts" / "sample_ranked_pools" / name).read_bytes()
        for paper, ranked in json.loads(content).items():
            query = f"{paper}_{facet}"
            entry = ratings[query]
            grade_of = dict(zip(entry["cands"], entry["relevance_adju"], strict=True))
            grades = [max(0, grade_of[docno]) for docno, _ in ranked if docno != paper]
            for measure, value in by_the_script(grades).items():
                assert tables[measure][query] == pytest.approx(value, abs=1e-12), (query, measure)
                compared += 1
    assert compared == 33 * 5


def by_the_script(grades: list[int]) -> dict[str, float]:
    relevant = [grade >= 2 for grade in grades]
    last = max(rank for rank, is_relevant in enumerate(relevant, start=1) if is_relevant)

    def ndcg(share: float) -> float:
        cutoff = int(share * len(grades))
        return dcg(grades[:cutoff]) / dcg(sorted(grades, reverse=True)[:cutoff])

    return {
        "RP": sum(relevant[:last]) / last,
        "P@20": sum(relevant[:20]) / 20,
        "R@20": sum(relevant[:20]) / sum(relevant),
        "NDCG%20": ndcg(0.2),
        "NDCG%100": ndcg(1.0),
    }


def dcg(grades: list[int]) -> float:
    return grades[0] + sum(grade / math.log2(rank) for rank, grade in enumerate(grades[1:], 2))
