"""Addresses that nobody gets by clicking: each has a clear answer, never a server's error."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests import builders

pytestmark = pytest.mark.django_db
HUGE = 10**30


@pytest.mark.parametrize(
    "query", ["q=%00", "sort=%00", "page=-1", f"page={HUGE}", "sort=__class__", "q=" + "a+" * 2000]
)
@pytest.mark.parametrize("page", ["documents", "search", "people", "cases"])
def test_odd_parameters_of_a_list(collection, papers, as_, page, query):
    answer = as_("admin").get(f"{reverse(page, args=[collection.slug])}?{query}")
    assert answer.status_code == (400 if "%00" in query else 200)


def test_nul_in_a_path(query, as_):
    assert as_("ann").get(f"/c/papers/judge/{query.pk}/%00/").status_code == 400


@pytest.mark.parametrize("version", ["²", "-1", "x", HUGE])
def test_versions_that_there_are_not(collection, as_, version):
    assert as_("ann").get(reverse("guideline", args=[collection.slug]), {"version": version}).status_code == 404


def test_numbers_that_no_row_has(query, as_):
    run = builders.run(query.collection, "mine", {query: ["d01"]})
    for pk, query_pk in ((run.pk, HUGE), (HUGE, query.pk)):
        assert as_("admin").get(reverse("run-list", args=["papers", pk, query_pk])).status_code == 404
    answer = as_("admin").post(reverse("close-queries", args=["papers"]), {"query": ["²", HUGE]})
    assert answer.status_code == 302


@pytest.mark.parametrize("charset", ["unicode_escape", "utf-16", "idna", "zlib"])
def test_text_is_utf_8_whatever_the_header_says(collection, as_, charset):
    form = '--B\r\nContent-Disposition: form-data; name="name"\r\n\r\n\\ud800\r\n--B--\r\n'
    content_type = f"multipart/form-data; boundary=B; charset={charset}"
    as_("ann").generic("POST", reverse("account"), form.encode(), content_type)
    assert builders.person("ann").name == "\\ud800"


def test_keys_that_no_row_has_are_no_choice(query, papers, as_):
    for page, field in (("add-queries", "documents"), ("open-queries", "queries")):
        answer = as_("admin").post(reverse(page, args=["papers"]), {field: [HUGE]})
        assert answer.status_code in {200, 400}


def test_a_retriever_that_there_is_not_starts_no_job(query, as_):
    answer = as_("admin").post(reverse("build-runs", args=["papers"]), {"name": ["\0", "nonsense"]})
    assert answer.status_code == 400
    assert not query.collection.jobs.exists()
