"""Stored comparisons: whose labels, citations, and a model."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Value
from django.db.models.functions import Concat

from evaluation.label_effects.rankings import (
    LONGEST_MEASURE,
    BadMeasure,
    measure_named,
    measure_names,
    usual_measure,
)
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelEffectsReport,
    ShadowJudgeReport,
)
from evaluation.shadow_judges.services import UnknownShadowJudge, delete_shadow_judge
from jobs.context import DirectRun
from reports.models import StoredReport
from reports.services import changed_since, compute_report, reports_of, request_report
from scoring.labels import SOURCES, all_qrels
from scoring.measures.scoring import score_lists
from scoring.systems.lists import system_lists
from tests.support.factories import a_collection
from tests.support.label_scenes import a_shadow_judge, a_system, two_systems
from tests.support.pooling_scenes import a_listed_run
from tests.support.recorded_work import RecordedWork
from tests.support.release_scenes import (
    GRADES,
    a_judged_collection,
    an_opened_collection,
    judge_all,
    slot_of,
)
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    return a_judged_collection()


def computed(collection, kind=LabelEffectsReport, measure="NDCG%100", work=None, **options) -> dict:
    report = compute_report(kind(measure, **options), collection=collection, work=work)
    return report.payload


def ranking(payload: dict, source: str) -> dict:
    return next(row for row in payload["rankings"] if row["source"] == source)


def test_every_set_of_labels_ranks_the_systems_on_the_same_pairs(collection):
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


def test_each_set_of_labels_gives_the_means_of_its_own_scores(collection):
    two_systems(collection)
    payload = computed(collection, measure="AP")
    labels = all_qrels(collection, list(SOURCES))
    measure = measure_named("AP", collection.relevant_from)
    common = {
        query: [
            docno for docno in grades if all(docno in of.get(query, {}) for of in labels.values())
        ]
        for query, grades in labels["final"].items()
    }
    for row in payload["rankings"]:
        qrels = {
            query: {docno: labels[row["source"]][query][docno] for docno in docnos}
            for query, docnos in common.items()
            if docnos
        }
        means = {
            system.name: score_lists(dict(system_lists(system)), qrels, [measure])[
                "AP(rel=2)"
            ].mean()
            for system in collection.systems.all()
        }
        assert {each["system"]: each["mean"] for each in row["systems"]} == pytest.approx(means)
        assert row["queries"] + row["left_out"] == payload["queries"] == 3
    assert (payload["collection"], payload["measure"]) == (collection.slug, measure.name)
    assert payload["description"].startswith(measure.description)


def test_a_measure_has_the_name_of_a_profile_or_of_ir_measures():
    assert measure_named("NDCG%20", 2).name == "NDCG%20"
    assert measure_named("nDCG@7", 2).name == "nDCG@7"
    with pytest.raises(BadMeasure, match="Or use one of: RP, P@20, R@20, NDCG%20"):
        measure_named("nope", 2)
    longest = "nDCG@" + "9" * (LONGEST_MEASURE - 5)
    assert len(measure_named(longest, 2).name) == LONGEST_MEASURE
    with pytest.raises(BadMeasure, match="at most 80 characters"):
        measure_named(longest + "9", 2)
    names = measure_names(2)
    assert len(names) == len(set(names))
    assert not any(name.startswith(("Judged", "inf")) for name in names)


def test_the_usual_measure_is_that_of_the_facets():
    collection = a_collection()
    assert usual_measure(collection) == "NDCG%20"
    collection.facets.update(key=Concat("key", Value("-own")))
    assert usual_measure(collection) != "NDCG%20"


def test_the_same_request_is_one_job_and_another_one_its_own(collection):
    def request(kind=LabelEffectsReport, measure="AP", requested_by=None, **options):
        kind = kind(measure, **options)
        return request_report(kind, collection=collection, requested_by=requested_by)

    user = collection.memberships.first().user
    first = request(requested_by=user)
    assert request().pk == first.pk
    assert first.parameters == {"measure": "AP(rel=2)"}
    assert (first.kind, first.requested_by) == ("compare_labels", user)
    assert request(measure="nDCG@7").pk != first.pk
    assert request(CitedPapersReport).kind == "compare_citations"
    with pytest.raises(UnknownShadowJudge):
        request(ShadowJudgeReport, shadow_judge="nobody")
    assert first.key == "compare_labels:AP(rel=2)"
    assert ShadowJudgeReport("AP", "model").key == "model:AP"


def test_a_state_depends_on_everything_that_a_report_is_computed_from(collection, tmp_path):
    two_systems(collection)
    model = a_shadow_judge(collection, tmp_path)

    def states():
        return [
            LabelEffectsReport("AP").state(collection),
            CitedPapersReport("AP").state(collection),
            ShadowJudgeReport("AP", model.name).state(collection),
        ]

    before = states()
    assert len(set(before)) == 3
    assert states() == before
    counts = dict.fromkeys(["read", "created", "updated", "unchanged"], 0)
    collection.document_imports.create(source="more.jsonl", format_name="JSON Lines", **counts)
    changed = [a != b for a, b in zip(before, states(), strict=True)]
    assert changed == [False, True, False]  # references come with documents
    before = states()
    delete_shadow_judge(collection=collection, name=model.name)
    collection.shadow_judges.create(name=model.name, labels_count=0, sha256="1" * 64)
    assert [a != b for a, b in zip(before, states(), strict=True)] == [False] * 2 + [True]
    a_listed_run(collection, "new", {"q1": ["d1"]})  # it gets a system when a report is computed
    assert all(a != b for a, b in zip(before, states(), strict=True))


def test_a_report_is_computed_again_only_if_something_changed(collection):
    two_systems(collection)
    a_listed_run(collection, "new", {"q1": ["d1", "d2"]})

    first = RecordedWork()
    report = compute_report(LabelEffectsReport("AP"), collection=collection, work=first)
    assert (0, 3, "scoring bad") in first.seen
    assert (2, 3, "scoring new") in first.seen
    assert first.result == {"measure": report.parameters["measure"], "state": report.state}
    again = RecordedWork()
    same = compute_report(LabelEffectsReport("AP"), collection=collection, work=again)
    assert (same.pk, again.seen) == (report.pk, [])
    compute_report(LabelEffectsReport("nDCG@7"), collection=collection)
    computed(collection, kind=CitedPapersReport)
    assert reports_of(LabelEffectsReport, collection).count() == 2


def test_a_report_is_of_one_state_of_labels_and_systems(collection):
    two_systems(collection)
    computed(collection)
    before = StoredReport.objects.get()

    def is_current() -> bool:
        return not changed_since(StoredReport.objects.get())

    assert is_current()
    a_system(collection, "third", {"q1_method": ["d3"]})
    assert not is_current()
    computed(collection)
    assert StoredReport.objects.get().pk == before.pk
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
        "model": computed(collection, ShadowJudgeReport, shadow_judge=model.name),
    }
    state = LabelEffectsReport("NDCG%100").state(collection)
    judge(slot_of(collection, "q1_method", "d1", 1), 3)
    assert LabelEffectsReport("NDCG%100").state(collection) == state
    StoredReport.objects.all().delete()
    assert before == {
        "labels": computed(collection),
        "model": computed(collection, ShadowJudgeReport, shadow_judge=model.name),
    }


def test_a_model_is_compared_with_people_on_the_same_pairs(collection, tmp_path):
    two_systems(collection)
    model = a_shadow_judge(collection, tmp_path)
    payload = computed(collection, ShadowJudgeReport, shadow_judge=model.name)
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
    # Without d3 and d4, which lack a judgment, both rank q1_method and q2_method as the model does.
    # Of q1_background the model says that d3 is the best document, which is first in `bad`.
    assert ranking(payload, "model")["correlations"]["tau"] == -1


def test_a_model_that_is_deleted_while_it_is_compared_gets_no_report(collection, tmp_path):
    two_systems(collection)
    a_shadow_judge(collection, tmp_path)

    class Deleting(DirectRun):
        def progress(self, done, total, note=""):
            if note == "comparing labels":
                delete_shadow_judge(collection=collection, name="model")

    with pytest.raises(UnknownShadowJudge):
        computed(collection, ShadowJudgeReport, shadow_judge="model", work=Deleting())
    assert not StoredReport.objects.exists()


def test_cited_candidates_are_references_of_the_query_paper(collection):
    two_systems(collection)
    collection.documents.filter(docno="q1").update(references=["d1", "elsewhere"])
    collection.documents.filter(docno="q2").update(references=["d3"])
    payload = computed(collection, CitedPapersReport)
    cited = {row["facet"]: row["cited"] for row in payload["facets"]}
    assert cited == {"background": [1, 0, 0, 0], "method": [0, 0, 1, 1]}
    assert [row["low_share"] for row in payload["facets"]] == [1, 0]
    assert ranking(payload, "citations")["queries"] == 3


def test_the_commands_print_tables_and_json(collection, tmp_path, capsys):
    two_systems(collection)
    a_shadow_judge(collection, tmp_path)
    for name, *more in (
        ["compare_labels"],
        ["report_cited_papers"],
        ["compare_shadow_judge", "model"],
    ):
        call_command(name, collection.slug, *more, measure="AP(rel=2)")
        text = capsys.readouterr().out
        assert "Measure: AP(rel=2)" in text
        assert "good" in text
        call_command(name, collection.slug, *more, measure="AP(rel=2)", format="json")
        assert json.loads(capsys.readouterr().out)["measure"] == "AP(rel=2)"
    with pytest.raises(CommandError, match="not a measure"):
        call_command("compare_labels", collection.slug, measure="nope")
    with pytest.raises(CommandError, match='no shadow judge "other"'):
        call_command("compare_shadow_judge", collection.slug, "other")
