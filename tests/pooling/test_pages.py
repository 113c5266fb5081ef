"""The pages of pools, as an admin meets them."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from jobs.work import run
from pooling.models import PoolSet
from tests import builders

pytestmark = pytest.mark.django_db
PLAN = {"strategy": "interleaved", "n": 2, "sources": ["bm25", "tfidf"], "cited": "on", "depths": "d01_background 3"}


@pytest.fixture
def admin(as_):
    return as_("admin")


def url(name, *args):
    return reverse(name, args=["papers", *args])


@pytest.fixture
def draft(admin, collection, runs):
    """Made as people do it: the form, then the job."""
    assert admin.post(url("build-pools"), PLAN).status_code == 302
    run(collection.jobs.get(kind="build_pools").pk)
    return PoolSet.objects.get()


def test_the_page_leads_from_queries_to_runs_to_pools(admin, collection, papers):
    assert url("queries") in admin.get(url("pools")).content.decode()
    query = builders.query(collection, papers[0])
    for page in (url("pools"), url("build-pools")):
        assert url("runs") in admin.get(page).content.decode()
    builders.run(collection, "bm25", {query: ["d01"]})
    assert url("build-pools") in admin.get(url("pools")).content.decode()


def test_the_form_draws_the_draft_and_opens_with_its_plan_again(admin, draft):
    assert draft.plan["depths"] == {"d01_background": 3}
    form = admin.get(url("build-pools")).context["form"]
    assert (form["n"].value(), form["depths"].value(), form["cited"].value()) == (2, "d01_background 3", True)


def test_cited_documents_are_offered_where_a_query_paper_cites_some(admin, collection, runs, papers):
    assert "cited" in admin.get(url("build-pools")).context["form"].fields
    papers[0].cites = []
    papers[0].save()
    assert "cited" not in admin.get(url("build-pools")).context["form"].fields


@pytest.mark.parametrize(
    ("field", "value"),
    [("n", "0"), ("sources", []), ("depths", "d01_background many"), ("depths", "d99 3"), ("queries", "d99")],
)
def test_a_plan_that_is_refused_keeps_what_was_typed(admin, collection, runs, field, value):
    response = admin.post(url("build-pools"), PLAN | {field: value})
    assert response.status_code == 200
    assert response.context["form"].errors
    assert response.context["form"]["strategy"].value() == "interleaved"
    assert not collection.jobs.exists()


def test_a_build_shows_its_job_and_a_failed_one_its_error(admin, collection, runs, papers):
    admin.post(url("build-pools"), PLAN)
    assert admin.get(url("pools")).context["job"].state == "queued"
    papers[2].delete()
    run(collection.jobs.get().pk)
    assert "d02 is ranked for" in admin.get(url("pools")).content.decode()


def test_the_preview_counts_pairs_and_hours(admin, draft):
    preview = admin.get(url("pools")).context["preview"]
    assert (preview["pools"], preview["pairs"], preview["least"], preview["most"]) == (2, 11, 5, 6)
    assert preview["seconds"] == 11 * 2 * 15
    assert [pool.query.name for pool in preview["short"]] == ["d01_background"]


def test_the_preview_names_queries_without_a_list_and_duplicated_texts(admin, collection, runs, papers):
    builders.query(collection, papers[4])
    for copy in (papers[6], papers[0]):  # of another candidate, and of the query paper
        copied = papers[2] if copy != papers[0] else papers[11]
        copied.text_digest = copy.text_digest
        copied.save()
    admin.post(url("build-pools"), PLAN | {"n": 4})
    run(collection.jobs.get().pk)
    preview = admin.get(url("pools")).context["preview"]
    assert [pool.query.name for pool in preview["unlisted"]] == ["d04_method"]
    assert (preview["pools"], preview["filled"]) == (3, 2)
    assert {"query": "d00_method", "docnos": ["d11"]} in preview["duplicates"]
    assert {"query": "d01_background", "docnos": ["d02", "d06"]} in [
        each | {"docnos": sorted(each["docnos"])} for each in preview["duplicates"]
    ]


def test_the_figures_show_what_one_source_alone_found_and_overlaps(admin, collection, queries, draft):
    unique, overlap = admin.get(url("pools")).context["figures"]
    rows = {row["label"]: row["value"] for row in unique.rows}
    assert rows.keys() == {"cited", "bm25", "tfidf"}
    assert sum(rows.values()) <= 11
    assert overlap.cells[1][2] == overlap.cells[2][1]
    assert overlap.cells[0][0] is None
    csv = b"".join(admin.get(url("pools"), {"figure": "overlap"}))
    assert csv.decode().splitlines()[0] == ",cited,bm25,tfidf"


def test_a_discarded_draft_is_not_frozen(admin, draft):
    assert admin.post(url("discard-pools", draft.pk)).status_code == 302
    assert not PoolSet.objects.exists()
    assert admin.post(url("freeze-pools", draft.pk)).status_code == 409


def test_frozen_pools_have_pages_and_a_manifest(admin, draft):
    assert admin.get(url("pool-manifest", draft.pk)).status_code == 404
    assert admin.post(url("freeze-pools", draft.pk)).status_code == 302
    page = admin.get(url("pools")).content.decode()
    assert url("pool-set", draft.pk) in page
    assert "Freeze" not in page
    manifest = json.loads(admin.get(url("pool-manifest", draft.pk)).content)
    assert manifest["depths"] == {"d01_background": 3}
    pools = admin.get(url("pool-set", draft.pk), {"short": "yes"}).context["table"].rows
    assert [pool.query.name for pool in pools] == ["d01_background"]


def test_a_pool_shows_each_candidate_with_its_ranks(admin, queries, draft, papers):
    pool = draft.pools.get(query=queries[0])
    response = admin.get(url("pool", pool.pk))
    assert reverse("document", args=["papers", papers[5].pk]) in response.content.decode()
    lines = b"".join(admin.get(url("pool", pool.pk), {"format": "csv"})).decode().splitlines()
    assert lines[0] == "position,docno,source,rank of bm25,rank of tfidf"
    assert lines[1] == "1,d05,cited,4,7"
    first = admin.get(url("pool", pool.pk), {"sort": "rank of bm25"}).context["table"].rows[0]
    assert first["docno"] == "d02"


def test_a_run_with_any_name_has_a_column(admin, collection, queries):
    names = ["title", "a__b", '"><script>']
    for name in names:
        builders.run(collection, name, {queries[0]: ["d03"]})
    admin.post(url("build-pools"), PLAN | {"sources": names})
    run(collection.jobs.get().pk)
    pool = PoolSet.objects.get().pools.get(query=queries[0])
    assert "<script>" not in admin.get(url("pool", pool.pk)).content.decode().replace("<script src", "")
    assert b"a__b" in b"".join(admin.get(url("pool", pool.pk), {"format": "csv"}))


@pytest.mark.parametrize("name", ["pools", "build-pools", "pool", "pool-set", "pool-manifest"])
def test_only_admins_see_pools(as_, draft, name):
    args = {"pool": [draft.pools.first().pk], "pool-set": [draft.pk], "pool-manifest": [draft.pk]}.get(name, [])
    assert as_("ann").get(url(name, *args)).status_code == 403
    assert as_("ada").get(url(name, *args)).status_code == 403
    builders.person("stranger")
    assert as_("stranger").get(url(name, *args)).status_code == 404
