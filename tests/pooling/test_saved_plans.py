"""Plans saved under a name, and the query papers that a plan names."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from corpus.services import create_query
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import Job
from pooling.errors import PoolingError
from pooling.models import LastPlan, Pool, SavedPlan
from pooling.services import PoolPlan, build_pools
from tests.pooling.test_pages import PLAN
from tests.support.factories import DocumentFactory, a_collection
from tests.support.pooling_scenes import a_listed_collection, built
from tests.support.visits import address, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

SENT = {**PLAN, "depth": "500", "runs": ["up", "down"], "interleaved-n": "3"}


@once_a_file
def collection():
    """q1 has a draft pool; q2 and q3 have none."""
    made = a_listed_collection()
    built(made)
    for docno in ("q2", "q3"):
        DocumentFactory(collection=made, docno=docno)
        create_query(collection=made, docno=docno, facet_key="method")
    return made


def saved(admin, **changes):
    return admin.post(address("save-plan"), {**SENT, "plan_name": "Deep", **changes})


def plan_page(admin, query=""):
    return admin.get(f"{address('plan-pools')}{query}")


# Saved plans


def test_a_plan_is_saved_opened_changed_and_deleted(admin):
    response = saved(admin, strategy="rrf", **{"rrf-size": "7"})

    plan = SavedPlan.objects.get()
    assert response.url == f"{address('plan-pools')}?saved={plan.pk}#saved"
    admin.post(address("plan-pools"), SENT)  # another last plan
    page = plan_page(admin, f"?saved={plan.pk}")
    form = page.context["form"]
    assert (form["strategy"].value(), form["rrf-size"].value()) == ("rrf", "7")
    assert "This is the plan “Deep”, saved" in text_of(page)
    assert "by admin" in text_of(page)

    saved(admin, strategy="depth_k", opened=form["opened"].value())
    changed = SavedPlan.objects.get()
    assert (changed.pk, changed.fields["strategy"]) == (plan.pk, ["depth_k"])
    assert plan_page(admin).context["form"]["opened"].value() == "Deep"  # it is the last plan, too

    assert "Delete the plan “Deep”?" in admin.post(address("delete-plan", plan.pk)).text
    assert SavedPlan.objects.exists()
    admin.post(address("delete-plan", plan.pk), {"confirmed": "yes"})
    assert not SavedPlan.objects.exists()
    assert LastPlan.objects.exists()
    assert plan_page(admin, f"?saved={plan.pk}").status_code == 404
    assert plan_page(admin, "?saved=deep").status_code == 404


def test_a_plan_is_not_replaced_by_another_of_its_name_nor_saved_when_invalid(admin):
    saved(admin)

    same_name = saved(admin, strategy="rrf", opened="Other")
    nameless = saved(admin, plan_name=" ")
    invalid = saved(admin, plan_name="Wrong", depth="none")

    assert [page.status_code for page in (same_name, nameless, invalid)] == [422] * 3
    assert "There is already a plan “Deep”. Open it to change it" in same_name.text
    assert "Enter a name, for example" in nameless.text
    assert SavedPlan.objects.get().fields["strategy"] == ["interleaved"]


def test_the_plans_of_another_collection_are_not_found(collection, admin):
    plan = a_collection("far").saved_plans.create(name="Far", fields={})

    assert plan_page(admin, f"?saved={plan.pk}").status_code == 404
    assert admin.post(address("delete-plan", plan.pk), {"confirmed": "yes"}).status_code == 404
    assert SavedPlan.objects.get() == plan


def test_a_docno_that_begins_like_the_address_of_a_plan_has_its_pool_page(collection, admin):
    for docno in ("plan/save", "plan/compare"):
        DocumentFactory(collection=collection, docno=docno)
        create_query(collection=collection, docno=docno, facet_key="method")
    built(collection)

    for docno in ("plan/save", "plan/compare"):
        page = admin.get(address("pool", docno), follow=True)
        assert page.context["pool"].query_paper.name == docno


# The query papers of a plan


def test_only_query_papers_without_a_pool_are_estimated_and_built(collection, admin):
    draft = Pool.objects.get()
    sent = {**SENT, "scope": "without-pool"}

    panel = admin.post(address("plan-pools"), sent, headers={"HX-Request": "true"})
    assert "<dt>2 pools</dt>" in text_of(panel)
    admin.post(address("build-pools"), sent)
    job = Job.objects.get()
    assert job.parameters["without_pool"] is True
    jobs.run(job.pk)

    assert set(Pool.objects.values_list("query_paper__name", flat=True)) == {"q1", "q2", "q3"}
    assert Pool.objects.get(query_paper__name="q1") == draft
    page = admin.post(address("build-pools"), sent)
    assert "Every query has a pool." in page.context["form"].errors["scope"][0]


def test_a_draft_that_appears_meanwhile_is_not_replaced(collection):
    class OtherBuild(DirectRun):
        def progress(self, *arguments) -> None:
            if not Pool.objects.filter(query_paper__name="q2").exists():
                built(collection)

    with pytest.raises(PoolingError, match="the query papers without a pool changed"):
        build_pools(
            collection=collection, plan=PoolPlan(runs=("up",)), work=OtherBuild(), without_pool=True
        )
    assert {pool.build.manifest["runs"][0]["name"] for pool in Pool.objects.all()} == {"down"}


def test_a_file_adds_docnos_to_the_list_that_the_plan_keeps(admin):
    def sent(content: bytes, papers: str = "q2"):
        file = SimpleUploadedFile("ids.txt", content)
        return {**SENT, "scope": "some", "papers": papers, "papers_file": file}

    admin.post(address("plan-pools"), sent(b"q3\r\n\nq2\n"))
    assert plan_page(admin).context["form"]["papers"].value() == "q2\nq3\n\nq2"
    admin.post(address("build-pools"), sent(b"\xef\xbb\xbfq3", papers=""))
    assert Job.objects.get().parameters["query_papers"] == ["q3"]

    page = admin.post(address("plan-pools"), sent(b"q9"))
    assert page.context["form"].errors["papers"][0].startswith("q9 is not a query paper")
    assert page.context["form"]["papers"].value() == "q2\nq9"
    for content, error in [
        (b"\xff\xfe", "not a text in UTF-8"),
        (b"q" * (1024 * 1024 + 1), "larger than 1.0\xa0MB"),
        (b"q\0", "Null characters"),
    ]:
        page = admin.post(address("plan-pools"), sent(content))
        assert error in page.context["form"].errors["papers_file"][0]


def test_the_command_builds_those_without_a_pool_or_those_in_a_file(collection, tmp_path, capsys):
    before = Pool.objects.get()
    ids = tmp_path / "ids.txt"
    ids.write_text("q3\n\n")
    options = ["small", "--run", "up", "--n", "2"]

    call_command("build_pools", *options, "--query-papers", str(ids))
    assert set(Pool.objects.values_list("query_paper__name", flat=True)) == {"q1", "q3"}
    call_command("build_pools", *options, "--without-pool")
    assert Pool.objects.count() == 3
    assert Pool.objects.get(query_paper__name="q1") == before

    for wrong, error in [
        (["--without-pool"], "every query paper has a pool"),
        (["--query-papers", str(tmp_path / "no.txt")], "cannot be read"),
        (["--without-pool", "--query-papers", str(ids)], "not allowed with"),
    ]:
        with pytest.raises(CommandError, match=error):
            call_command("build_pools", *options, *wrong)
    ids.write_text("\n")
    with pytest.raises(CommandError, match="is empty"):
        call_command("build_pools", *options, "--query-papers", str(ids))
