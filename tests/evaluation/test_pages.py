"""Leaderboard, comparison and system pages, on labels that a judged collection has."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from statistics import fmean, stdev

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from scipy import stats

from evaluation import scores, significance
from evaluation.measures import TREC, profile, score
from evaluation.rankings import import_ranking
from jobs.models import Report
from jobs.work import run_now
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(query, people, collection):
    """One query with labels 0 to 3 on d01 to d08, and two systems that rank them."""
    builders.judge_all(query, {f"d{number:02}": (number % 4, number % 4) for number in range(1, 9)})
    builders.run(collection, "good", {query: ["d03", "d07", "d02", "d06", "d11", "d01"]})
    builders.run(collection, "poor", {query: ["d11", "d10", "d04", "d08", "d01", "d03"]})
    return collection


@pytest.fixture
def get(as_, collection):
    client = as_("admin")

    def page(name: str, *arguments, **parameters):
        answer = client.get(reverse(name, args=[collection.slug, *arguments]), parameters)
        assert answer.status_code == 200
        return answer

    return page


def test_the_best_comes_first_with_its_figures(get, judged):
    (panel,) = get("leaderboard", profile="trec").context["panels"]
    assert [(row["place"], row["name"]) for row in panel["rows"]] == [(1, "good"), (2, "poor")]
    labels = scores.labels_of(judged)
    theirs = score({"d00_method": ["d03", "d07", "d02", "d06", "d11", "d01"]}, labels, ["nDCG@10"], scope="open")
    assert panel["rows"][0]["figures"]["nDCG@10"] == theirs.at["d00_method", "nDCG@10"]


def test_scores_are_kept_until_labels_change(get, judged, query, people):
    get("leaderboard")
    kept = dict(Report.objects.filter(kind="scores").values_list("pk", "created_at"))
    get("leaderboard")
    assert dict(Report.objects.filter(kind="scores").values_list("pk", "created_at")) == kept
    builders.judge(query.pairs.get(document__docno="d03"), people.ann, 0)
    (panel,) = get("leaderboard").context["panels"]
    assert panel["rows"][0]["name"] == "good"
    assert set(Report.objects.filter(kind="scores").values_list("created_at", flat=True)).isdisjoint(kept.values())


def test_an_interval_is_that_of_the_mean_from_ten_queries_on(collection, papers, get):
    """Each query's only relevant document is found one rank further down than the one before."""
    lists = {}
    for place, paper in enumerate(papers[:10]):
        for facet in ("method", "background")[: 2 if place else 1]:
            query = builders.query(collection, paper, facet)
            builders.frozen_pool(query, [papers[11]])  # as cited
            lists[query] = [*(f"no{number}" for number in range(place)), "d11"]
    builders.run(collection, "found", lists)
    few, enough = (panel["rows"][0] for panel in get("leaderboard", profile="trec", by="RR").context["panels"])
    assert (few["low"], few["high"]) == (None, None)
    ranks = [1 / place for place in range(1, 11)]
    theirs = stats.bootstrap((ranks,), np.mean, method="percentile", rng=1).confidence_interval
    assert (enough["low"], enough["high"]) == pytest.approx(theirs, abs=0.02)


def test_a_run_that_lacks_queries_says_so(get, judged, papers, people):
    other = builders.query(judged, papers[9])
    builders.opened(other, papers[1:3], people.ann, people.bob)
    builders.judge_all(other, {"d01": (2, 2), "d02": (0, 0)})
    rows = get("leaderboard").context["panels"][0]["rows"]
    assert {(row["ranked"], row["labelled"]) for row in rows} == {(1, 2)}


def test_files_for_papers(get, judged):
    rows = b"".join(get("leaderboard", format="csv").streaming_content).decode().splitlines()
    assert rows[0].startswith("facet,place,system,")
    assert len(rows) == 3
    latex = get("leaderboard", format="latex").content.decode()
    assert r"NDCG\%20" in latex
    assert latex.count(r"\\") == 3


def test_measures_are_added_by_name_and_wrong_ones_refused(get, judged, as_):
    page = get("leaderboard", profile="trec", add="nDCG@3 P_5", by="nDCG@3")
    assert page.context["choice"].profile.measures[-2:] == ("nDCG@3", "P_5")
    refused = as_("admin").get(reverse("leaderboard", args=[judged.slug]), {"add": "nonsense"})
    assert refused.status_code == 400


def test_comparison_opens_with_the_best_two_and_shows_both_lists(get, judged, query):
    builders.run(judged, "worst", {query: ["d04"]})
    page = get("compare", query=query.pk)
    assert (page.context["first"].name, page.context["second"].name) == ("good", "poor")
    first, second = page.context["lists"][0]["cells"]
    assert (first["document"].docno, first["grade"], first["place"]) == ("d03", 3, 6)
    assert (second["document"].docno, second["grade"], second["place"]) == ("d11", None, 5)
    assert len(page.context["couples"]) == 3


def test_a_system_page_says_its_best_query_and_what_is_unjudged(get, judged):
    good = judged.runs.get(name="good")
    page = get("system", good.pk)
    assert [query.name for _, query in page.context["best"]] == ["d00_method"]
    assert page.context["unjudged"][0] == {"depth": 5, "share": 0.2}


def test_pages_say_what_is_missing(get, collection):
    for name in ("leaderboard", "compare"):
        get(name)
    get("system", builders.run(collection, "empty", {}).pk)


def test_a_large_collection_is_scored_by_a_job(get, judged, monkeypatch):
    monkeypatch.setattr(scores, "AT_ONCE", 1)
    job = get("leaderboard", profile="trec").context["job"]
    assert job.kind == "score_runs"
    run_now(job.kind, collection=judged, **job.parameters)
    assert get("leaderboard", profile="trec").context["panels"]


def test_rankings_as_json_are_imported_facet_by_facet(judged, as_):
    file = SimpleUploadedFile("r.json", json.dumps({"d00": [["d03", 1.5], ["d11", 2.5], ["zz", 3]]}).encode())
    form = {"file": file, "name": "specter", "facet": "method"}
    answer = as_("admin").post(reverse("add-ranking", args=[judged.slug]), form)
    run = judged.runs.get(name="specter")
    assert answer.url == reverse("system", args=[judged.slug, run.pk])
    assert run.lists.get().docnos == ["d03", "d11"]
    again = {"collection": judged, "filename": "r.json", "name": "specter", "facet": "method"}
    with pytest.raises(Conflict):
        import_ranking(file=io.BytesIO(b'{"d00": [["d03", 1]]}'), **again)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"d00": 1}', b'{"d00": [1]}', b'{"x": [["d01", 1]]}', b"\xff"]
)
def test_what_is_no_ranking_is_refused(judged, content):
    with pytest.raises(BadInput):
        import_ranking(collection=judged, file=io.BytesIO(content), filename="r.json", name="r", facet="method")


def test_tests_of_significance_are_scipys():
    first, second = [0.5, 0.7, 0.2, 0.9, 0.4, 0.6, float("nan")], [0.4, 0.8, 0.1, 0.5, 0.4, 0.2, 0.3]
    found = significance.paired(first, second)
    assert found["t"] == stats.ttest_rel(first[:6], second[:6]).pvalue
    assert found["wilcoxon"] == stats.wilcoxon([a - b for a, b in zip(first[:6], second[:6], strict=True)]).pvalue
    assert (found["queries"], found["better"], found["worse"]) == (6, 4, 1)
    gaps = [a - b for a, b in zip(first[:6], second[:6], strict=True)]
    assert found["difference"] == pytest.approx(fmean(gaps))
    assert found["effect"] == pytest.approx(fmean(gaps) / stdev(gaps))  # Cohen's d of paired differences
    assert significance.paired([1.0] * 6, [1.0] * 6)["reason"] == "equal in every query"
    assert significance.paired([1.0], [0.0])["reason"]


def test_holm_by_hand():
    assert significance.holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])


def test_folds_and_fields_have_their_means(judged, papers):
    import pandas as pd

    table = pd.DataFrame({"AP": [1.0, 0.0, 0.5]}, index=["a", "b", "c"])
    queries = {name: builders.query(judged, papers[n], "result") for n, name in enumerate("abc")}
    for name, fold in zip("abc", (1, 1, 2), strict=True):
        queries[name].fold = fold
    of_folds = profile("csfcube", 2)
    assert scores.means(table, queries, of_folds) == {"AP": 0.5}
    assert scores.means(table, queries, of_folds, scores.DEV) == {"AP": 0.5}
    assert scores.means(table, queries, profile(TREC, 2)) == {"AP": 0.5}
    for name, fields in zip("abc", (["CS"], ["CS"], ["Art"]), strict=True):
        queries[name].document.fields = fields
    table["AP"] = [1.0, 0.0, 1.0]
    assert scores.means(table, queries, profile("mdcr", 1)) == {"AP": 0.75}
    assert scores.means(table, queries, profile(TREC, 1)) == {"AP": pytest.approx(2 / 3)}


def test_a_system_without_a_figure_comes_last(judged, query):
    import pandas as pd

    runs = [builders.run(judged, name, {}) for name in ("a", "b", "c")]
    tables = {
        run.pk: pd.DataFrame({"AP": [value]}, [query.name])
        for run, value in zip(runs, (float("nan"), 0.0, 0.5), strict=True)
    }
    of_ap = replace(profile(TREC, 1), measures=("AP",), main="AP")
    board = scores.leaderboard(runs, tables, {query.name: query}, of_ap, facets=[], split=scores.TEST, seed="seed")
    assert [(row["name"], row["figures"]["AP"]) for row in board] == [("c", 0.5), ("b", 0.0), ("a", None)]


@pytest.mark.csfcube
def test_specter_has_its_published_figures(db, csfcube_release):
    """Mysore et al. (2021), table 3 and the development figures."""
    collection, folder = csfcube_release
    for facet in ("background", "method"):
        path = folder / f"eval_scripts/sample_ranked_pools/test-pid2pool-csfcube-specter-{facet}-ranked.json"
        with path.open("rb") as file:
            run = import_ranking(collection=collection, file=file, filename=path.name, name="specter", facet=facet)
    wanted = profile("csfcube", 2)
    table = scores.score_runs(collection, [run], wanted)[run.pk]
    published = {
        "background": ([24.81, 35.31, 57.45, 66.70, 82.24], 62.97),
        "method": ([11.72, 13.58, 40.81, 37.41, 62.77], 37.30),
    }
    for facet, (test, dev) in published.items():
        queries = {query.name: query for query in collection.queries.filter(facet=facet)}
        figures = scores.means(table, queries, wanted)
        assert [round(100 * value, 2) for value in figures.values()] == test
        assert round(100 * scores.means(table, queries, wanted, scores.DEV)["NDCG%20"], 2) == dev
