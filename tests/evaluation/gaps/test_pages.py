"""The page, the API, the commands and the page of a system, about unjudged documents."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from accounts.models import Collection
from evaluation.gaps.report import GapsError
from evaluation.gaps.services import GapsReport
from evaluation.gaps.stored import current_gaps
from evaluation.templatetags.evaluation_numbers import bounds, hours
from jobs.services import run as run_job
from reports.services import compute_report, stored_report
from scoring.services import evaluate
from scoring.systems.uploads import request_system_import
from tests.support.label_scenes import a_system
from tests.support.pooling_scenes import a_listed_run
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

# n1 and n2 have no label. d4 cannot be judged for q2_method, so no label is missing there.
GOOD = {"q1_background": ["d2", "n1"], "q1_method": ["d1", "d2"], "q2_method": ["d3", "d4"]}
LATE = {"q1_background": ["n1", "d2"], "q1_method": ["n1", "n2"], "q2_method": ["d4", "d1"]}


@once_a_file
def collection() -> Collection:
    """Labels: q1_background d2 2; q1_method d1 3, d2 2; q2_method d1 1, d3 2; others 0."""
    collection = a_judged_collection()
    a_system(collection, "good", GOOD)
    a_system(collection, "late", LATE)
    evaluate(collection=collection)
    return collection


def row_of(collection: Collection, system: str, depth: int = 20, **of: list[str]):
    report = stored_report(GapsReport(depth, **of), collection)
    return report.summary["systems"][system]


def test_a_report_counts_the_gaps_and_bounds_the_scores(collection):
    payload = compute_report(GapsReport(), collection=collection).payload
    assert (payload["pairs"], payload["shared"], payload["queries"]) == (3, 1, 3)
    late, good = row_of(collection, "late"), row_of(collection, "good")
    assert (late["unjudged"], late["listed"]) == (3, 6)
    assert (good["unjudged"], good["listed"]) == (1, 6)
    precision = late["scores"]["all"]["P(rel=2)@20"]
    # Now one relevant document of 60; three more can become relevant.
    assert [precision[name] for name in ("low", "value", "high")] == pytest.approx(
        [1 / 60, 1 / 60, 4 / 60]
    )
    assert payload["by_query"] == {"good": [1, 0, 0], "late": [1, 2, 0]}
    method = late["scores"]["method"]["P(rel=2)@20"]
    assert [method["low"], method["high"]] == pytest.approx([0, 2 / 40])


def test_a_report_of_one_system_leaves_the_gaps_of_others_as_they_are(collection):
    compute_report(GapsReport(20, ["good"]), collection=collection)
    late = row_of(collection, "late", systems=["good"])
    assert late["unjudged"] is None
    precision = late["scores"]["all"]["P(rel=2)@20"]
    assert (precision["low"], precision["high"]) == (None, None)
    assert precision["joint"] == pytest.approx([1 / 60, 2 / 60])  # n1 of q1_background is in both
    with pytest.raises(GapsError, match='"nothing" is not a system'):
        compute_report(GapsReport(20, ["nothing"]), collection=collection)
    with pytest.raises(GapsError, match="depth must be from 1 to 1,000, got 0"):
        compute_report(GapsReport(0), collection=collection)


def test_the_order_of_two_systems_can_change_and_the_decisive_documents_are_named(collection):
    close = {"q1_background": ["d2"], "q1_method": ["d1", "n2"], "q2_method": ["d3", "n1"]}
    a_system(collection, "close", close)
    payload = compute_report(GapsReport(), collection=collection).payload
    orders = {(row["first"], row["second"]): row for row in payload["orders"]["P(rel=2)@20"]}
    order = orders["good", "close"]
    assert order["is_exact"]
    bounds = [60 * order[name] for name in ("low", "value", "high")]
    assert bounds == pytest.approx([-1, 1, 2])  # in relevant documents of three lists of 20
    decisive = payload["decisive"]
    assert decisive["measure"] == "nDCG@20"
    assert {"q1", "q2"} >= decisive["documents"].keys() > set()


def test_the_page_shows_bounds_ranks_costs_and_queries(collection):
    admin = client_of("admin")
    assert "Not computed yet" in text_of(admin.get(address("gaps")))
    assert admin.post(address("compute-gaps"), {"depth": "10"}).url.endswith("?depth=10")
    assert collection.jobs.filter(kind="gaps").count() == 1
    compute_report(GapsReport(), collection=collection)

    page = text_of(admin.get(address("gaps"), {"measure": "P(rel=2)@20", "rate": "20"}))
    assert (
        "<strong>3</strong> pairs · <strong>under 0.1 h</strong> · <strong>1</strong> at 20" in page
    )
    assert "1 of the pairs is unjudged in two systems or more" in page
    assert "3 of 6" in page
    assert "1.67–6.67" in page
    assert "q1_method" in page
    assert "q2_method" not in page.split("Queries", 1)[1].split("largest gaps first")[0]
    assert "good: unjudged" in page
    only_late = text_of(admin.get(address("gaps"), {"show": "late"}))
    assert "late: unjudged" in only_late
    assert "good: unjudged" not in only_late
    queries = queries_of(admin, address("gaps"))
    for number in range(3):
        a_system(collection, f"more{number}", LATE)
    compute_report(GapsReport(), collection=collection)
    assert queries_of(admin, address("gaps")) <= queries + 2  # three systems side by side, not two


def test_the_files_of_the_page_have_all_rows(collection):
    compute_report(GapsReport(), collection=collection)
    admin = client_of("admin")
    systems = admin.get(address("gaps"), {"format": "csv", "table": "systems"})
    head, *rows = b"".join(systems.streaming_content).decode().splitlines()
    assert head.startswith("system,listed,unjudged,value,low,high,joint_low,joint_high,best")
    assert len(rows) == 2
    orders = admin.get(address("gaps"), {"format": "csv", "table": "orders"})
    assert b"first,second,low,value,high,is_exact" in b"".join(orders.streaming_content)
    assert admin.get(address("gaps"), {"format": "csv", "table": "no"}).status_code == 404
    assert json.loads(admin.get(address("gaps-json")).content)["pairs"] == 3


def test_the_page_of_a_system_states_its_gap(collection):
    admin = client_of("admin")
    assert "Compute what they could change" in text_of(admin.get(address("system", "late")))
    compute_report(GapsReport(), collection=collection)
    page = text_of(
        admin.get(address("system", "late"), {"profile": "trec", "measure": "P(rel=2)@20"})
    )
    assert "Unjudged at 20: 3 of 6 documents." in page
    assert "it could score 1.67 to 6.67 by P(rel=2)@20 (now 1.67)" in page
    assert "Judging them: 3 pairs, under 0.1 h." in page


def test_a_run_that_is_made_later_makes_the_report_out_of_date(collection):
    compute_report(GapsReport(), collection=collection)
    assert current_gaps(collection)["late"].unjudged == 3
    a_listed_run(collection, "later", {"q1": ["d1"]})
    assert current_gaps(collection) == {}
    assert "Changed since then: the lists" in text_of(client_of("admin").get(address("gaps")))


def test_scoring_a_file_says_what_it_could_score(collection, tmp_path):
    run = tmp_path / "late.run"
    run.write_text(
        "".join(
            f"{query} Q0 {docno} {rank} {-rank} late\n"
            for query, docnos in {"q1_method": ["d1", "d4"], "q2_method": ["d4"]}.items()
            for rank, docno in enumerate(docnos, start=1)
        )
    )
    out = StringIO()
    call_command("score_systems", "small", str(run), "--measures", "P@2", stdout=out)
    assert "Unjudged at 20: 1 of 3 documents. To judge them: 1 pairs, 0.0 hours." in out.getvalue()
    assert "it could score, over all queries: P(rel=2)@2 16.67–33.33." in out.getvalue()


def test_the_command_prints_the_report(collection):
    out = StringIO()
    call_command("compute_gaps", "small", "--depth", "1", stdout=out)
    assert "small: 2 unjudged pairs among the first 1" in out.getvalue()
    out = StringIO()
    call_command("compute_gaps", "small", "late", "--format", "json", stdout=out)
    assert json.loads(out.getvalue())["chosen"] == ["late"]


def test_the_import_of_a_system_says_how_much_is_unjudged(collection):
    run = SimpleUploadedFile("new.run", b"q1_method Q0 d1 1 2 new\nq1_method Q0 d4 2 1 new\n")
    job = request_system_import(collection=collection, name="new", files=[run], requested_by=None)
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.result["system"], job.result["unjudged_at_20"]) == ("new", "1 of 2")


def test_the_api_computes_and_gives_the_report(collection):
    admin, where = client_of("admin"), "/api/v1/collections/small/"
    assert admin.get(f"{where}gaps/").status_code == 404
    refused = admin.post(f"{where}gaps/", {"system": ["nothing"]}, "application/json")
    assert '"nothing" is not a system.' in refused.content.decode().replace("\\", "")
    asked = admin.post(f"{where}gaps/", {"system": ["late"], "depth": 10}, "application/json")
    run_job(asked.json()["id"])
    answer = admin.get(f"{where}gaps/", {"system": "late", "depth": 10}).json()
    assert (answer["report"]["pairs"], answer["up_to_date"]) == (3, True)
    assert answer["hours"] == pytest.approx(3 * 2.36 * 15 / 3600)  # 36 % need the adjudicator


def test_the_scores_of_the_api_have_the_gap_of_each_system(collection):
    admin, where = client_of("admin"), "/api/v1/collections/small/evaluation/"

    def gaps(**parameters: str):
        systems = admin.get(where, parameters).json()["systems"]
        return {system["system"]: system["gap"] for system in systems}

    assert gaps() == {"good": None, "late": None}  # stored scores, and no report yet
    computed = gaps(measures="P@20")["late"]
    compute_report(GapsReport(), collection=collection)
    stored = gaps()["late"]
    assert (stored["unjudged"], stored["listed"]) == (computed["unjudged"], computed["listed"])
    assert stored["bounds"]["P(rel=2)@20"] == computed["bounds"]["P(rel=2)@20"]
    assert gaps(profile="csfcube") == {"good": None, "late": None}


def test_little_work_is_not_shown_as_none():
    assert hours(4 * 30 / 3600) == "under 0.1 h"
    assert (hours(0), hours(1204.44)) == ("0.0 h", "1,204.4 h")


def test_equal_ends_of_bounds_are_one_number():
    assert bounds(0.5198, 0.51981) == "51.98"
    assert (bounds(0.3131, 0.41), bounds(None, None)) == ("31.31–41.00", "–")
