"""The page of a system: a run before and after it was scored, an imported file, a baseline."""

from __future__ import annotations

import pytest

from adjudication.models import Recipient
from adjudication.referrals.services import refer_pair
from evaluation.unique_finds import RelevantRank, UniqueFindsReport, ranked_relevant, unique_finds
from reports.services import compute_report
from retrieval.formats import read_run
from scoring.baselines.services import make_baselines
from scoring.services import evaluate
from tests.support.label_scenes import a_system, two_systems
from tests.support.pooling_scenes import a_listed_run
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

GRADES = {"q1": {"d1": 3, "d2": 2, "d3": 0}}


def test_what_two_systems_rank_high_neither_found_alone():
    found = {
        "first": ranked_relevant([("q1", ["d1", "d2", "far"])], GRADES, 2),
        "second": ranked_relevant([("q1", ["far", "d1"])], GRADES, 2),
    }
    assert found["second"] == [RelevantRank("q1", "d1", 2)]
    finds = unique_finds(found, GRADES)

    assert [finds["first"].relevant, finds["first"].unique] == [2, 1]
    assert finds["first"].finds == [("q1", "d2", 2, 2)]
    assert finds["second"].unique == 0


def test_a_re_ranking_of_judged_documents_finds_nothing_and_takes_nothing():
    assert ranked_relevant([("q1", ["d1", "d2", "d3"])], GRADES, 2) == []
    assert ranked_relevant([("unjudged", ["d1", "far"])], GRADES, 2) == []


@once_a_file
def collection():
    """Labels: q1_background d2 2; q1_method d1 3, d2 2; q2_method d1 1, d3 2; others 0."""
    return a_judged_collection()


def test_a_run_has_a_page_before_it_is_scored(collection):
    a_listed_run(collection, "new_run", {"q1": ["d1", "d2"]})
    a_listed_run(collection, "encoder:models/mini", {"q1": ["d1"]})
    admin = client_of("admin")

    page = text_of(admin.get(address("system", "new_run")))
    assert "Not scored yet." in page
    assert "Score all systems" in page
    assert address("remove-run", "new_run") in page
    assert address("run-file", "new_run") in page
    evaluate(collection=collection)
    assert "Rank 1 of 2" in text_of(admin.get(address("system", "new_run")))
    with_slash = text_of(admin.get(address("system", "encoder:models/mini")))
    assert address("system-repetition", "encoder:models/mini") in with_slash
    assert admin.get(address("system", "nothing")).status_code == 404


def test_a_system_is_marked_as_a_repetition_and_a_refused_name_is_kept(collection):
    a_system(collection, "seed1", {"q1_method": ["d1", "d2"]})
    admin = client_of("admin")

    refused = admin.post(address("system-repetition", "seed1"), {"repetition_of": "two words"})
    assert refused.status_code == 422
    assert '<div class="dialog-open" id="repetition"' in refused.text
    assert 'value="two words"' in refused.text

    admin.post(address("system-repetition", "seed1"), {"repetition_of": "specter"})
    assert "<dd>specter</dd>" in admin.get(address("system", "seed1")).text


def test_it_says_rank_scores_and_the_queries_beside_the_best_other_system(collection):
    two_systems(collection)
    evaluate(collection=collection)

    page = client_of("admin").get(
        address("system", "bad"), {"profile": "trec", "measure": "nDCG@10", "split": "all"}
    )
    text = text_of(page)
    assert "Rank 2 of 2 by nDCG@10" in text
    assert page.context["page"].other == "good"
    assert [row.name for row in page.context["worst"]] == ["q1_background"]
    worst = page.context["worst"][0]
    assert worst.difference == pytest.approx(-0.5)
    assert f"{address('ranked-lists')}?first=good&amp;second=bad&amp;labels=final" in page.text
    assert "&amp;query=q1_background" in page.text
    assert address("query", "q1_background") in page.text
    assert f"{address('comparison-figure', 'comparison', 'svg')}?first=good" in page.text
    assert f"{address('error-browser')}?system=bad" in page.text


def test_a_file_of_a_system_keeps_the_order_of_its_lists(collection, tmp_path):
    system = a_system(collection, "mine", {"q1_method": ["d2", "d1"], "q2_method": ["d3"]})
    # The scores of a file may be distances, which grow down the list.
    system.rankings.filter(query__name="q1_method").update(scores=[0.1, 0.7])

    answer = client_of("admin").get(address("system-file", "mine"))
    path = tmp_path / "mine.run"
    path.write_bytes(answer.getvalue())
    lines = [(line.topic, line.docno) for line in read_run(path, name="mine.run")]
    assert lines == [("q1_method", "d2"), ("q1_method", "d1"), ("q2_method", "d3")]


def test_a_baseline_says_its_method_and_can_be_removed(collection):
    make_baselines(collection=collection, names=["fabs_bm25"])
    admin = client_of("admin")

    page = text_of(admin.get(address("system", "fabs_bm25")))
    assert "BM25 of rank_bm25" in page
    assert "It re-ranks judged documents" in page
    admin.post(address("remove-system", "fabs_bm25"), {"confirmed": "yes"})
    assert admin.get(address("system", "fabs_bm25")).status_code == 404


def test_the_relevant_documents_of_the_collection_include_the_lowest_relevant_grade(collection):
    a_system(collection, "mine", {"q1_method": ["d1"]})

    report = compute_report(UniqueFindsReport(), collection=collection)

    assert report.payload["relevant"] == 4  # as the fixture says


def test_only_documents_with_a_final_label_now_are_shown_as_found(collection):
    a_system(collection, "mine", {"q1_method": ["d1", "unknown"]})
    evaluate(collection=collection)
    compute_report(UniqueFindsReport(), collection=collection)
    admin = client_of("admin")

    def found() -> list[tuple[str, int]]:
        finds = admin.get(address("system", "mine")).context["page"].finds
        return [(find.docno, find.grade) for find, _ in finds.rows]

    assert found() == [("d1", 3)]
    refer_pair(
        collection=collection,
        query="q1_method",
        docno="d1",
        recipient=Recipient.JUDGES,
        reason="a mistake",
        referred_by=None,
    )
    assert found() == []


def test_the_page_asks_as_many_questions_for_many_systems(collection):
    two_systems(collection)
    evaluate(collection=collection)
    compute_report(UniqueFindsReport(), collection=collection)
    admin, page = client_of("admin"), address("system", "good")
    few = queries_of(admin, page)
    for number in range(4):
        a_system(collection, f"more-{number}", {"q1_method": ["d1", "d9"]})
    evaluate(collection=collection)

    assert queries_of(admin, page) == few
    assert few <= 45
