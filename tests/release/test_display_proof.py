"""The display proof: as a command, a page, a stored report and a file of a release."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Judgment
from corpus.models import Document
from jobs.context import DirectRun
from jobs.models import Job
from release.gate.stored_reports import old_reports
from release.proofs import display
from release.proofs.display import DifferingJudgment, DisplayProof
from release.services import find_faults
from reports.services import changed_since, compute_report, stored_report
from tests.support.factories import a_collection
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.released_files import files_of
from tests.support.rules import rule_suspended
from tests.support.sittings import judge
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FILE = "reports/display_proof.json"
SAME = {"different": 0, "earlier": 0, "earlier_different": 0}


@once_a_file
def collection():
    return a_judged_collection()


def change_title(docno, title="Another title"):
    """Past the rule that keeps the texts of frozen pools."""
    with rule_suspended("document_text_in_frozen_pool", "corpus_document"):
        Document.objects.filter(docno=docno).update(title=title)


def proof_of(collection):
    return compute_report(DisplayProof(), collection=collection)


def test_it_counts_the_judgments_of_each_facet(collection):
    payload = proof_of(collection).payload

    assert payload["facets"] == [
        {"facet": "background", "queries": 1, "judgments": 6, **SAME},
        {"facet": "method", "queries": 2, "judgments": 12, **SAME},
    ]
    assert (payload["judgments"], payload["queries"], payload["differences"]) == (18, 3, [])


def test_it_names_each_judgment_of_another_text_by_slot_and_time(collection):
    change_title("d2")

    payload = proof_of(collection).payload

    times = {
        (judgment.slot.pair.query.name, judgment.slot.number): judgment.created_at.isoformat()
        for judgment in Judgment.objects.filter(slot__pair__candidate__document__docno="d2")
    }
    assert [DifferingJudgment(*row) for row in payload["differences"]] == [
        DifferingJudgment(query, query.partition("_")[2], "d2", slot, times[query, slot], False)
        for query in ("q1_background", "q1_method")
        for slot in (1, 2)
    ]
    assert [row["different"] for row in payload["facets"]] == [2, 2]


def test_a_changed_query_paper_makes_all_judgments_of_its_queries_different(collection):
    change_title("q2")

    payload = proof_of(collection).payload

    assert {row[0] for row in payload["differences"]} == {"q2_method"}
    assert payload["different"] == 6


def test_a_superseded_judgment_is_counted_apart(collection):
    change_title("d2")
    judge(slot_of(collection, "q1_method", "d2", 1), 3)  # of the new text

    payload = proof_of(collection).payload

    method = payload["facets"][1]
    assert (method["judgments"], method["different"]) == (12, 1)
    assert (method["earlier"], method["earlier_different"]) == (1, 1)
    of_slot = [row for row in payload["differences"] if row[0] == "q1_method" and row[3] == 1]
    assert [row[-1] for row in of_slot] == [True]


def test_it_counts_all_differences_and_names_the_first(collection, monkeypatch):
    monkeypatch.setattr(display, "MOST_NAMED", 3)
    change_title("d1")

    payload = proof_of(collection).payload

    assert payload["different"] == 6
    assert [(row[0], row[3]) for row in payload["differences"]] == [
        ("q1_background", 1),
        ("q1_background", 2),
        ("q1_method", 1),
    ]


def test_it_reports_its_progress_and_stops_where_the_job_is_cancelled(collection, monkeypatch):
    monkeypatch.setattr(display, "CHECKED_TOGETHER", 5)
    reported = []

    class Stopped(DirectRun):
        def progress(self, done, total, note=""):
            reported.append((done, total))
            if done == 10:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute_report(DisplayProof(), collection=collection, work=Stopped())

    assert reported == [(5, 18), (10, 18)]
    assert stored_report(DisplayProof(), collection) is None


def test_judgments_and_texts_make_it_out_of_date_and_stop_no_release(collection):
    report = proof_of(collection)
    assert changed_since(report) == ""

    judge(slot_of(collection, "q1_method", "d1", 1), 2)
    assert changed_since(report) == "the judgments"
    report = proof_of(collection)
    change_title("d1")

    assert changed_since(report) == "the texts"
    (old,) = old_reports(collection)
    assert (old.key, old.name, old.stops_release) == ("display_proof", "Display proof", False)
    (check,) = [
        found for found in find_faults(collection=collection) if found.check == "old-reports"
    ]
    assert check.ok


def test_a_release_has_the_counts_of_a_proof_that_is_up_to_date(collection):
    assert FILE not in files_of(collection)
    report = proof_of(collection)

    files = files_of(collection)

    assert json.loads(files[FILE]) == report.summary
    readme = " ".join(files["README.md"].decode().split())
    sentence = (
        "The digests of 18 judgments were derived again from the stored query, facet, marked "
        "sentences, candidate and version of the guideline. All have the digest that the judgment "
        "was saved with."
    )
    assert sentence in readme
    assert sentence in files["datasheet.md"].decode()


def test_a_release_says_how_many_differ_and_names_none(collection):
    change_title("d2")
    proof_of(collection)

    files = files_of(collection)

    assert "14 have the digest that the judgment was saved with, and 4 not." in " ".join(
        files["README.md"].decode().split()
    )
    assert "differences" not in json.loads(files[FILE])


def test_a_release_leaves_out_a_proof_that_is_out_of_date(collection):
    proof_of(collection)
    judge(slot_of(collection, "q1_method", "d1", 1), 3)

    files = files_of(collection)

    assert FILE not in files
    assert "derived again" not in files["README.md"].decode()
    assert json.loads(files["manifest.json"])["out_of_date_reports"] == ["display_proof"]


def output_of(collection, *options):
    out = StringIO()
    call_command("prove_display", collection.slug, *options, stdout=out)
    return out.getvalue()


def test_the_command_prints_the_counts_and_the_judgments_that_differ(collection):
    good = output_of(collection)
    assert good.splitlines()[1].split() == ["background", "1", "6", "0", "0", "0"]
    assert "Every judgment has the digest of what its pair shows now." in good
    change_title("d4")

    bad = output_of(collection)

    assert bad.count("differs: q2_method d4, slot ") == 2
    assert json.loads(output_of(collection, "--format", "json"))["different"] == 2


def test_the_page_says_what_is_missing_and_requests_the_proof(collection):
    admin = client_of("admin")
    assert "No proof yet" in text_of(admin.get(address("display-proof")))

    admin.post(address("prove-display"))

    assert collection.jobs.get().kind == "prove_display"
    assert Job.objects.count() == 1


def test_the_page_without_judgments_leads_to_the_progress():
    a_collection()
    assert "No judgments yet" in text_of(client_of("admin").get(address("display-proof")))


def test_the_page_names_the_judgments_that_differ(collection):
    proof_of(collection)
    admin = client_of("admin")
    good = text_of(admin.get(address("display-proof")))
    assert "Every judgment has the digest of what its pair shows now." in good
    assert "The proof is up to date." in good
    change_title("d2")
    assert "Changed since then: the texts." in text_of(admin.get(address("display-proof")))
    proof_of(collection)

    page = text_of(admin.get(address("display-proof")))

    assert "4 of 18 judgments have another digest" in page
    assert page.count(">d2</a>") == 4
    assert admin.get(address("display-proof"), {"format": "json"}).json()["different"] == 4


def test_the_page_takes_as_many_queries_for_more_differences(collection):
    admin = client_of("admin")
    numbers = []
    for docno in ("d4", "q1"):
        change_title(docno)
        proof_of(collection)
        with CaptureQueriesContext(connection) as captured:
            admin.get(address("display-proof"))
        numbers.append(len(captured))

    assert numbers[0] == numbers[1] < 20
