"""infAP and infNDCG, by hand, over every sample of a pool, and from the database."""

from __future__ import annotations

import json
from itertools import combinations
from math import log2

import pandas as pd
import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.leaderboard.report import evaluation_report, stored_lists
from scoring.measures import parse_measures, score_lists
from scoring.measures.sampled import SampledPools
from scoring.results import measures_of, per_query
from scoring.services import evaluate
from tests.release.test_samples import a_sampled_collection, columns, judged
from tests.support.bundles import released_files

TOP = {"a": 2, "b": 0, "c": 1, "d": 2}
DEEP = dict(zip("efghijklmnop", [1, 0, 0, 2, 1, 0, 0, 1, 0, 0, 2, 0], strict=True))
STRATA = {"q": {**dict.fromkeys(TOP, 1), **dict.fromkeys(DEEP, 2)}}
LIST = "abcxdefghyijklmnop"


def scored(docnos, strata, grades, least=1) -> pd.Series:
    return SampledPools({"q": strata}, {"q": grades}, least).scores([("q", docnos)]).loc["q"]


def test_two_strata_by_hand():
    """a, b are judged; of c to f two are, so each stands for two. x is not pooled."""
    strata = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 2, "f": 2}
    values = scored("adxcb", strata, {"a": 2, "b": 0, "c": 1, "e": 0})

    # Above c, at rank 4: a is relevant, and of stratum 2 nothing is judged, so d counts ε/3ε.
    assert values["infAP"] == pytest.approx((1 * 1 + 2 * (1 + 1 + 1 / 3) / 4) / (1 + 2), abs=1e-4)
    ideal = 2 + 1 / log2(3) + 1 / log2(4)
    assert values["infNDCG"] == pytest.approx((2 + 2 / log2(5)) / ideal)


@pytest.mark.parametrize("docnos", [LIST, LIST[::-1], "yxbh", "xy", ""])
def test_when_everything_is_judged_they_are_ap_and_ndcg(docnos):
    truth = score_lists({"q": docnos}, {"q": TOP | DEEP}, parse_measures("AP nDCG")).loc["q"]

    assert scored(docnos, STRATA["q"], TOP | DEEP).tolist() == pytest.approx(truth, abs=1e-4)


def test_the_mean_over_every_sample_is_close_to_the_true_value():
    truth = score_lists({"q": LIST}, {"q": TOP | DEEP}, parse_measures("AP nDCG")).loc["q"]
    samples = [TOP | {docno: DEEP[docno] for docno in drawn} for drawn in combinations(DEEP, 6)]

    values = pd.DataFrame([scored(LIST, STRATA["q"], grades) for grades in samples])

    assert values.mean().tolist() == pytest.approx(truth, abs=0.02)


def test_a_query_without_a_relevant_document_is_left_out_and_one_without_a_list_scores_0():
    strata = {"q": {"a": 1}, "none": {"a": 1, "b": 1}, "unlisted": {"a": 0}, "unjudged": {"a": 1}}
    qrels = {"q": {"a": 1}, "none": {"a": 0}, "unlisted": {"a": 3}}

    table = SampledPools(strata, qrels, 1).scores([("q", "a"), ("none", "ab"), ("other", "a")])

    assert table["infNDCG"].to_dict() == {"q": 1, "unlisted": 0}


@pytest.mark.django_db
def test_scores_over_sampled_pools_have_the_values_of_the_released_sampleval():
    collection = judged(a_sampled_collection(), skip={"d36"})
    evaluate(collection=collection)
    report = evaluation_report(
        collection, [stored_lists(collection.systems.get(name="up"))]
    ).as_json()

    lines = list(columns(released_files(collection)["trec/sampleval.all.txt"]))
    strata = {docno: int(stratum) for _, _, docno, stratum, _ in lines}
    grades = {docno: int(grade) for _, _, docno, _, grade in lines if int(grade) >= 0}
    # The collection is relevant from grade 2.
    expected = scored([f"d{number:02}" for number in range(1, 41)], strata, grades, least=2)
    (row,) = (r for r in report["systems"][0]["rows"] if (r["facet"], r["split"]) == ("all",) * 2)
    for name in ("infAP(rel=2)", "infNDCG"):
        assert row["measures"][name] == pytest.approx(expected[name])
        assert per_query(collection, name).loc["q1_method", "up"] == pytest.approx(expected[name])
        assert name in report["measures"]
        assert name in measures_of(collection)
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    page = client.get("/c/small/evaluation/?profile=trec&measure=infNDCG")
    assert f"{expected['infNDCG'] * 100:.2f}" in page.text
    answer = client.get("/api/v1/collections/small/evaluation/").json()
    assert answer["measures"] == report["measures"]


@pytest.mark.django_db
def test_a_lost_sample_leaves_both_measures_out_with_the_reason(capsys):
    collection = judged(a_sampled_collection(only=("not_later",)))
    collection.documents.filter(docno="d07").update(year=2999)

    assert "pool of q1 is a sample" in evaluate(collection=collection)["without_inferred_measures"]
    call_command("score_systems", "small")
    assert "infAP and infNDCG are left out. The pool of q1 is a sample" in capsys.readouterr().out
    assert not any("inf" in name for name in measures_of(collection))


@pytest.mark.django_db
def test_whole_pools_have_no_inferred_measures(capsys):
    collection = judged(a_sampled_collection(strategy="interleaved", parameters={"n": 3}))

    call_command("score_systems", "small", "--format", "json")
    report = json.loads(capsys.readouterr().out)

    assert "inf" not in "".join(report["measures"])
    assert "without_inferred_measures" not in report
    assert not any("inf" in name for name in measures_of(collection))
