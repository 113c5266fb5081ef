"""The agreement page, its job and its command."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from adjudication.labels import labels_state
from jobs.models import Job, Report
from jobs.work import run
from tests.builders import judge, judge_all

pytestmark = pytest.mark.django_db
GRADES = {"d01": (0, 0), "d02": (1, 2), "d03": (2, 2), "d04": (3, 1), "d05": (0, None), "d06": (1, 1), "d07": (0, 0)}


@pytest.fixture
def url(collection):
    return reverse("agreement", args=[collection.slug])


@pytest.fixture
def judged(query):
    judge_all(query, GRADES | {"d08": (2, 3)})
    return query


@pytest.fixture
def compute(as_, collection):
    """Press the button, and let a worker do the work."""

    def press() -> Job:
        as_("admin").post(reverse("compute-agreement", args=[collection.slug]))
        made = collection.jobs.get(state="queued")
        run(made.pk)
        made.refresh_from_db()
        return made

    return press


def rows_of(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


def test_it_is_for_admins_only(as_, url, judged):
    for username in ("ann", "ada"):
        assert as_(username).get(url).status_code == 403
        assert as_(username).post(f"{url}compute/").status_code == 403
    assert as_("stranger").get(url).status_code == 404


def test_nothing_can_be_computed_before_a_pair_has_both_judgments(as_, url, query, people, compute):
    judge(query.pairs.first(), people.ann, 2)
    page = as_("admin").get(url)
    assert page.context["judged"] == 0
    assert b"<form" not in page.content.split(b"<main")[1]
    failed = compute()
    assert (failed.state, Report.objects.exists()) == ("failed", False)
    assert failed.error in as_("admin").get(url).content.decode()


def test_the_first_visit_offers_to_compute(as_, url, judged):
    page = as_("admin").get(url)
    assert page.context["judged"] == 8
    assert b"Compute agreement" in page.content


def test_two_presses_start_one_job_and_the_page_shows_it(as_, url, judged, collection):
    client = as_("admin")
    for _ in range(2):
        assert client.post(f"{url}compute/?missing=zero").url == f"{url}?missing=zero"
    job = collection.jobs.get()
    page = client.get(url).content.decode()
    assert f"job-{job.pk}" in page
    assert "compute/" not in page


def test_the_page_shows_the_report(as_, url, judged, compute):
    compute()
    page = as_("admin").get(url)
    (facet,) = page.context["report"].data["facets"]
    assert (facet["facet"], facet["judged"], facet["missing"]) == ("method", 8, 1)
    assert page.context["is_current"]
    assert "8 pairs" in page.content.decode()
    assert "57.1" in page.content.decode()  # 4 of 7 pairs
    assert "4 of 8 pairs without a label" in page.content.decode()


def test_a_missing_judgment_counts_as_zero_when_asked(as_, url, judged, compute):
    compute()
    page = as_("admin").get(url, {"missing": "zero"})
    assert page.context["report"].data["queries"][0]["before"]["percent"] == 62.5


def test_a_secret_judgment_is_in_no_report(as_, url, query, people, compute):
    first, second = query.pairs.order_by("pk")[:2]
    judge(first, people.ann, 1)
    judge(first, people.bob, 2)
    judge(second, people.ann, 3)
    compute()
    for report in Report.objects.all():
        assert report.data["queries"][0]["judged"] == 1
        assert report.data["facets"][0]["judges"][3] == [0, 0, 0, 0]


def test_a_new_judgment_makes_the_report_out_of_date(as_, url, judged, people, collection, compute):
    compute()
    judge(judged.pairs.get(document__docno="d02"), people.ann, 2)
    assert not as_("admin").get(url).context["is_current"]
    compute()
    assert as_("admin").get(url).context["is_current"]
    assert {report.labels for report in Report.objects.all()} == {labels_state(collection)}
    assert Report.objects.count() == 2


def test_further_coefficients_come_on_request(as_, url, judged, compute):
    compute()
    assert "Kendall" not in as_("admin").get(url).content.decode()
    page = as_("admin").get(url, {"more": "1", "by": "kendall"})
    assert page.context["chosen"].key == "kendall"
    assert "Kendall" in page.content.decode()


def test_the_numbers_come_as_files(as_, url, judged, compute):
    compute()
    client = as_("admin")
    (row,) = rows_of(client.get(url, {"format": "csv"}))
    assert (row["query"], row["pairs"], row["spearman_after"]) == ("d00_method", "7", "")
    assert float(row["percent_before"]) == pytest.approx(400 / 7)
    assert row["reasons"].endswith("without a label")
    medians = rows_of(client.get(url, {"figure": "agreement-medians", "missing": "zero"}))
    found = {(row["stage"], row["coefficient"]): row["median"] for row in medians}
    assert (found["before", "percent"], found["after", "percent"]) == ("62.5", "")
    page = client.get(url).context
    for figure in (*page["dots"], *page["judges"], *page["against_label"]):
        assert client.get(url, {"figure": figure.name})["Content-Type"].startswith("text/csv")
    assert client.get(url, {"figure": "nothing"}).status_code == 200


def test_a_figure_of_many_queries_says_what_it_leaves_out(as_, url, judged, compute, collection):
    compute()
    report = Report.objects.find(collection, "agreement", missing="exclude")
    (row,) = report.data["queries"]
    undefined = row | {"before": row["before"] | {"spearman": None}}
    report.data["queries"] = [(row if number else undefined) | {"query": f"d{number}_method"} for number in range(70)]
    report.data["queries"].append(undefined)
    report.save()
    page = as_("admin").get(url)
    (figure,) = page.context["dots"]
    assert (len(figure.rows), page.context["table"].page.paginator.count) == (60, 71)
    assert "of 71 queries" in page.content.decode()


def test_people_have_their_names(as_, url, judged, people, compute):
    compute()
    people.ann.name = "Ann Lee"
    people.ann.save()
    assert "Ann Lee and bob" in as_("admin").get(url).content.decode()


def test_the_command_prints_the_table(judged, collection, capsys):
    call_command("compute_agreement", collection.slug, "--missing", "zero")
    line = capsys.readouterr().out.splitlines()[-1].split()
    assert line[:3] == ["method", "1", "8"]
    assert line[6:] == ["62.5000", "–", "–", "–", "–"]


def test_the_command_says_what_is_wrong(collection):
    for slug, said in (("nothing", "no collection"), (collection.slug, "both judgments")):
        with pytest.raises(CommandError, match=said):
            call_command("compute_agreement", slug)
