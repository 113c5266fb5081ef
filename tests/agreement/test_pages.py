"""The admin's page about agreement."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.services import Ruling
from adjudication.standing import LabelledPair, Standing
from agreement import tables
from agreement.services import AgreementReport, tally_of
from agreement.summary import STATISTICS_VERSION, confusion_dict
from agreement.templatetags.coefficients import value_cell
from jobs.models import Job
from reports.services import compute_report, stored_report
from tests.support.factories import a_collection
from tests.support.old_reports import an_agreement_report, an_old_report
from tests.support.release_scenes import (
    GRADES,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    judge_all,
    slot_of,
)
from tests.support.sittings import judge
from tests.support.visits import address, client_of, csv_rows, markup, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

# Of the method's five labels one overrules both judges: 1 of 3 of q1, none of 2 of q2.
OVERRULINGS = RULINGS | {("q1_method", "d2"): Ruling(grade=3)}


@once_a_file
def collection():
    """Three queries judged and decided, and both reports."""
    collection = a_judged_collection()
    for missing in ("exclude", "zero"):
        compute_report(AgreementReport(missing), collection=collection)
    return collection


def test_the_finding_says_the_medians_of_each_facet(admin):
    page = admin.get(address("agreement"), {"metric": "percent"})

    assert page.context["finding"] == (
        "The median % of the two judges is 66.7 on Background and 75.0 on Method, "
        "and 66.7 on Background and 87.5 on Method after adjudication."
    )


def test_the_table_of_queries_is_folded_until_it_is_sorted_or_filtered(admin):
    def is_open(**asked):
        page = markup(admin.get(address("agreement"), asked).text)
        return 'id="by-query" open' in page

    assert not is_open()
    assert is_open(sort="-alpha")
    assert is_open(q="q1")


# Computing


@pytest.mark.parametrize("missing", ["exclude", "zero"])
def test_computing_queues_the_job_and_comes_back_to_its_report(collection, admin, missing):
    response = admin.post(address("compute-agreement"), {"missing": missing})

    assert response.url == f"{address('agreement')}?missing={missing}"
    job = Job.objects.get()
    assert (job.kind, job.parameters) == ("compute_agreement", {"missing": missing})
    assert job.requested_by.username == "admin"


def test_an_unknown_policy_is_refused_in_words(admin):
    page = admin.post(address("compute-agreement"), {"missing": "guess"}, follow=True)

    assert "guess" in page.text
    assert not Job.objects.exists()
    assert admin.get(address("agreement"), {"missing": "guess"}).status_code == 404


def test_a_report_says_of_how_many_pairs_it_is(admin):
    assert "over 9 judged pairs." in text_of(admin.get(address("agreement")))


def test_a_judgment_that_came_in_since_is_said(collection, admin):
    assert "The report is up to date." in text_of(admin.get(address("agreement")))

    judge(slot_of(collection, "q2_method", "d1", 1), 3)

    assert "Judgments or decisions were added since" in text_of(admin.get(address("agreement")))


def test_without_a_report_the_page_offers_to_compute_one():
    a_judged_collection()

    page = text_of(client_of("admin").get(address("agreement")))

    assert "No report yet" in page
    assert "9 pairs have both judgments" in page


def test_before_any_pair_is_judged_there_is_nothing_to_compute():
    opened = an_opened_collection()
    judge(slot_of(opened, "q2_method", "d1", 1), 3)

    page = client_of("admin").get(address("agreement"))

    assert "No pair has both judgments yet" in page.text
    assert "compute/" not in page.text


# Reports of another version of the statistics


def test_the_page_asks_to_compute_a_report_of_another_version_again():
    an_old_report(a_judged_collection(), "exclude")

    page = client_of("admin").get(address("agreement"))

    assert page.status_code == 200
    assert "The report is out of date" in page.text
    assert "by another version of Qrelsmith" in text_of(page)
    assert 'value="exclude" class="primary"' in markup(page.text)


def test_an_older_report_is_not_shown_beside_a_current_one(collection, admin):
    an_old_report(collection, "exclude")  # the newest row, as after a downgrade and an upgrade

    page = admin.get(address("agreement"))

    assert page.context["report"] == stored_report(AgreementReport("exclude"), collection)
    assert "The report is up to date." in text_of(page)


@pytest.mark.parametrize("name", ["agreement-csv", "agreement-json"])
def test_a_report_of_another_version_cannot_be_downloaded(name):
    an_old_report(a_judged_collection(), "exclude")

    assert client_of("admin").get(address(name, "exclude")).status_code == 404


# What it shows


def test_the_facet_table_has_every_facet_before_and_after(admin):
    lines = admin.get(address("agreement")).context["facets"]

    assert [(line.facet, line.stage) for line in lines] == [
        (facet, stage) for facet in ("background", "method", "result") for stage in ("pre", "post")
    ]


def test_values_are_rounded_and_exact_in_the_title():
    value = tables.Value(tables.BY_KEY["spearman"], 0.45531234567)

    assert (value.shown, value.exact) == ("0.46", "0.45531234567")


def test_a_negative_value_has_a_real_minus_sign():
    assert tables.Value(tables.BY_KEY["alpha"], -0.244).shown == "−0.24"


def test_overruling_is_shown_as_a_mean_over_queries_and_pooled():
    opened = an_opened_collection()
    judge_all(opened, GRADES)
    decide_all(opened, OVERRULINGS)
    compute_report(AgreementReport("exclude"), collection=opened)

    page = client_of("admin").get(address("agreement")).text

    assert page.index(">16.67 %<") < page.index(">pooled 20.00 %<")


def test_undefined_is_shown_as_undefined_with_its_reason(collection, admin):
    page = admin.get(address("agreement"))

    (line,) = [line for line in page.context["rows"] if line.query == "q1_method"]
    assert line.n == 2
    assert "no judged query yet" in page.text
    assert "undefined" in page.text


def test_the_same_reason_of_the_same_queries_is_said_once():
    row = {"query": "a", "facet": "f", "stage": "pre", "n": 0, "missing": 0}
    reasons = {"alpha": "all grades identical", "kappa": "all grades identical"}

    (undefined,) = tables.undefined_values({"queries": [{**row, "undefined": reasons}]})

    assert undefined == tables.Undefined(
        "α, κ", "before adjudication", "both judges gave every pair the same grade", ("a",)
    )


def test_undefined_values_are_named_for_the_shown_coefficients_only():
    row = {"query": "a", "facet": "f", "stage": "pre", "n": 0, "missing": 0}
    payload = {"queries": [{**row, "undefined": {"kendall": "constant rater"}}]}

    assert tables.undefined_values(payload) == []
    assert tables.undefined_values(payload, [tables.BY_KEY["kendall"]])[0].symbols == "τ"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("no pairs", "no pair has both judgments"),
        (
            "both slots against the final label: constant rater",
            "both slots against the final label: one judge gave every pair the same grade",
        ),
        ("something new", "something new"),
    ],
)
def test_reasons_are_said_in_words(reason, words):
    assert tables.in_words(reason) == words


def test_unfinished_queries_are_gathered_whatever_their_numbers():
    assert tables.kind_of("unfinished: 3 of 9 pairs have no final label") == tables.kind_of(
        "unfinished: 1 of 2 pairs have no final label"
    )


def test_queries_can_be_sorted_by_any_coefficient_undefined_ones_last(admin):
    for key in (*tables.BY_KEY, "alpha-after", "percent-after", "n"):
        for sort in (key, f"-{key}"):
            rows = admin.get(address("agreement"), {"sort": sort}).context["rows"]
            values = [tables.query_sorts()[key](line) for line in rows]
            numbers = [value for value in values if value is not None]
            assert numbers == sorted(numbers, reverse=sort.startswith("-"))
            assert values[: len(numbers)] == numbers


def test_the_plot_runs_from_the_lowest_value_to_the_most_there_can_be():
    payload = {"queries": [{"alpha": -0.5}, {"alpha": None}, {"alpha": 0.25}]}
    scale = tables.scale_of(payload, tables.BY_KEY["alpha"])

    assert (scale.low, scale.top) == (-0.5, 1.0)
    assert (scale.x(-0.5), scale.x(0.25), scale.x(1.0), scale.x(None)) == (
        "8.0",
        "80.0",
        "152.0",
        None,
    )


@pytest.mark.parametrize(
    ("asked", "sort", "plotted"),
    [
        ("", "", "alpha"),
        ("", "-kappa-after", "kappa"),
        ("", "query", "alpha"),
        ("percent", "query", "percent"),
    ],
)
def test_the_plot_follows_the_column_the_table_is_sorted_by(asked, sort, plotted):
    assert tables.coefficient_to_plot(asked, sort).key == plotted


def test_the_plot_says_its_numbers_to_who_cannot_see_it(admin):
    page = admin.get(address("agreement"), {"metric": "percent"})

    assert 'aria-label="Percent agreement: 66.7 before, 66.7 after"' in page.text


def test_confusion_matrices_hold_only_pairs_with_both_grades():
    def pair(first, second, final, standing=Standing.ADJUDICATED):
        return LabelledPair("q", "f", "d", standing, first, second, final)

    pairs = [
        pair(0, 0, 0),
        pair(2, 1, 2),
        pair(None, 1, 1),
        pair(None, None, None, Standing.UNJUDGED),
    ]

    confusion = confusion_dict(tally_of(pairs, ["f", "g"]))
    (facet,) = tables.facet_matrices(confusion, {"f": "Facet", "g": "Empty"})

    judges, first, second = facet.matrices
    assert [[cell.pairs for cell in row.cells] for row in judges.rows] == [
        [1, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
    ]
    assert (judges.pairs, judges.left_out) == (2, 1)
    assert (first.pairs, second.pairs) == (2, 3)


@pytest.mark.parametrize("missing", ["exclude", "zero"])
def test_the_sizes_count_every_judged_pair_whatever_the_policy(collection, admin, missing):
    page = admin.get(address("agreement"), {"missing": missing})

    assert [tuple(line) for line in page.context["sizes"]] == [
        ("Background", 1, 3, 3, 3.0, 3, [2, 0, 1, 0]),
        ("Method", 2, 6, 3, 3.0, 3, [1, 1, 2, 1]),
    ]


def test_half_judged_pairs_are_nowhere_on_the_page(collection, admin):
    before = admin.get(address("agreement"))
    judged = before.context["judged"]
    a_query_more = an_opened_collection(slug="second")
    judge(slot_of(a_query_more, "q1_method", "d1", 1), 3)

    page = client_of("admin").get(reverse("agreement", args=["second"]))

    assert judged == 9
    assert page.context["judged"] == 0


def test_the_matrices_are_those_of_the_report(collection, admin):
    before = admin.get(address("agreement")).context["matrices"]
    judge(slot_of(collection, "q2_method", "d1", 1), 3)

    assert [facet.facet_name for facet in before] == ["Background", "Method"]
    assert [matrix.pairs for facet in before for matrix in facet.matrices] == [3, 3, 3, 4, 5, 4]
    assert admin.get(address("agreement")).context["matrices"] == before


def test_judgments_revised_and_revised_back_have_the_report_of_before(collection, admin):
    before = admin.get(address("agreement")).context["report"]
    slot = slot_of(collection, "q2_method", "d1", 1)
    judge(slot, 3)
    compute_report(AgreementReport("exclude"), collection=collection)
    between = admin.get(address("agreement"))
    judge(slot, 1)
    compute_report(AgreementReport("exclude"), collection=collection)

    page = admin.get(address("agreement"))

    assert between.context["report"] != before
    assert page.context["report"] == before
    assert "The report is up to date." in text_of(page)


# Many queries


def a_report_of_many(collection, queries, **fields):
    """A stored report of made-up numbers; query 7 of each ten is undefined."""

    def row(number, stage):
        values = dict.fromkeys(tables.BY_KEY, number / queries)
        undefined = dict.fromkeys(tables.BY_KEY, "constant rater") if number % 10 == 7 else {}
        return {
            **{"query": f"p{number:04}_method", "facet": "method", "stage": stage},
            **{"n": number, "missing": 0, "undefined": undefined},
            **{key: None if key in undefined else value for key, value in values.items()},
        }

    rows = [row(number, stage) for number in range(queries) for stage in ("pre", "post")]
    return an_agreement_report(
        collection,
        "exclude",
        version=STATISTICS_VERSION,
        digest=f"{queries}",
        payload={
            "statistics": STATISTICS_VERSION,
            "missing": "exclude",
            "facets": [],
            "queries": rows,
        },
        **fields,
    )


def shown(page):
    return [line.query for line in page.context["rows"]]


def test_a_page_has_40_queries_and_leads_to_the_next(collection, admin):
    a_report_of_many(collection, 120)

    pages = [admin.get(address("agreement"), {"page": number}) for number in (1, 2, 3)]

    assert [len(shown(page)) for page in pages] == [40, 40, 40]
    assert [name for page in pages for name in shown(page)] == [
        f"p{number:04}_method" for number in range(120)
    ]
    assert pages[0].text.count('viewBox="0 0 160 20"') == 40
    assert "41–80 of 120" in text_of(pages[1])


def test_the_other_pages_keep_the_order_the_words_and_the_policy(collection, admin):
    a_report_of_many(collection, 120)
    asked = {"missing": "exclude", "sort": "-n", "q": "method"}

    page = admin.get(address("agreement"), asked | {"page": "2"})

    assert shown(page)[0] == "p0079_method"
    for number in (1, 3):
        assert f"?missing=exclude&amp;sort=-n&amp;q=method&amp;page={number}#by-query" in page.text


def test_the_filter_looks_at_the_queries_of_all_pages(collection, admin):
    a_report_of_many(collection, 120)

    page = admin.get(address("agreement"), {"q": "p0110"})

    assert shown(page) == ["p0110_method"]
    assert "1 of 120 queries matches “p0110”." in text_of(page)


def test_a_script_filters_only_where_all_queries_are_on_the_page(collection, admin):
    assert "data-filter" in admin.get(address("agreement")).text

    a_report_of_many(collection, 51)

    assert "data-filter" not in admin.get(address("agreement")).text


def test_of_many_undefined_queries_the_first_50_are_named(collection, admin):
    a_report_of_many(collection, 520)

    page = text_of(admin.get(address("agreement")))

    assert "for 52 queries" in page
    assert "p0497_method</a> and 2 more; the CSV file has all of them" in page
    assert "p0507_method" not in page


def test_the_page_reads_no_pairs_and_as_often_for_many_queries(collection, admin):
    few = queries_of(admin, address("agreement"))
    summary = collection.stored_reports.get(key="exclude").summary
    a_report_of_many(collection, 300, summary=summary)

    with CaptureQueriesContext(connection) as captured:
        admin.get(address("agreement"))

    assert len(captured) == few
    for table in ("annotation_pair", "annotation_slot", "annotation_judgment"):
        assert not any(f'"{table}"' in query["sql"] for query in captured)


# Downloads


def test_the_json_download_is_the_report(collection, admin):
    content = admin.get(address("agreement-json", "zero"))

    assert json.loads(content.text) == collection.stored_reports.get(key="zero").payload
    assert 'filename="small-agreement-zero.json"' in content["Content-Disposition"]


def test_the_csv_download_has_every_query_and_facet_at_full_precision(collection, admin):
    content = admin.get(address("agreement-csv", "exclude"))
    rows = list(csv.DictReader(io.StringIO(content.text)))
    payload = collection.stored_reports.get(key="exclude").payload

    assert len(rows) == len(payload["facets"]) + len(payload["queries"])
    values = [row["percent"] for row in rows if row["level"] == "query"]
    assert values == [
        "" if row["percent"] is None else repr(row["percent"]) for row in payload["queries"]
    ]


def test_the_csv_has_both_shares_of_overruling(collection, admin):
    content = admin.get(address("agreement-csv", "exclude"))
    facets = collection.stored_reports.get(key="exclude").payload["facets"]
    lines = list(csv.DictReader(io.StringIO(content.text)))

    for key in ("overruled_mean", "overruled"):
        expected = ["" if row[key] is None else repr(row[key]) for row in facets]
        assert [line[key] for line in lines if line["level"] == "facet"] == expected
        assert {line[key] for line in lines if line["level"] == "query"} == {""}


def a_facet_row(**changes):
    nothing = dict.fromkeys(tables.BY_KEY)
    row = {"facet": "f", "stage": "pre", "queries": 12, "pairs": 40, "median": nothing}
    counts = {"defined": dict.fromkeys(tables.BY_KEY, 12), "overruled": 0, "overruled_mean": 0}
    return {**row, **counts, "interval": nothing, **changes}


def test_the_csv_has_the_ends_of_each_interval():
    ends = dict.fromkeys(tables.BY_KEY) | {"alpha": [-0.125, 0.5]}
    payload = {"facets": [a_facet_row(interval=ends)], "queries": []}

    (line,) = csv.DictReader(io.StringIO(tables.as_csv(payload)))

    assert (line["alpha_low"], line["alpha_high"]) == ("-0.125", "0.5")
    assert (line["kappa_low"], line["kappa_high"]) == ("", "")


def test_a_median_is_shown_with_its_interval():
    changes = {"median": dict.fromkeys(tables.BY_KEY, 0.25)}
    changes["interval"] = dict.fromkeys(tables.BY_KEY) | {"alpha": [-0.125, 0.5]}

    (line,) = tables.facet_lines({"facets": [a_facet_row(**changes)]}, {})

    assert [value.interval_text for value in line.values] == ["", "−0.12 to 0.50", "", ""]
    rho, alpha = (value_cell(each, interval=each.interval_text) for each in line.values[:2])
    assert ">−0.12 to 0.50</span>" in alpha
    assert "<span" not in rho


def test_the_csv_says_why_a_value_is_undefined():
    row = {"facet": "f", "query": "q", "stage": "pre", "n": 0, "missing": 0}
    nothing = dict.fromkeys(tables.BY_KEY)
    reasons = dict.fromkeys(tables.BY_KEY, "no pairs")
    payload = {"facets": [], "queries": [{**row, **nothing, "undefined": reasons}]}

    (line,) = csv.DictReader(io.StringIO(tables.as_csv(payload)))

    assert (line["alpha"], line["alpha_undefined"]) == ("", "no pairs")


@pytest.mark.parametrize("name", ["agreement-csv", "agreement-json"])
def test_a_report_never_computed_cannot_be_downloaded(admin, name):
    assert admin.get(address(name, "guess")).status_code == 404


def test_more_queries_cost_the_page_no_more_questions(collection, django_assert_num_queries):
    small = a_collection("tiny")
    compute_report(AgreementReport("exclude"), collection=small)
    client = client_of("admin")
    tiny = reverse("agreement", args=["tiny"])
    client.get(tiny)
    with CaptureQueriesContext(connection) as captured:
        client.get(tiny)
        expected = len(captured) + 1  # the names of the annotators

    with django_assert_num_queries(expected):
        client.get(address("agreement"))


def test_other_coefficients_than_the_paper_s_are_shown_on_request(collection, admin):
    usual = admin.get(address("agreement"))
    shown = {"column": ["n", "alpha", "ac1"], "next": "/"}
    admin.post(reverse("choose-columns", args=["agreement"]), shown)

    chosen = admin.get(address("agreement"))

    symbols = [each.symbol for each in usual.context["coefficients"]]
    assert symbols == ["ρ", "α", "κ", "%"]
    assert [value.coefficient.symbol for value in usual.context["facets"][0].values] == symbols
    assert [each.symbol for each in chosen.context["coefficients"]] == [*symbols, "AC1"]
    assert [value.coefficient.key for value in chosen.context["rows"][0].before] == ["alpha", "ac1"]
    assert "Plot AC1" in chosen.text
    assert "Plot AC1" not in usual.text


def test_queries_are_filtered_by_facet_and_downloaded_with_the_chosen_columns(collection, admin):
    shown = {"column": ["n", "alpha"], "next": "/"}
    admin.post(reverse("choose-columns", args=["agreement"]), shown)

    page = admin.get(address("agreement"), {"facet": "method", "sort": "-query"})
    file = admin.get(address("agreement"), {"facet": "method", "sort": "-query", "format": "csv"})

    assert [line.facet for line in page.context["rows"]] == ["method", "method"]
    line, row = (
        page.context["rows"][0],
        csv_rows(file)[0],
    )
    assert row["query"] == line.query == "q2_method"
    assert list(row) == ["query", "facet", "pairs", "alpha_before", "alpha_after"]
    assert row["alpha_before"] == repr(line.pre["alpha"])
    assert "sort=-rho" not in page.text
    a_collection("empty")
    empty = address("agreement", slug="empty")
    assert admin.get(empty, {"format": "csv"}).status_code == 404
