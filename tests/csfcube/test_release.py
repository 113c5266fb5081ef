"""CSFCube released again, and compared with what its authors published."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command

from accounts.models import User
from annotation.guidelines.defaults import default_guidelines
from release.errors import GateClosed
from release.services import build_bundle, find_faults
from release.snapshot import take_snapshot
from tests.support.releases import accepting

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]

FACETS = ("background", "method")
ACCEPT = ("unopened-queries", "self-retrieved", "duplicates", "datasheet")
MEDIANS = {
    ("background", "pre"): (16, 1877, 0.4553, 0.4288, 0.2814, 57.0672),
    ("background", "post"): (16, 1877, 0.7310, 0.7201, 0.6214, 77.6813),
    ("method", "pre"): (17, 2174, 0.3086, 0.2557, 0.2029, 69.6000),
    ("method", "post"): (17, 2174, 0.6258, 0.6107, 0.5371, 84.4660),
}


def published_qrels(ratings: dict[str, dict], facet: str) -> list[str]:
    return sorted(
        f"{query} 0 {docno} {grade}"
        for query, columns in ratings.items()
        if query.endswith(f"_{facet}")
        for docno, grade in zip(columns["cands"], columns["relevance_adju"], strict=True)
    )


def test_the_qrels_are_the_published_final_labels_line_for_line(files, ratings):
    expected = {facet: published_qrels(ratings, facet) for facet in FACETS}
    for facet in FACETS:
        assert files[f"trec/qrels.{facet}.txt"].decode().splitlines() == expected[facet]
    together = sorted(line for lines in expected.values() for line in lines)
    assert files["trec/qrels.all.txt"].decode().splitlines() == together
    accepted = json.loads(files["manifest.json"])["accepted"]
    assert {entry["check"]: entry["count"] for entry in accepted} == {
        "self-retrieved": 1,
        "duplicates": 6,
        "unopened-queries": 17,
        "datasheet": 9,
    }


def test_the_gate_catches_the_paper_in_its_own_pool_and_the_queries_without_ratings(released):
    findings = {finding.check: finding for finding in find_faults(collection=released)}

    assert {check for check, finding in findings.items() if not finding.ok} == set(ACCEPT)
    assert findings["self-retrieved"].items == ("8781666_background",)
    assert findings["unopened-queries"].count == 17
    assert findings["duplicates"].count == 6
    assert all(name.endswith("_result") for name in findings["unopened-queries"].items)
    with pytest.raises(GateClosed):
        build_bundle(take_snapshot(released), "1.0", accepting(ACCEPT[:1]))


def test_every_pooled_document_is_released_with_its_sources_and_no_person_is_named(files, pools):
    expected = {
        (paper, docno): sorted(sources)
        for paper, pool in pools.items()
        for docno, sources in zip(pool["cands"], pool["cand_source"], strict=True)
    }

    lines = map(json.loads, files["pools/pool.jsonl"].splitlines())

    assert {
        (line["query_paper"], line["docno"]): [source["source"] for source in line["sources"]]
        for line in lines
    } == expected
    everything = b"".join(files.values()).decode(errors="replace")
    for username in User.objects.values_list("username", flat=True):
        assert username not in everything


def test_the_release_defines_no_grade_of_csfcube_in_our_words(files):
    readme = files["README.md"].decode()

    for facet in FACETS:
        for grade in default_guidelines()[facet]["grades"]:
            assert grade["definition"] not in readme
    assert "in Qrelsmith's words" not in readme
    assert readme.count("- **3** Near identical: Defined in CSFCube’s own guideline") == 2
    assert "ann_guidelines.pdf in https://github.com/iesl/CSFCube" in readme


def test_the_release_has_overruling_as_in_the_paper_and_pooled(files):
    readme = files["README.md"].decode()

    for facet, shares in (("background", "3.44% | 3.09%"), ("method", "2.40% | 2.02%")):
        rows = [line for line in readme.splitlines() if line.startswith(f"| {facet} | p")]
        assert len(rows) == 2
        assert all(f"| {shares} |" in row for row in rows)


def test_the_command_prints_the_published_agreement(released):
    out = StringIO()

    call_command("compute_agreement", "csfcube", missing="zero", format="json", stdout=out)

    rows = {(row["facet"], row["stage"]): row for row in json.loads(out.getvalue())["facets"]}
    for key, (queries, pairs, *medians) in MEDIANS.items():
        row = rows[key]
        assert (row["queries"], row["pairs"]) == (queries, pairs)
        coefficients = ("spearman", "alpha", "kappa", "percent")
        assert [round(row["median"][coefficient], 4) for coefficient in coefficients] == medians
