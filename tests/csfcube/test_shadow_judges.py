"""An annotator and SPECTER as models, on the released ratings.

A model that is annotator 1 agrees with annotator 2 as the annotators do, so its figures are the
published ones. Thresholds on SPECTER's released distances are a real and weak model.
"""

from __future__ import annotations

import json
from itertools import chain

import krippendorff
import numpy as np
import pytest

from adjudication.labels import labelled_pairs
from evaluation.label_effects.services import ShadowJudgeReport
from evaluation.shadow_judges.agreement import ComparedPair, compare
from evaluation.shadow_judges.parts import report_parts
from evaluation.shadow_judges.services import Description, import_shadow_judge
from reports.services import compute_report

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.by_day(4, day=3),
]

# From the published ratings, a missing one counted as 0; medians over queries.
PUBLISHED = {
    "background": (16, 1877, 0.4553, 0.4288, 0.2814, 57.0672),
    "method": (17, 2174, 0.3086, 0.2557, 0.2029, 69.6000),
}
DISTANCES = (49, 53, 61)  # at most these: grades 3, 2 and 1


@pytest.fixture(scope="module")
def judged(released):
    return [pair for pair in labelled_pairs(released) if pair.judged]


def imported(released, folder, name: str, labels: dict[tuple[str, str], int]) -> dict:
    """The payload of the report on a model with these labels."""
    path = folder / f"{name}.txt"
    path.write_text(
        "".join(f"{query} 0 {docno} {grade}\n" for (query, docno), grade in labels.items())
    )
    import_shadow_judge(collection=released, path=path, filename=path.name, about=Description(name))
    return compute_report(ShadowJudgeReport("NDCG%20", name), collection=released).payload


def test_an_annotator_as_the_model_has_the_published_agreement_of_the_annotators(judged):
    pairs = [
        ComparedPair(pair.query, pair.facet, first, first, second, pair.final)
        for pair in judged
        for first, second in [(pair.first or 0, pair.second or 0)]
    ]
    report = compare(pairs, facets=["background", "method"], grades=range(4), seed="seed")
    for row in report["facets"][:-1]:
        queries, number, *values = PUBLISHED[row["facet"]]
        assert (row["queries"], row["pairs"]) == (queries, number)
        for comparison in ("judges", "model-second"):
            coefficients = row["comparisons"][comparison]["coefficients"]
            found = [
                coefficients[key]["median"] for key in ("spearman", "alpha", "kappa", "percent")
            ]
            assert found == pytest.approx(values, abs=5e-5)
        perfect = row["comparisons"]["model-first"]["coefficients"]
        assert perfect["percent"]["pooled"] == 100


def test_an_annotator_as_the_model_has_that_annotators_figures_everywhere(
    released, judged, tmp_path
):
    labels = {(pair.query, pair.docno): pair.first for pair in judged if pair.first is not None}
    payload = imported(released, tmp_path, "annotator-1", labels)
    worth = payload["worth"]
    assert len(worth["slices"]) > 20
    for row in worth["slices"]:
        numbers = row["numbers"]
        assert numbers["model-second"] == numbers["judges"]
        assert numbers["model-final"] == numbers["first-final"]
    by_given = {(row["given"], row["grade"]): row["recall"] for row in worth["recalls"]}
    for grade in range(4):
        assert by_given["second", grade]["model"] == by_given["second", grade]["first"]
        assert by_given["final", grade]["model"] == by_given["final", grade]["first"]
    assert worth["mean_differences"]["model"] == worth["mean_differences"]["first"]
    for row in worth["preferences"]:
        assert row["raters"]["model"] == row["raters"]["first"]
    first, _, model = payload["decisions"]
    assert {**model, "source": ""} == {**first, "source": ""}
    # No other document is read but those of the pools, and no pair of a query without labels.
    assert worth["slices"][0]["pairs"] == payload["agreement"]["facets"][-1]["pairs"]


@pytest.fixture
def specter(released, judged, csfcube, tmp_path) -> tuple[dict, list[dict]]:
    """The report, and each compared pair with all that the release says of it."""
    labels, folder = {}, csfcube / "eval_scripts" / "sample_ranked_pools"
    for facet in PUBLISHED:
        name = f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
        for paper, ranking in json.loads((folder / name).read_text()).items():
            for docno, distance in ranking:
                labels[f"{paper}_{facet}", docno] = sum(distance <= most for most in DISTANCES)
    keys = {(pair.query, pair.docno) for pair in judged}
    labels = {key: grade for key, grade in labels.items() if key in keys}
    payload = imported(released, tmp_path, "specter", labels)
    pools = json.loads((csfcube / "test-pid2pool-csfcube.json").read_text())
    sources = {
        (paper, docno): of_docno
        for paper, pool in pools.items()
        for docno, of_docno in zip(pool["cands"], pool["cand_source"], strict=True)
    }
    rows = [
        {
            "query": pair.query,
            "facet": pair.facet,
            "model": labels[pair.query, pair.docno],
            "first": pair.first,
            "second": pair.second,
            "final": pair.final,
            "sources": sources[pair.query.split("_")[0], pair.docno],
        }
        for pair in judged
        if (pair.query, pair.docno) in labels and None not in (pair.first, pair.second)
    ]
    return payload, rows


def alpha(rows: list[dict], first: str, second: str) -> float:
    columns = [[row[name] for row in rows] for name in (first, second)]
    return krippendorff.alpha(columns, level_of_measurement="ordinal")


def test_the_sources_of_the_release_divide_the_pairs(specter):
    payload, rows = specter
    found = {(row["dimension"], row["key"]): row for row in payload["worth"]["slices"]}
    names = sorted(set(chain.from_iterable(row["sources"] for row in rows)))
    assert len(names) == 8
    for name in names:
        for dimension, members in (
            ("drawn", [row for row in rows if row["sources"][0] == name]),
            ("found", [row for row in rows if name in row["sources"]]),
        ):
            part = found[dimension, name]
            assert part["pairs"] == len(members)
            numbers = part["numbers"]
            of_model = [alpha(members, "model", name) for name in ("first", "second")]
            assert numbers["judges"]["alpha"]["value"] == pytest.approx(
                alpha(members, "first", "second"), abs=1e-12
            )
            assert numbers["model-people"]["alpha"]["value"] == pytest.approx(np.mean(of_model))
    # Among what SPECTER drew, all is near for SPECTER: it agrees less with people than people do.
    difference = found["drawn", "specter"]["numbers"]["difference"]["alpha"]
    assert difference["interval"][1] < 0
    years = [row for row in payload["worth"]["slices"] if row["dimension"] == "year"]
    assert sum(row["pairs"] for row in years) == len(rows)
    assert [row["pairs"] for row in years if row["key"] == "no year"] == [3]


def test_specter_prefers_what_specter_found(specter):
    payload, rows = specter
    row = next(row for row in payload["worth"]["preferences"] if row["family"] == "specter")
    labelled = [each for each in rows if each["final"] is not None]
    for strata, key in (("query", ("query",)), ("same_label", ("query", "final"))):
        groups = sorted({tuple(each[name] for name in key) for each in labelled})
        place = {group: number for number, group in enumerate(groups)}
        design = np.zeros((len(labelled), len(groups) + 1))
        for number, each in enumerate(labelled):
            design[number, place[tuple(each[name] for name in key)]] = 1
            design[number, -1] = "specter" in each["sources"]
        errors = [each["model"] - each["final"] for each in labelled]
        expected = np.linalg.lstsq(design, np.array(errors), rcond=None)[0][-1]
        assert row["raters"]["model"][strata]["value"] == pytest.approx(expected, abs=1e-9)
        assert row["raters"]["excess"][strata]["interval"][0] > 0.3
    parts = {part.key: part for part in report_parts(payload, {}, "specter")}
    assert parts["preference"].findings[0].endswith("The model prefers what specter found.")
    assert list(parts) == ["agreement", "parts", "grades", "preference", "rankings"]


def test_every_family_of_the_release_is_known_by_the_names_of_its_sources(specter):
    payload, _ = specter
    families = {row["family"]: row["sources"] for row in payload["worth"]["preferences"][:3]}
    assert families == {
        "lexical": ["abs_tfidf", "title_tfidf"],
        "dense": [
            "abs_cbow200",
            "abs_tfidfcbow200",
            "specter",
            "title_cbow200",
            "title_tfidfcbow200",
        ],
        "citation": ["cited"],
    }
