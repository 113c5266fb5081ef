"""The checks: what each finds, and what accepting it means."""

from __future__ import annotations

import pytest

from adjudication.labels import labels_state
from annotation.models import Guideline
from corpus.models import Document, text_digest
from jobs.models import Report
from release import gate
from release.datasheet import QUESTIONS, save_answers
from tests import builders
from tests.release.helpers import pair_of
from web.errors import BadInput

pytestmark = pytest.mark.django_db


@pytest.fixture
def finished(judged, people):
    """The judged collection with everything done."""
    method = judged.queries.get(name="d00_method")
    builders.decide(pair_of(method, "d04"), people.ada, 1)
    builders.judge(pair_of(method, "d05"), people.bob, 1)
    for facet in ("method", "background", ""):  # the topic is beside the facets
        Guideline.objects.create(collection=judged, facet=facet, version=1, grades=[{}] * 4)
    save_answers(collection=judged, answers=dict.fromkeys(QUESTIONS, "Yes."))
    report = {"missing": "exclude", "facets": [], "queries": [], "couples": []}
    Report.objects.put(judged, "agreement", report, labels=labels_state(judged), missing="exclude")
    return judged


def faults(collection) -> dict[str, list[str]]:
    return {each.check.key: each.items for each in gate.findings(collection) if each.is_fault}


def test_a_collection_in_order_passes_every_check(finished):
    assert faults(finished) == {}
    assert all(each.sentence for each in gate.findings(finished))


def test_an_empty_collection_cannot_be_published(collection):
    (empty,) = [each for each in gate.findings(collection) if each.check.key == "empty"]
    assert empty.is_fault
    assert not empty.check.effect


def test_what_is_unfinished_is_found(judged, people):
    found = faults(judged)
    assert found["unjudged-pairs"] == ["d00_method d05"]
    assert found["unresolved"] == ["d00_method d04"]


def test_a_query_with_a_frozen_pool_must_be_opened(finished, papers):
    builders.frozen_pool(builders.query(finished, papers[1]), papers[2:4])
    builders.query(finished, papers[2])  # without a pool there is nothing to open
    assert faults(finished) == {"unopened-queries": ["d01_method"]}


@pytest.mark.parametrize("kind", ["the query paper", "its text again", "the topic's title", "the topic's text"])
def test_a_query_in_its_own_pool_is_found(finished, kind):
    query = finished.queries.get(name="d00_method" if "topic" not in kind else "7")
    pair = query.pairs.order_by("document__docno").first()
    own = {
        "the query paper": {"text_digest": "other"},
        "its text again": {"text_digest": finished.documents.get(docno="d00").text_digest},
        "the topic's title": {"title": "Harbour  DUES", "sentences": []},
        "the topic's text": {"title": "Harbour dues", "sentences": ["What do ships", "pay?"]},
    }
    if kind == "the query paper":
        query.document = pair.document
        query.save()
    else:
        Document.objects.filter(pk=pair.document_id).update(**own[kind])
    assert f"{query.name} {pair.document.docno}" in faults(finished)["self-retrieved"]


def test_duplicates_of_a_pool_are_found(finished):
    digest = text_digest("Alike", ["Same."])
    Document.objects.filter(docno__in=["d01", "d02", "d10"]).update(text_digest=digest)
    names = [f"{query} {docno}" for query in ("d00_background", "d00_method") for docno in ("d01", "d02")]
    assert faults(finished) == {"duplicates": names}


def test_ids_that_trec_files_cannot_hold_are_no_exception(finished):
    Document.objects.filter(docno="d01").update(docno="d 1")
    finished.facets = [*finished.facets, "all"]
    finished.save()
    assert faults(finished) == {"ids": ["'d 1'", "facet all"]}
    with pytest.raises(BadInput, match="ids"):
        gate.checked_reasons({"ids": "Never mind."})


def test_licence_guideline_and_datasheet_are_asked_for(judged):
    judged.licence = " "
    judged.save()
    found = faults(judged)
    assert found["guideline"] == ["background", "method", "queries without a facet"]
    assert {"licence", "datasheet"} < set(found)


def test_agreement_of_earlier_labels_does_not_count(finished, people):
    pair = pair_of(finished.queries.get(name="d00_method"), "d02")
    builders.decide(pair, people.ada, 2, note="Look again.")
    assert set(faults(finished)) == {"agreement"}


@pytest.mark.parametrize("reasons", [{"weather": "Rain."}, {"duplicates": " "}, {"duplicates": "x" * 501}])
def test_only_a_check_that_can_be_accepted_and_only_with_a_reason(reasons):
    with pytest.raises(BadInput):
        gate.checked_reasons(reasons)


def test_accepted_faults_are_stated_with_their_reasons(judged):
    found = gate.findings(judged)
    reasons = gate.checked_reasons({"unresolved": "Later.\nIn 1.1.", "licence": "There is one."})
    assert "unresolved" not in [each.check.key for each in gate.blocking(found, reasons)]
    (stated,) = gate.exceptions(found, reasons)
    assert (stated["check"], stated["count"], stated["reason"]) == ("unresolved", 1, "Later. In 1.1.")


def test_a_reason_has_up_to_500_characters_and_20_of_what_was_found_are_named():
    found = [gate.Finding(gate.BY_KEY["duplicates"], [f"q d{number:02}" for number in range(21)])]
    (stated,) = gate.exceptions(found, gate.checked_reasons({"duplicates": "x" * 500}))
    assert (stated["count"], len(stated["items"]), len(stated["reason"])) == (21, 20, 500)


def test_the_named_checks_of_scripts_exist():
    assert {"self-retrieved", "unopened-queries", "duplicates", "datasheet"} <= set(gate.BY_KEY)
