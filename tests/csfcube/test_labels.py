"""Whose labels: CSFCube's cited papers, judges and a model, on the released ratings."""

from __future__ import annotations

import pytest

from agreement.services import AgreementReport
from evaluation.label_effects.services import CitedPapersReport, ShadowJudgeReport
from evaluation.shadow_judges.services import Description, import_shadow_judge
from reports.services import compute_report
from scoring.labels import qrels_of

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]


def test_cited_papers_have_the_low_grades_that_the_paper_reports(released):
    """CSFCube's paper, appendix D."""
    report = compute_report(CitedPapersReport("NDCG%20"), collection=released)
    shares = {row["facet"]: 100 * row["low_share"] for row in report.payload["facets"]}
    assert {facet: round(share, 1) for facet, share in shares.items()} == {
        "background": 79.7,
        "method": 88.8,
    }


@pytest.mark.by_day(4)
def test_a_model_that_knows_the_final_labels_is_compared_on_the_pairs_of_the_judges(
    released, tmp_path
):
    final = qrels_of(released)
    path = tmp_path / "final.txt"
    path.write_text(
        "".join(
            f"{query} 0 {docno} {grade}\n"
            for query, grades in final.items()
            for docno, grade in grades.items()
        )
    )
    import_shadow_judge(
        collection=released, path=path, filename=path.name, about=Description("final")
    )
    report = compute_report(ShadowJudgeReport("NDCG%20", "final"), collection=released)
    agreement = report.payload["agreement"]
    people = {
        row["facet"]: row["median"]
        for row in compute_report(AgreementReport("exclude"), collection=released).payload["facets"]
        if row["stage"] == "pre" and row["queries"]
    }
    for row in agreement["facets"]:
        found = row["comparisons"]
        assert found["model-final"]["coefficients"]["alpha"]["pooled"] == 1
        transposed = zip(*found["first-final"]["confusion"], strict=True)
        assert found["model-first"]["confusion"] == [list(column) for column in transposed]
        if row["facet"] in people:
            medians = {
                key: value["median"] for key, value in found["judges"]["coefficients"].items()
            }
            assert medians == {key: people[row["facet"]][key] for key in medians}
    rankings = report.payload["rankings"]
    assert rankings[0]["systems"] == rankings[-1]["systems"]
