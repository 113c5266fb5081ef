"""What makes a report another one, and who computes it when two try at once."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager

import pytest
from django.urls import reverse

from accounts.models import User
from adjudication.standing import LabelledPair, Standing
from agreement.coefficients import Missing
from agreement.services import (
    AgreementReport,
    UnknownPolicy,
    both_reports,
    policy_on_missing,
    report_payload,
    state_of,
)
from agreement.summary import STATISTICS_VERSION
from corpus.digests import canonical_json
from corpus.scale import DEFAULT_SCALE
from jobs.context import DirectRun
from jobs.models import Job
from reports.models import StoredReport
from reports.services import compute_report, job_key, request_report
from tests.support.factories import a_collection, an_open_query
from tests.support.sittings import judge_both
from tests.support.worlds import once_a_file

PAIR = LabelledPair("q", "method", "d", Standing.ADJUDICATED, 1, 3, 2)


@pytest.mark.parametrize(
    "changes",
    [
        {"query": "other"},
        {"docno": "other"},
        {"first": 0},
        {"second": 0},
        {"final": 0},
        {"standing": Standing.AGREED},
    ],
)
def test_another_judgment_label_or_standing_is_another_state(changes):
    assert state_of([PAIR._replace(**changes)]) != state_of([PAIR])


@pytest.mark.parametrize("queries", [[], ["a"], ["a", "a", "b"], ["a", "none", "b"]])
def test_the_state_is_the_digest_of_the_version_and_all_judged_pairs(queries):
    pairs = [
        PAIR._replace(
            query=query,
            docno=f"dé{place}",
            standing=Standing.UNJUDGED if query == "none" else PAIR.standing,
        )
        for place, query in enumerate(queries)
    ]
    rows = [
        [pair.query, pair.docno, pair.first, pair.second, pair.final, pair.standing.value]
        for pair in pairs
        if pair.judged
    ]
    digest = hashlib.sha256(canonical_json([STATISTICS_VERSION, rows])).hexdigest()

    assert state_of(pairs) == digest


def test_both_policies_come_from_one_reading_of_the_pairs():
    pairs = [PAIR, PAIR._replace(docno="e", first=None)]
    asked = {"slug": "small", "facets": ["method"]}

    both = both_reports(**asked, pairs=iter(pairs), scale=DEFAULT_SCALE, seed="")

    assert both.payloads == {
        missing: report_payload(**asked, pairs=pairs, missing=missing) for missing in Missing
    }


def test_an_unjudged_pair_is_in_no_state_and_no_report():
    unjudged = LabelledPair("q", "method", "e", Standing.UNJUDGED, None, None, None)
    policy = policy_on_missing("zero")

    def payload(pairs):
        return report_payload(slug="small", facets=["method"], pairs=pairs, missing=policy)

    assert state_of([PAIR, unjudged]) == state_of([PAIR])
    assert payload([PAIR, unjudged]) == payload([PAIR])


def test_a_pair_that_was_set_aside_does_not_leave_a_query_unfinished():
    policy = policy_on_missing("exclude")
    rated = [PAIR, PAIR._replace(docno="e", first=2, second=0, final=0)]

    def reason(standing):
        odd = LabelledPair("q", "method", "f", standing, 1, 2, None)
        payload = report_payload(slug="s", facets=[], pairs=[*rated, odd], missing=policy)
        post = next(row for row in payload["queries"] if row["stage"] == "post")
        return post["undefined"].get("percent")

    assert reason(Standing.SET_ASIDE) is None
    assert reason(Standing.DUE) == "unfinished: 1 of 3 pairs have no final label"


@once_a_file
def collection():
    return a_collection()


def test_a_report_that_another_worker_computed_meanwhile_is_taken(collection):
    judge_both(an_open_query(collection), (1, 3), (2, 2))

    class OvertakenWork(DirectRun):
        @contextmanager
        def fenced(self):
            compute_report(AgreementReport("zero"), collection=collection)
            with super().fenced():
                yield

    report = compute_report(AgreementReport("zero"), collection=collection, work=OvertakenWork())
    assert report == StoredReport.objects.get()


@pytest.mark.parametrize("missing", ["guess", "", "ZERO"])
def test_an_unknown_policy_makes_neither_report_nor_job(collection, missing):
    for ask in (compute_report, request_report):
        with pytest.raises(UnknownPolicy, match=f'"{missing}"'):
            ask(AgreementReport(missing), collection=collection)
    assert not StoredReport.objects.exists()
    assert not Job.objects.exists()


def test_each_policy_has_a_report_of_its_own(collection):
    judge_both(an_open_query(collection), (1, 3), (2, 2))
    reports = [
        compute_report(AgreementReport(each), collection=collection) for each in ("zero", "exclude")
    ]

    assert {report.key for report in reports} == {"zero", "exclude"}
    assert reports[0].digest == reports[1].digest


def test_a_request_says_who_asked_and_for_what(collection):
    admin = User.objects.get(username="admin")
    job = request_report(
        AgreementReport("zero"), collection=collection, requested_by=admin, reason="state"
    )

    assert (job.parameters, job.requested_by) == ({"missing": "zero"}, admin)
    assert job.key == job_key(AgreementReport("zero"), "state")
    other = request_report(AgreementReport("zero"), collection=collection, reason="a later state")
    assert other != job


def test_the_queries_of_a_report_are_filtered_by_name_and_facet(client, collection):
    openings = [an_open_query(collection), an_open_query(collection, facet="result")]
    for opening in openings:
        judge_both(opening, (1, 3), (2, 2))
    compute_report(AgreementReport("exclude"), collection=collection)
    client.force_login(User.objects.get(username="admin"))
    address = reverse("agreement", args=[collection.slug])

    def shown(words):
        return [row.query for row in client.get(address, {"q": words}).context["rows"]]

    assert shown(openings[0].query.name) == [openings[0].query.name]
    assert shown("result") == [openings[1].query.name]
    assert shown("nothing like this") == []
