"""SPECTER's released rankings give the published figures of CSFCube, and its script's per query."""

from __future__ import annotations

import json
import math

import pytest

from evaluation.results import per_query
from evaluation.services import evaluate, import_folds
from evaluation.systems.services import RunPath, import_system

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]

# design.md section 5 of the published figures, in percent: Mysore et al. (2021), table 3.
PUBLISHED = {
    "background": {"RP": 24.81, "P@20": 35.31, "R@20": 57.45, "NDCG%20": 66.70, "NDCG%100": 82.24},
    "method": {"RP": 11.72, "P@20": 13.58, "R@20": 40.81, "NDCG%20": 37.41, "NDCG%100": 62.77},
}


@pytest.fixture
def specter(released, csfcube):
    folder = csfcube / "eval_scripts" / "sample_ranked_pools"
    files = [RunPath(path, path.name) for path in sorted(folder.iterdir())]
    splits = csfcube / "evaluation_splits.json"
    import_folds(collection=released, path=splits, filename=splits.name)
    system = import_system(collection=released, name="specter", files=files)
    evaluate(collection=released)
    return system


def test_the_released_rankings_score_the_published_figures(specter):
    rows = specter.scores.get(profile="csfcube").summary
    found = {
        row["facet"]: {name: round(100 * value, 2) for name, value in row["measures"].items()}
        for row in rows
        if row["split"] == "test" and row["facet"] != "all"
    }

    assert found == PUBLISHED


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
