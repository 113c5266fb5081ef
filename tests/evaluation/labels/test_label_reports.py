"""Stored comparisons: whose labels, citations, and a model."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.label_effects.models import ReportKind
from evaluation.label_effects.services import compute_label_report, reports_of, state_of
from evaluation.models import LabelReport
from evaluation.shadow_judges.services import UnknownShadowJudge, delete_shadow_judge
from jobs.context import DirectRun
from tests.support.label_scenes import a_shadow_judge, a_system, two_systems
from tests.support.release_scenes import (
    GRADES,
    a_judged_collection,
    an_opened_collection,
    judge_all,
    slot_of,
)
from tests.support.sittings import judge

pytestmark = pytest.mark.django_db


def computed(collection, kind=ReportKind.LABEL_EFFECTS, measure="NDCG%100", **options) -> dict:
    report = compute_label_report(collection=collection, kind=kind, measure=measure, **options)
    return report.payload


def ranking(payload: dict, source: str) -> dict:
    return next(row for row in payload["rankings"] if row["source"] == source)


def test_every_set_of_labels_ranks_the_systems_on_the_same_pairs():
    collection = a_judged_collection()
    two_systems(collection)
    payload = computed(collection)
    # q1_method d3 and q2_method d4 lack a judgment, so no set has them.
    assert (payload["pairs"], payload["pairs_with_final_label"], payload["queries"]) == (7, 8, 3)
    assert [row["source"] for row in payload["rankings"]] == [
        "final",
        "slot1",
        "slot2",
        "minimum",
        "maximum",
    ]
    assert [entry["system"] for entry in ranking(payload, "final")["systems"]] == ["good", "bad"]
    assert ranking(payload, "slot1")["correlations"]["tau"] == 1


def test_a_report_is_of_one_state_of_labels_and_systems():
    collection = a_judged_collection()
    two_systems(collection)
    computed(collection)
    before = LabelReport.objects.get()

    def is_current() -> bool:
        state = state_of(collection, before.kind, before.measure)
        return reports_of(collection, before.kind).filter(state=state).exists()

    assert is_current()
    a_system(collection, "third", {"q1_method": ["d3"]})
    assert not is_current()
    computed(collection)
    assert LabelReport.objects.get().pk == before.pk
    assert is_current()
    judge(slot_of(collection, "q1_method", "d1", 1), 0)
    assert not is_current()


def test_without_systems_or_labels_a_report_says_so_in_numbers():
    payload = computed(an_opened_collection())
    assert (payload["pairs"], payload["queries"]) == (0, 0)
    assert ranking(payload, "slot1")["undefined"]["tau"] == "no query has a relevant document"


def test_no_judgment_counts_before_its_pair_has_both(tmp_path):
    collection = an_opened_collection()
    two_systems(collection)
    halves = dict(list(GRADES.items())[:2])
    judge_all(collection, halves)
    model = a_shadow_judge(collection, tmp_path)
    before = {
        "labels": computed(collection),
        "model": computed(collection, ReportKind.SHADOW_JUDGE, shadow_judge=model.name),
    }
    state = state_of(collection, ReportKind.LABEL_EFFECTS, "NDCG%100")
    judge(slot_of(collection, "q1_method", "d1", 1), 3)
    assert state_of(collection, ReportKind.LABEL_EFFECTS, "NDCG%100") == state
    LabelReport.objects.all().delete()
    assert before == {
        "labels": computed(collection),
        "model": computed(collection, ReportKind.SHADOW_JUDGE, shadow_judge=model.name),
    }


def test_a_model_is_compared_with_people_on_the_same_pairs(tmp_path):
    collection = a_judged_collection()
    two_systems(collection)
    model = a_shadow_judge(collection, tmp_path)
    payload = computed(collection, ReportKind.SHADOW_JUDGE, shadow_judge=model.name)
    agreement = payload["agreement"]
    assert agreement["left_out"] == {"no_model_label": 1, "missing_judgment": 1}
    assert agreement["not_judged_yet"] == 0
    *_, together = agreement["facets"]
    assert (together["facet"], together["pairs"]) == ("all", 7)
    percent = {
        key: found["coefficients"]["percent"]["pooled"]
        for key, found in together["comparisons"].items()
    }
    assert percent["judges"] == pytest.approx(100 * 5 / 7)
    assert percent["model-final"] == pytest.approx(100 * 3 / 7)
    assert [row["source"] for row in payload["rankings"]] == ["final", "slot1", "slot2", "model"]
    assert ranking(payload, "model")["correlations"]["tau"] == pytest.approx(1)


def test_a_model_that_is_deleted_while_it_is_compared_gets_no_report(tmp_path):
    collection = a_judged_collection()
    two_systems(collection)
    a_shadow_judge(collection, tmp_path)

    class Deleting(DirectRun):
        def progress(self, done, total, note=""):
            if note == "comparing labels":
                delete_shadow_judge(collection=collection, name="model")

    with pytest.raises(UnknownShadowJudge):
        computed(collection, ReportKind.SHADOW_JUDGE, shadow_judge="model", work=Deleting())
    assert not LabelReport.objects.exists()


def test_cited_candidates_are_references_of_the_query_paper():
    collection = a_judged_collection()
    two_systems(collection)
    collection.documents.filter(docno="q1").update(references=["d1", "elsewhere"])
    collection.documents.filter(docno="q2").update(references=["d3"])
    payload = computed(collection, ReportKind.CITED_PAPERS)
    cited = {row["facet"]: row["cited"] for row in payload["facets"]}
    assert cited == {"background": [1, 0, 0, 0], "method": [0, 0, 1, 1]}
    assert [row["low_share"] for row in payload["facets"]] == [1, 0]
    assert ranking(payload, "citations")["queries"] == 3


def test_the_commands_print_tables_and_json(tmp_path, capsys):
    collection = a_judged_collection()
    two_systems(collection)
    a_shadow_judge(collection, tmp_path)
    for name, *more in (["label_effects"], ["cited_papers"], ["compare_shadow_judge", "model"]):
        call_command(name, collection.slug, *more, measure="AP(rel=2)")
        text = capsys.readouterr().out
        assert "Measure: AP(rel=2)" in text
        assert "good" in text
        call_command(name, collection.slug, *more, measure="AP(rel=2)", format="json")
        assert json.loads(capsys.readouterr().out)["measure"] == "AP(rel=2)"
    with pytest.raises(CommandError, match="not a measure"):
        call_command("label_effects", collection.slug, measure="nope")
    with pytest.raises(CommandError, match='no shadow judge "other"'):
        call_command("compare_shadow_judge", collection.slug, "other")
