"""The report on pool bias of CSFCube, against its files."""

import json
import math
from collections import Counter
from statistics import mean

import pytest

from adjudication.retriever_yield import yields_of
from evaluation.pool_bias.services import PoolBiasReport
from reports.services import compute_report
from scoring.systems.services import RunPath, import_system

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db, pytest.mark.one_database]

RELEVANT = 2
SYSTEM = "specter"


def specter_system(collection, folder):
    paths = sorted((folder / "eval_scripts" / "sample_ranked_pools").glob("*.json"))
    files = [RunPath(path, path.name) for path in paths]
    import_system(collection=collection, name=SYSTEM, files=files)


def test_the_report_counts_what_the_files_say(released, csfcube, pools, ratings):
    specter_system(released, csfcube)
    report = compute_report(PoolBiasReport(), collection=released).payload

    drawn, unique = Counter(), Counter()
    for query, rating in ratings.items():
        paper = query.rpartition("_")[0]
        sources = dict(zip(pools[paper]["cands"], pools[paper]["cand_source"], strict=True))
        for docno, grade in zip(rating["cands"], rating["relevance_adju"], strict=True):
            if grade >= RELEVANT and docno != paper:
                names = [sources[docno]] if isinstance(sources[docno], str) else sources[docno]
                drawn[names[0]] += 1
                unique[names[0]] += len(names) == 1
    assert {row["source"]: (row["relevant"], row["alone"]) for row in report["sources"]} == {
        source: (drawn[source], unique[source]) for source in drawn
    }
    assert (drawn[SYSTEM], unique[SYSTEM]) == (95, 21)
    # The page about pools shows the same numbers.
    assert report["sources"] == [row._asdict() for row in yields_of(released)]
    # SPECTER ranks the judged pools, so its bounds are one number.
    (specter,) = report["systems"]
    assert specter["judged"] == {"10": 1, "20": 1, "100": 1}
    for values in specter["measures"].values():
        assert values["upper"] in (None, pytest.approx(values["standard"]))
        assert values["standard"] == pytest.approx(values["condensed"])
    # Without what only it found, three quarters of its first 20 documents stay judged.
    (left_out,) = [row for row in report["left_out"] if row["sources"] == [SYSTEM]]
    (change,) = left_out["unique"]["measures"]["nDCG@20"]["systems"]
    assert left_out["unique"]["relevant"] == 21
    assert left_out["unique"]["own"][SYSTEM]["judged"] == pytest.approx(0.7409, abs=5e-5)
    assert change["reduced_score"] - change["score"] == pytest.approx(-0.0661, abs=5e-5)
    assert (report["redrawn"], report["not_redrawn"][0]["pools"]) == (0, 34)


def late_dcg(grades):
    return sum(grade / math.log2(max(rank, 2)) for rank, grade in enumerate(grades, start=1))


def ndcg(ranking, labels, cutoff):
    """CSFCube's NDCG% of a ranking of the pool; without a label, a document has gain 0."""
    ideal = late_dcg(sorted(labels.values(), reverse=True)[:cutoff])
    return late_dcg([labels.get(docno, 0) for docno in ranking[:cutoff]]) / ideal


def test_without_all_that_specter_drew_its_ranking_loses_half_and_gains_condensed(
    released, csfcube, pools, ratings
):
    """Straight from the files. The cut-off stays at 20 % of the whole judged pool."""
    specter_system(released, csfcube)
    full, reduced, condensed = [], [], []
    for query, rating in ratings.items():
        paper, _, facet = query.rpartition("_")
        name = f"test-pid2pool-csfcube-{SYSTEM}-{facet}-ranked.json"
        ranked = json.loads((csfcube / "eval_scripts/sample_ranked_pools" / name).read_bytes())
        ranking = [docno for docno, _ in ranked[paper] if docno != paper]
        labels = dict(zip(rating["cands"], rating["relevance_adju"], strict=True))
        labels = {docno: max(grade, 0) for docno, grade in labels.items() if docno != paper}
        drawers = dict(zip(pools[paper]["cands"], pools[paper]["cand_source"], strict=True))
        kept = {docno: grade for docno, grade in labels.items() if drawers[docno][0] != SYSTEM}
        cutoff = len(labels) // 5
        full.append(ndcg(ranking, labels, cutoff))
        reduced.append(ndcg(ranking, kept, cutoff))
        condensed.append(ndcg([docno for docno in ranking if docno in kept], kept, cutoff))

    report = compute_report(PoolBiasReport(), collection=released).payload

    (left_out,) = [row for row in report["left_out"] if row["sources"] == [SYSTEM]]
    (row,) = left_out["drawn"]["measures"]["NDCG%20"]["systems"]
    assert row["score"] == pytest.approx(mean(full))
    assert row["reduced_score"] == pytest.approx(mean(reduced))
    assert row["reduced_condensed"] == pytest.approx(mean(condensed))
    assert [round(mean(values), 4) for values in (full, reduced, condensed)] == [
        *(0.5161, 0.2502, 0.5637)
    ]
    assert {"NDCG%100", "RP", "R@20", "nDCG@100", "Bpref(rel=2)"} < left_out["drawn"][
        "measures"
    ].keys()


def test_a_ranking_of_the_pools_says_nothing_about_the_whole_corpus(released, csfcube):
    specter_system(released, csfcube)
    report = compute_report(PoolBiasReport(), collection=released)
    assert report.payload["systems"][0]["judged"]["20"] == 1
    assert report.payload["statement"]["whole_corpus"] == 0
    assert (
        "cannot be said: no source of the pools is a scored system that"
        in report.summary["paragraph"]
    )
