import gzip

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.urls import reverse

from accounts.models import User
from curation.models import PaperType, Sample
from curation.samples.services import SamplePlan, delete_sample, draw_sample
from curation.samples.strata import SampleError
from curation.screening.services import Verdict, save_screening
from jobs.context import DirectRun
from jobs.models import Job, State
from jobs.services import run
from tests.support.api_world import client_of as api_client
from tests.support.curation import ten_years
from tests.support.factories import a_collection
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]
PERIODS = SamplePlan(by=("period",), per_stratum=2, periods="2000-2004,2005-2009")


@once_a_file
def corpus():
    return ten_years(a_collection(), year_without_text=2001)


@pytest.fixture
def admin(corpus):
    return client_of("admin")


def draw(collection, plan=PERIODS, name="periods", **options):
    return draw_sample(collection=collection, name=name, plan=plan, work=DirectRun(), **options)


def docnos(sample):
    return list(sample.papers.values_list("document__docno", flat=True))


def test_a_seed_draws_this_sample_on_every_database(corpus, tmp_path, capsys):
    exclusions = tmp_path / "training.txt.gz"
    exclusions.write_bytes(gzip.compress(b"\xef\xbb\xbfp1\n\np5 \nelsewhere\np1\nempty\n"))

    call_command(
        *("draw_sample", "small", "--strata", "period", "--periods", "2", "--seed", "s"),
        *("--per-stratum", "2", "--years", "2000-2009", "--exclude", str(exclusions)),
    )

    sample = Sample.objects.get()
    assert docnos(sample) == ["p4", "p9", "p8", "p0"]
    assert sample.papers.first().stratum == {"period": "2000–2004"}
    assert capsys.readouterr().out.splitlines() == [
        "2000–2004: 2 of 4, 1 excluded",
        "2005–2009: 2 of 4, 1 excluded",
        "4 papers of 11 documents",
        "left out: 1 without text",
        "excluded: 2 of the strata; 1 of 4 docnos in the list are not in the corpus",
        "small: sample sample-1 with seed s.",
    ]


def test_a_small_stratum_is_taken_whole_and_its_shortfall_counted(corpus, admin):
    plan = SamplePlan(by=("period", "field"), per_stratum=3, periods="2000-2004,2005-2009")
    sample = draw(corpus, plan)

    strata = {tuple(line["stratum"].values()): line for line in sample.counts["strata"]}
    assert sorted(line["sampled"] for line in strata.values()) == [2, 2, 3, 3]
    page = text_of(admin.get(address("sample", sample.name)))
    assert "2000–2004 · IR" in page
    assert "1 short" in page


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (SamplePlan(("period",), 2, "1990-1999,2000-2004"), "1990–1999. Choose other"),
        (SamplePlan(("period",), 2), "The periods are missing"),
        (SamplePlan(("venue",), 2), 'Unknown stratum "venue"'),
        (SamplePlan(("field",), 2, fields=("IR", "Law")), "no document.*: Law"),
        (SamplePlan(("field",), 0), "must be 1 to 10,000, got 0"),
        (SamplePlan(("type",), 2), "types come from screening"),
        (SamplePlan((), 2, without=("none",)), "no sample 'none'"),
    ],
)
def test_what_cannot_be_drawn_is_named_and_nothing_is_saved(corpus, plan, message):
    with pytest.raises(SampleError, match=message):
        draw(corpus, plan)

    assert not Sample.objects.exists()
    assert not PaperType.objects.exists()


def test_an_exclusion_list_that_is_no_text_is_refused(corpus, tmp_path):
    (path := tmp_path / "list").write_bytes(b"p1\n\xff\n")

    with pytest.raises(CommandError, match="list:2: the line is not UTF-8"):
        call_command("draw_sample", "small", "--per-stratum", "2", "--exclude", str(path))


def test_a_name_is_given_once(corpus):
    draw(corpus)

    with pytest.raises(SampleError, match="a sample 'periods' already"):
        draw(corpus)


def test_papers_of_an_earlier_sample_are_left_out(corpus):
    first = draw(corpus, SamplePlan((), 5))
    second = draw(corpus, SamplePlan((), 5, without=(first.name,)), name="second")

    assert sorted(docnos(first) + docnos(second)) == [f"p{number}" for number in range(10)]


def test_types_of_an_earlier_screening_are_strata(corpus):
    first = draw(corpus, SamplePlan((), 4))
    for paper, key in zip(first.papers.all(), ["theoretical", "survey", "resources"], strict=False):
        save_screening(
            paper=paper, screener=User.objects.get(username="admin"), verdict=Verdict(key, 3)
        )
    with pytest.raises(SampleError, match="Application or tool, Empirical or data-driven"):
        draw(corpus, SamplePlan(("type",), 1), name="second")
    corpus.paper_types.filter(key__in=["application", "empirical"]).delete()

    second = draw(corpus, SamplePlan(("type",), 1), name="second")

    assert set(docnos(second)) == set(docnos(first)[:1] + docnos(first)[2:3])
    left_out = {"without text": 1, "of an excluded type": 1, "not screened for their type": 7}
    assert second.counts["left_out"] == left_out


def test_a_sample_is_deleted_until_its_first_screening(corpus):
    sample = draw(corpus)
    delete_sample(sample=sample)
    sample = draw(corpus)
    save_screening(
        paper=sample.papers.first(),
        screener=User.objects.get(username="admin"),
        verdict=Verdict("survey", 1),
    )

    with pytest.raises(SampleError, match="has screenings"):
        delete_sample(sample=sample)


def test_documents_that_change_meanwhile_stop_the_sample(corpus):
    class ChangedMeanwhile(DirectRun):
        def fenced(self):
            type(corpus).objects.filter(pk=corpus.pk).update(corpus_version=7)
            return super().fenced()

    with pytest.raises(SampleError, match="Documents changed"):
        draw_sample(collection=corpus, name="x", plan=PERIODS, work=ChangedMeanwhile())


def test_a_sample_of_the_same_name_meanwhile_is_named_and_other_faults_are_not(corpus):
    class NamedMeanwhile(DirectRun):
        def fenced(self):
            corpus.samples.create(name="x", per_stratum=1, seed="s")
            return super().fenced()

    class Faulty(DirectRun):
        def complete(self, result):
            raise IntegrityError("another rule")

    with pytest.raises(SampleError, match="a sample 'x' already"):
        draw_sample(collection=corpus, name="x", plan=PERIODS, work=NamedMeanwhile())
    with pytest.raises(IntegrityError, match="another rule"):
        draw_sample(collection=corpus, name="y", plan=PERIODS, work=Faulty())


def test_the_page_previews_the_strata_and_its_job_draws_the_sample(corpus, admin, tmp_path):
    url = address("draw-sample")
    fields = {"strata": ["period"], "periods": "2000-2004,2005-2009", "per_stratum": 6}
    fields |= {"name": "periods", "years": ""}

    preview = admin.post(url, {**fields, "preview": "yes"}, headers={"HX-Request": "true"})
    assert preview.content.decode().count("1 short") == 2
    with (tmp_path / "own.txt").open("w+b") as file:
        file.write(b"p3\n")
        file.seek(0)
        admin.post(url, {**fields, "exclusions": file})
    assert not Sample.objects.exists()
    run(Job.objects.get().pk)

    assert Job.objects.get().state == State.SUCCEEDED
    assert len(docnos(Sample.objects.get())) == 9
    assert Sample.objects.get().counts["exclusions"]["file"] == "own.txt"
    refused = admin.post(url, fields)
    assert refused.status_code == 422
    assert "a sample &#x27;periods&#x27; already" in refused.content.decode()


def test_the_api_draws_a_sample_and_lists_its_papers(corpus):
    api = api_client("admin")
    url = reverse("api-samples", args=["small"])
    plan = {"strata": ["period"], "periods": "2", "per_stratum": 2, "name": "by-api"}

    assert api.post(url, {**plan, "periods": "0"}, format="json").status_code == 400
    answer = api.post(url, plan, format="json")
    run(answer.json()["id"])

    sample = api.get(reverse("api-sample", args=["small", "by-api"])).json()
    assert (sample["papers"], sample["periods"]) == (4, [[2000, 2004], [2005, 2009]])
    papers = api.get(reverse("api-sample-papers", args=["small", "by-api"])).json()["results"]
    assert [paper["docno"] for paper in papers] == docnos(Sample.objects.get())


def test_a_collection_with_topics_only_says_why_nothing_can_be_drawn():
    a_collection()
    admin = client_of("admin")
    for name in ("samples", "draw-sample", "screen"):
        assert "Samples are drawn from documents." in admin.get(address(name)).content.decode()


def test_pages_of_samples_take_a_fixed_number_of_queries(corpus, admin):
    urls = [address("samples"), address("screen"), reverse("sample", args=["small", "periods"])]
    draw(corpus, SamplePlan((), 2))
    before = [queries_of(admin, url) for url in urls]
    draw(corpus, SamplePlan((), 8), name="larger")
    urls[2] = reverse("sample", args=["small", "larger"])

    assert [queries_of(admin, url) for url in urls] == before
