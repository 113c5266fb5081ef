"""The report on pool bias of CSFCube, against its files."""

from collections import Counter

import pytest

from evaluation.pool_bias.services import compute_pool_bias
from evaluation.systems.services import RunPath, import_system

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db, pytest.mark.one_database]

RELEVANT = 2
SYSTEM = "specter"


def specter_system(collection, folder):
    paths = sorted((folder / "eval_scripts" / "sample_ranked_pools").glob("*.json"))
    files = [RunPath(path, path.name) for path in paths]
    import_system(collection=collection, name=SYSTEM, files=files)


def test_the_report_counts_what_the_files_say(released, csfcube, pools, ratings):
    specter_system(released, csfcube)
    report = compute_pool_bias(collection=released).payload

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
    # SPECTER ranks the judged pools, so its bounds are one number.
    (specter,) = report["systems"]
    assert specter["judged"] == {"10": 1, "20": 1, "100": 1}
    for values in specter["measures"].values():
        assert values["standard"] == pytest.approx(values["upper"])
        assert values["standard"] == pytest.approx(values["condensed"])
    # Without what only it found, three quarters of its first 20 documents stay judged.
    (left_out,) = [row for row in report["left_out"] if row["sources"] == [SYSTEM]]
    (change,) = left_out["unique"]["measures"]["nDCG@20"]["systems"]
    assert left_out["unique"]["relevant"] == 21
    assert left_out["unique"]["judged"][SYSTEM] == pytest.approx(0.7409, abs=5e-5)
    assert change["reduced_score"] - change["score"] == pytest.approx(-0.0661, abs=5e-5)
    assert (report["redrawn"], report["not_redrawn"][0]["pools"]) == (0, 34)
