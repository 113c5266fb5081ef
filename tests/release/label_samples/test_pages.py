"""The pages, the API and the commands about samples of citation labels."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Role
from jobs.models import Job, State
from jobs.services import run as run_job
from release.label_samples.services import sample_labels
from tests.support.label_samples import a_sampled_collection, cited_is_half_right, judged
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def sample():
    return judged(a_sampled_collection(), cited_is_half_right)


def test_an_admin_draws_a_sample_and_becomes_its_admin(sample):
    admin = client_of("admin")
    form = {"slug": "more", "pairs": 20, "facet": "method"}

    assert admin.post(address("label-samples"), form | {"pairs": 0}).status_code == 422
    assert admin.post(address("label-samples"), form).status_code == 302
    job = Job.objects.get(kind="sample_labels")
    run_job(job.pk)
    job.refresh_from_db()

    assert (job.state, job.result) == (
        State.SUCCEEDED,
        {"slug": "more", "pairs": 20, "strata": 14},
    )
    made = sample.origin.label_samples.get(collection__slug="more").collection
    assert [*made.memberships.values_list("user__username", "role")] == [("admin", Role.ADMIN)]
    assert "0 of 20 pairs" in text_of(admin.get(address("label-samples")))
    waiting = text_of(admin.get(address("label-sample", "more")))
    assert "shown when every pair is settled" in waiting
    assert admin.get(address("label-sample-csv", "more")).status_code == 404
    with pytest.raises(CommandError, match="0 of 20 pairs have a final label"):
        call_command("report_label_sample", "small", "more")


def test_the_number_of_queries_is_the_same_for_more_samples_and_more_pairs(sample):
    admin = client_of("admin")
    few = queries_of(admin, address("label-samples"))
    whole = queries_of(admin, address("label-sample", "small-sample"))
    smaller = sample_labels(collection=sample.origin, slug="few", pairs=15, facet="method")
    judged(smaller, cited_is_half_right)

    assert queries_of(admin, address("label-samples")) == few
    assert queries_of(admin, address("label-sample", "few")) == whole


def test_page_file_api_and_command_have_the_same_rates(sample, capsys):
    admin = client_of("admin")
    page = text_of(admin.get(address("label-sample", "small-sample")))
    answer = admin.get("/api/v1/collections/small/label-samples/small-sample/").json()
    call_command("report_label_sample", "small", "small-sample", "--format", "csv")
    printed = capsys.readouterr().out
    file = admin.get(address("label-sample-csv", "small-sample")).content.decode()

    rows = list(csv.DictReader(io.StringIO(printed, newline="")))
    assert file.splitlines() == printed.splitlines()
    assert [float(row["estimate"]) for row in rows] == [
        rate["estimate"] for rate in answer["rates"]
    ]
    assert f"{100 * float(rows[1]['estimate']):.2f}" in page
    call_command("report_label_sample", "small", "small-sample")
    assert "All labels: label 1, not relevant 50.0 % (50.0 to 50.0 %), from 6" in (
        capsys.readouterr().out
    )


def test_judges_who_could_see_the_labels_are_counted(sample):
    judge = sample.collection.memberships.filter(role=Role.ANNOTATOR).first().user
    sample.origin.given_roles.create(user=judge, role=Role.CURATOR)

    page = text_of(client_of("admin").get(address("label-sample", "small-sample")))

    assert "1 judge of the sample was admin or curator here" in page


def test_a_dry_run_prints_the_strata_and_makes_nothing(sample, capsys):
    arguments = ("small", "dry", "--pairs", "20", "--facet", "method")
    call_command("sample_labels", *arguments, "--dry-run")
    lines = capsys.readouterr().out.splitlines()
    posted = client_of("admin").post(
        "/api/v1/collections/small/label-samples/",
        {"slug": "dry", "pairs": 20, "facet": "method", "dry_run": True},
        content_type="application/json",
    )

    assert len(lines) == 14 == len(posted.json())
    assert "Biology, true: 2 of 2 pairs with label 1" in lines
    assert not sample.origin.label_samples.filter(collection__slug="dry").exists()
    call_command("sample_labels", *arguments)
    assert "dry: 20 pairs of 42, from 14 strata" in capsys.readouterr().out
